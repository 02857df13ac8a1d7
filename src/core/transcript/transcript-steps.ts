import type { TranscriptStep } from "../log/transcript.ts";
import type { TurnEvent, TurnEventBody, TurnEventOf } from "../log/turn-event.ts";
import { outputText } from "../skill/tool-output.ts";
import type { AssistantMessage, KeptImage, ToolMessage } from "../values/message.ts";
import { createSeenReader } from "./seen-reader.ts";

type Body<T extends TurnEvent["type"]> = Omit<TurnEventOf<T>, "turn_id" | "seq" | "at">;

/** Answers what each event of a turn, taken in order, means for its thread's transcript. */
export type StepReader = (event: TurnEventBody, at: number) => TranscriptStep[];

/** Characters of an output that a log of an earlier version does not say how it was shown. */
const longestUnmarked = 16_000;

/** Pictures of one call that a model is shown, and the largest of them, bytes. */
const mostImages = 4;
const largestImage = 4_500_000;

interface Round {
  message: AssistantMessage;
  results: Map<string, Body<"tool_finished">>;
}

/** Reads one turn. The live loop and every later reader use it, so they come to the same transcript. */
export function createStepReader(turnId: string): StepReader {
  const messages = createMessageReader(turnId);
  const addresses = createSeenReader();
  return (event, at) => {
    const seen = addresses(event);
    return [...(seen === undefined ? [] : [{ kind: "seen", seen } as const]), ...messages(event, at)];
  };
}

function createMessageReader(turnId: string): StepReader {
  let round: Round | undefined;
  let measured: TranscriptStep[] = [];
  let answered = false;
  const images = new Map<string, KeptImage[]>();
  let activations: Body<"skill_activated">[] = [];

  /** Results join the conversation in call order, once all are there; then what the calls activated counts. */
  const closeRound = (ended: boolean): TranscriptStep[] => {
    if (round === undefined) return [];
    const { message, results } = round;
    if (!ended && message.tool_calls.some(({ id }) => !results.has(id))) return [];
    round = undefined;
    const activated = message.tool_calls.flatMap(({ id }) =>
      activations.filter(({ call_id }) => call_id === id),
    );
    return [
      ...message.tool_calls.map((call): TranscriptStep => {
        const finished = results.get(call.id) ?? unfinished(call.id, call.name);
        return { kind: "message", message: toolMessage(finished, images.get(call.id)) };
      }),
      ...activated.map(({ skill_id, guide }): TranscriptStep => ({ kind: "activate", skill_id, guide })),
    ];
  };

  const answer = (message: AssistantMessage): TranscriptStep[] => {
    answered = message.tool_calls.length === 0;
    round = answered ? undefined : { message, results: new Map() };
    const steps: TranscriptStep[] = [{ kind: "message", message }, ...measured];
    measured = [];
    return steps;
  };

  return (event, at) => {
    switch (event.type) {
      case "transcript_opened":
        return [{ kind: "open", with: event }];
      case "user_message":
        return [{ kind: "message", message: event.message }];
      case "transcript_changed":
        return [{ kind: "change", message: event.message, told: event.told }];
      case "usage":
        if (event.round !== undefined)
          measured = [{ kind: "measured", tokens: event.input_tokens + event.output_tokens, at }];
        return [];
      case "model_message":
        return answer(event.message);
      case "file":
      case "picture_shown":
        keepImage(images, event, turnId);
        return [];
      case "skill_activated":
        if (event.by === "agent") activations.push(event);
        return [];
      case "skill_offloaded":
        activations = activations.filter(({ skill_id }) => skill_id !== event.skill_id);
        return [{ kind: "offload", skill_id: event.skill_id }];
      case "tool_finished":
        round?.results.set(event.call_id, event);
        return closeRound(false);
      case "steered":
        // Said while a call is open it is the answer to that call's question, not a message of its own.
        if (round !== undefined) return [];
        return [
          { kind: "message", message: { role: "user", text: event.shown ?? event.text, said: event.text } },
        ];
      case "handoff":
        if (event.report === undefined) return [];
        answered = false;
        return [{ kind: "message", message: { role: "user", text: returned(event), said: "" } }];
      case "turn_finished":
        return [...closeRound(true), ...closing(event, answered)];
      default:
        return [];
    }
  };
}

/** What the supervisor is told that has the turn again. */
function returned({ from, to }: Body<"handoff">): string {
  return `[${from} has answered above; nobody has seen it. You are ${to} again: give the person the answer, whole, or hand over once more.]`;
}

/** The answer as the person saw it, where no message of the model is it: a direct output, a stop, a failure. */
function closing({ text }: Body<"turn_finished">, answered: boolean): TranscriptStep[] {
  if (answered || text === "") return [];
  return [{ kind: "message", message: { role: "assistant", text, tool_calls: [] } }];
}

function unfinished(call_id: string, tool: string): Body<"tool_finished"> {
  const output = "The turn ended before this ran.";
  return { type: "tool_finished", call_id, tool, status: "error", output, duration_ms: 0 };
}

function toolMessage(
  { call_id, tool, status, output, shown }: Body<"tool_finished">,
  images: readonly KeptImage[] = [],
): ToolMessage {
  return {
    role: "tool",
    call_id,
    tool,
    text: shown ?? beginning(outputText(output)),
    is_error: status === "error",
    ...(images.length === 0 ? {} : { kept_images: images }),
  };
}

function beginning(text: string): string {
  return text.length <= longestUnmarked ? text : `${text.slice(0, longestUnmarked)} […]`;
}

/** A picture that a call made or looked at is shown to the model with the call's result. */
function keepImage(
  images: Map<string, KeptImage[]>,
  event: Body<"file" | "picture_shown">,
  turnId: string,
): void {
  const { call_id, name, media_type, bytes } = event;
  if (call_id === undefined || !isImage(media_type) || bytes > largestImage) return;
  const others = (images.get(call_id) ?? []).filter((image) => image.name !== name);
  if (others.length < mostImages)
    images.set(call_id, [...others, { media_type, turn_id: turnId, name, bytes }]);
}

/** Whether models can be shown pictures of this kind. */
export function isImage(mediaType: string): mediaType is KeptImage["media_type"] {
  return /^image\/(png|jpeg|gif|webp)$/.test(mediaType);
}

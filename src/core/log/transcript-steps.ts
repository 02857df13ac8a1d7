import { isContainer } from "../../base/record.ts";
import { addressesIn, linksIn, readAddress, type Seen, type WebAddress } from "../values/address.ts";
import type { Inbound } from "../values/inbound.ts";
import { type Json, outputText } from "../values/json.ts";
import type { AssistantMessage, KeptImage, ToolMessage } from "../values/message.ts";
import { innerCallId } from "./call-id.ts";
import { isOfSkill, type TranscriptStep } from "./transcript.ts";
import type { TurnEventBody, TurnEventBodyOf } from "./turn-event.ts";

/** Maximum pictures of one call that a model gets, and maximum bytes of each. */
const maxImages = 4;
const maxImage = 4_500_000;

/** A message of the model with calls, and their results so far. */
interface Round {
  message: AssistantMessage;
  results: Map<string, TurnEventBodyOf<"tool_finished">>;
}

/**
 * Reads the transcript steps in the events of one turn, or of the sub-run of its call `run`. The live loop and every later reader use it, so
 * they build the same transcript.
 */
export class StepReader {
  readonly #turnId: string;
  readonly #run: string | undefined;
  readonly #addresses = createSeenReader();
  readonly #images = new Map<string, KeptImage[]>();
  #round: Round | undefined;
  #measured: TranscriptStep[] = [];
  #answered = false;
  #activations: TurnEventBodyOf<"skill_activated">[] = [];

  constructor(turnId: string, run?: string) {
    this.#turnId = turnId;
    this.#run = run;
  }

  /** The model's last message, while some of its calls have no result. */
  get open(): AssistantMessage | undefined {
    return this.#round?.message;
  }

  /** The steps of the next event. Events have to be passed in order. */
  read(event: TurnEventBody, at: number): TranscriptStep[] {
    const seen = this.#addresses(event);
    return [...(seen === undefined ? [] : [{ kind: "seen", seen } as const]), ...this.#read(event, at)];
  }

  #read(event: TurnEventBody, at: number): TranscriptStep[] {
    switch (event.type) {
      case "transcript_opened":
        return [{ kind: "open", with: event }];
      case "user_message":
        return [{ kind: "message", message: event.message }];
      case "transcript_changed":
        return [{ kind: "change", message: event.message, told: event.told }];
      case "usage":
        if (event.round !== undefined || (this.#run !== undefined && event.run === this.#run))
          this.#measured = [{ kind: "measured", tokens: event.input_tokens + event.output_tokens, at }];
        return [];
      case "model_message":
        return this.#answer(event.message);
      case "file":
      case "picture_shown":
        keepImage(this.#images, event, this.#turnId);
        return [];
      case "skill_activated":
        if (event.by === "agent") this.#activations.push(event);
        return [];
      case "skill_offloaded":
        this.#activations = this.#activations.filter(({ skill_id }) => !isOfSkill(skill_id, event.skill_id));
        return [{ kind: "offload", skill_id: event.skill_id }];
      case "tool_finished":
        this.#round?.results.set(event.call_id, event);
        return this.#closeRound(false);
      case "steered":
        // A message during an open call answers that call's question and is not a message of its own.
        if (this.#round !== undefined) return [];
        return [
          { kind: "message", message: { role: "user", text: event.shown ?? event.text, said: event.text } },
        ];
      case "background_ended":
        return [
          { kind: "message", message: event.message },
          { kind: "background", turn_id: event.from_turn, ended: true },
        ];
      case "handoff":
        if (event.background === undefined) return [];
        return [{ kind: "background", turn_id: event.background, ended: false }];
      case "turn_finished":
        return [...this.#closeRound(true), ...this.#end(event.text)];
      default:
        return [];
    }
  }

  #answer(message: AssistantMessage): TranscriptStep[] {
    this.#answered = message.tool_calls.length === 0;
    this.#round = this.#answered ? undefined : { message, results: new Map() };
    const steps: TranscriptStep[] = [{ kind: "message", message }, ...this.#measured];
    this.#measured = [];
    return steps;
  }

  /** Results are added in the order of the calls, once all are there; the skills that the calls activated follow. */
  #closeRound(ended: boolean): TranscriptStep[] {
    if (this.#round === undefined) return [];
    const { message, results } = this.#round;
    const calls = message.tool_calls.map((call) => ({ ...call, logged: innerCallId(this.#run, call.id) }));
    // transcript-5
    if (!ended && calls.some(({ logged }) => !results.has(logged))) return [];
    this.#round = undefined;
    return [
      ...calls.map(({ id, name, logged }): TranscriptStep => {
        const finished = results.get(logged) ?? unfinished(logged, name);
        return { kind: "message", message: toolMessage(id, finished, this.#images.get(logged)) };
      }),
      ...calls.flatMap(({ logged }) =>
        this.#activations
          .filter(({ call_id }) => call_id === logged)
          .map(({ skill_id, guide }): TranscriptStep => ({ kind: "activate", skill_id, guide })),
      ),
    ];
  }

  /** The answer that the person got, if it is not a message of the model: a direct output, a stop, a failure. */
  #end(text: string): TranscriptStep[] {
    if (this.#answered || text === "") return [];
    return [{ kind: "message", message: { role: "assistant", text, tool_calls: [] } }];
  }
}

function unfinished(call_id: string, tool: string): TurnEventBodyOf<"tool_finished"> {
  const output = "The turn ended before this ran.";
  return { type: "tool_finished", call_id, tool, status: "error", output, duration_ms: 0 };
}

function toolMessage(
  call_id: string,
  { tool, status, output, shown }: TurnEventBodyOf<"tool_finished">,
  images: readonly KeptImage[] | undefined,
): ToolMessage {
  return {
    role: "tool",
    call_id,
    tool,
    text: shown ?? outputText(output),
    is_error: status === "error",
    kept_images: images,
  };
}

/** The model gets a picture that a call created or looked at with the call's result. */
function keepImage(
  images: Map<string, KeptImage[]>,
  event: TurnEventBodyOf<"file" | "picture_shown">,
  turnId: string,
): void {
  const { call_id, name, media_type, bytes } = event;
  if (call_id === undefined || !isImage(media_type) || bytes > maxImage) return;
  const others = (images.get(call_id) ?? []).filter((image) => image.name !== name);
  if (others.length < maxImages)
    images.set(call_id, [...others, { media_type, turn_id: turnId, name, bytes }]);
}

/** Whether models accept pictures of this type. */
export function isImage(mediaType: string): mediaType is KeptImage["media_type"] {
  return /^image\/(png|jpeg|gif|webp)$/.test(mediaType);
}

/** Returns the addresses that each event of a turn shows, or undefined. Events have to be passed in order. */
export function createSeenReader(): (event: TurnEventBody) => Seen | undefined {
  const read = createReader();
  return (event) => {
    const seen = read(event);
    if (seen === undefined) return undefined;
    const { named = [], linked = [], untrusted } = seen;
    return named.length + linked.length === 0 && untrusted === undefined ? undefined : seen;
  };
}

function createReader(): (event: TurnEventBody) => Seen | undefined {
  const inputs = new Map<string, Json>();
  const questions = new Map<string, string>();
  const asked = new Map<string, readonly string[]>();
  return (event) => {
    switch (event.type) {
      case "inbound":
        return saidIn(event.inbound);
      case "steered":
        return { named: keys(addressesIn(event.text)) };
      case "question_asked":
        questions.set(event.question_id, [event.text, ...event.choices].join("\n"));
        return undefined;
      case "question_answered":
        // The model wrote the choices, so their addresses were not named by the person.
        return { named: without(addressesIn(event.text), questions.get(event.question_id) ?? "") };
      case "approval_requested":
        asked.set(event.approval_id, event.addresses ?? []);
        return undefined;
      case "approval_decided":
        return event.approved ? { named: asked.get(event.approval_id) ?? [] } : undefined;
      case "context_read":
        return readAround(event);
      case "background_ended":
        return { linked: keys(addressesIn(event.message.text)), untrusted: true };
      case "tool_started":
        inputs.set(event.call_id, event.input);
        return undefined;
      case "tool_finished":
        return result(event, inputs.get(event.call_id) ?? null);
      default:
        return undefined;
    }
  };
}

function said(text: string, author: { trust: string }): Seen {
  return { named: keys(addressesIn(text)), untrusted: author.trust === "guest" || undefined };
}

/** Addresses in the text of a trigger's event were written by others and do not count as named. */
function saidIn({ text, author, cause }: Inbound): Seen {
  if (cause?.background !== undefined) return cause.background.seen;
  const seen = said(text, author);
  if (cause?.happened === undefined) return seen;
  return { ...seen, linked: keys(addressesIn(cause.happened)), untrusted: true };
}

function readAround({ thread, files }: TurnEventBodyOf<"context_read">): Seen {
  const strangers = thread.filter(({ bot, outside }) => bot === true || outside === true);
  const members = thread.filter((message) => !strangers.includes(message));
  const spoken = files.filter((file) => file.spoken?.is_message === true);
  const sent = files.filter((file) => !spoken.includes(file));
  const texts = (of: readonly { text?: string | undefined }[]) =>
    of.flatMap(({ text = "" }) => keys(addressesIn(text)));
  return {
    named: [...texts(members), ...texts(spoken)],
    linked: [...texts(strangers), ...texts(sent)],
    untrusted: strangers.length + sent.length > 0 || undefined,
  };
}

/** An address in a call's input does not become known by its appearance in the result. */
function result({ status, output, finds }: TurnEventBodyOf<"tool_finished">, input: Json): Seen | undefined {
  if (status === "error" || finds === undefined) return undefined;
  const [links, given] = [linksIn(textOf(output)), textOf(input)];
  if (finds === "results") return { linked: without(addressesOf(output), given) };
  if (finds === "links") return { linked: without(links, given) };
  const hosts = new Set(addressesIn(given).map(({ host }) => host));
  return { linked: keys(links.filter(({ host }) => !hosts.has(host))) };
}

/** Keys of the addresses that a text does not contain. */
function without(addresses: readonly WebAddress[], text: string): string[] {
  const given = new Set(keys(addressesIn(text)));
  return keys(addresses).filter((key) => !given.has(key));
}

function keys(addresses: readonly WebAddress[]): string[] {
  return addresses.map(({ key }) => key);
}

/** The addresses that are values of their own: a result's, and not those in its text. */
function addressesOf(value: Json): WebAddress[] {
  if (isContainer(value)) return Object.values(value).flatMap(addressesOf);
  const address = typeof value === "string" && !/\s/.test(value) ? readAddress(value) : undefined;
  return address === undefined ? [] : [address];
}

/** All texts of a value, one per line. */
function textOf(value: Json): string {
  if (typeof value === "string") return value;
  return isContainer(value) ? Object.values(value).map(textOf).join("\n") : "";
}

import type { Opening } from "../../../core/log/transcript.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { TurnReading, TurnRecord } from "../../../core/log/turn-log.ts";
import { noUsage, plusUsage } from "../../../core/log/usage.ts";
import {
  type Meter,
  type Model,
  ModelError,
  type ModelEvent,
  type Models,
} from "../../../core/ports/model.ts";
import type { TurnLimits, TurnPorts } from "../../../core/scope/turn.ts";
import { isPrivateTurn } from "../../../core/transcript/audience.ts";
import { withUniqueIds } from "../../../core/turn/read-answer.ts";
import type { Outcome } from "../../../core/values/failure.ts";
import type { Author } from "../../../core/values/inbound.ts";
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../../../core/values/message.ts";
import type { Redact } from "../../../core/values/redact.ts";
import { type Answered, type RecordedTurn, type Recordings, shownCall } from "./recorded-turn.ts";

/** A turn on another model. */
interface Replay {
  turn_id: string;
  question: string;
  recorded: Answered;
  replayed: Answered;
  /** What the other model did not get, for people. */
  notes: string[];
}

/**
 * Has another model answer a finished turn again, from the messages it had then. A call gets the result that the turn recorded for it, or
 * is told that there is none: no tool runs, nothing is posted and nothing is stored. Reasoning is left out, because it belongs to the model
 * that wrote it. Only the named model is asked, without the models that would take over for it.
 */
export type ReplayTurn = (
  turn: TurnRecord,
  asked: { model: string; by: Author; signal: AbortSignal },
) => Promise<Outcome<Replay>>;

/** What a replay runs with. */
export interface ReplayMeans extends Pick<TurnPorts, "picture" | "clock"> {
  limits: Pick<TurnLimits, "max_rounds">;
  meter: Pick<Meter, "usage">;
}

export function createReplay(
  log: TurnReading,
  recordings: Recordings,
  models: Models,
  redact: Redact,
  means: ReplayMeans,
): ReplayTurn {
  return async (turn, { model, by, signal }) => {
    const chosen = models.choose(model);
    if (!chosen.ok) return { ok: false, status: 400, message: chosen.message };
    const events = await log.read(turn.turn_id);
    const refusal = refusalOf(turn, events, by);
    if (refusal !== undefined) return refusal;
    const recorded = await recordings.turn(turn, events);
    if (typeof recorded === "string") return cannot(recorded);
    const notes = new Set<string>();
    const messages = await Promise.all(recorded.before.map((message) => withPictures(means, message, notes)));
    const named = models.named(chosen.name, { alone: true });
    const begun = { ...recorded, opening: recorded.transcript.opening };
    const replayed = await new RunningReplay(means, named, begun, messages, notes).run(signal);
    signal.throwIfAborted();
    const compared = { recorded: recorded.answered, replayed, notes: [...notes] };
    return { ok: true, value: redact({ turn_id: turn.turn_id, question: turn.text, ...compared }) };
  };
}

function cannot(reason: string): Outcome<never> & { ok: false } {
  return { ok: false, status: 409, message: `This turn cannot be replayed. ${reason}` };
}

/** Why a turn has no conversation to replay, or none for this person. */
function refusalOf(turn: TurnRecord, events: readonly TurnEvent[], by: Author) {
  const end = events.findLast((event) => event.type === "turn_finished");
  if (end === undefined) return cannot("It has not finished. Try again when it has.");
  if (end.forgotten_by !== undefined) return cannot("It was deleted.");
  if (end.merged_into !== undefined)
    return cannot(`Its message was taken into the turn ${end.merged_into}; replay that one.`);
  if (isPrivateTurn(events) && turn.author.id !== by.id) {
    const message = `The answer is for ${turn.author.name} alone, so only ${turn.author.name} may have it replayed.`;
    return { ok: false, status: 403, message } as const;
  }
  if (events.some(({ type }) => type === "details_removed"))
    return cannot("Its run details were deleted because of their age (retention.run_detail_days).");
  return undefined;
}

const notRecorded =
  "Not recorded: this turn is replayed, and when it ran, nobody made this call. Nothing was run. Go on without its result.";

/** What a conversation begins with, and what comes into it later. */
type Begun = Pick<RecordedTurn, "later" | "results"> & {
  opening: Pick<Opening, "instructions" | "tools" | "told">;
};

/** A model at work on recorded results. */
export class RunningReplay {
  readonly #means: ReplayMeans;
  readonly #model: Model;
  readonly #opening: Begun["opening"];
  readonly #messages: Message[];
  readonly #later: (readonly Message[])[];
  readonly #resultOf: (call: ToolCall) => ToolMessage | undefined;
  readonly #answered: Answered;
  readonly #notes: Set<string>;

  constructor(
    means: ReplayMeans,
    model: Model,
    recorded: Begun,
    messages: readonly Message[],
    notes: Set<string>,
  ) {
    this.#means = means;
    this.#model = model;
    this.#opening = recorded.opening;
    this.#messages = [...messages];
    this.#later = [...recorded.later];
    this.#resultOf = recorded.results.reader();
    this.#notes = notes;
    this.#answered = { model: model.id, text: "", calls: [], rounds: 0, usage: noUsage, duration_ms: 0 };
  }

  async run(signal: AbortSignal): Promise<Answered> {
    const { clock } = this.#means;
    const from = clock.now();
    const error = await this.#rounds(signal).catch((failed: unknown) => {
      if (failed instanceof ModelError) return { code: failed.code, message: failed.message };
      throw failed;
    });
    return { ...this.#answered, error, duration_ms: clock.now() - from };
  }

  async #rounds(signal: AbortSignal): Promise<Answered["error"]> {
    const { max_rounds } = this.#means.limits;
    while (this.#answered.rounds < max_rounds) {
      const message = await this.#ask(signal);
      this.#messages.push(message);
      for (const call of message.tool_calls) this.#messages.push(await this.#answerTo(call));
      // An answer that comes earlier than the recorded one is asked about everything that was said until then.
      const calls = message.tool_calls.length > 0;
      const later = (calls ? [this.#later.shift() ?? []] : this.#later.splice(0)).flat();
      this.#messages.push(...later);
      if (calls || later.some(({ role }) => role === "user")) continue;
      this.#answered.text = message.text;
      return undefined;
    }
    return { code: "limit_reached", message: `It had not answered after ${max_rounds} rounds.` };
  }

  async #ask(signal: AbortSignal): Promise<AssistantMessage> {
    const { instructions: system, tools, told } = this.#opening;
    const request = { system, tools, messages: this.#messages, effort: told.effort, signal };
    let finished: Extract<ModelEvent, { type: "finished" }> | undefined;
    for await (const event of this.#model.stream(request)) {
      if (event.type === "finished") finished = event;
      if (event.type !== "left_out") continue;
      for (const { name, why } of event.tools)
        this.#notes.add(`It did not get the tool ${name}, because its provider refuses it: ${why}`);
    }
    signal.throwIfAborted();
    if (finished === undefined)
      throw new ModelError("bad_response", `The model ${this.#model.id} ended without an answer.`);
    const answered = this.#answered;
    answered.rounds += 1;
    answered.model = finished.model;
    answered.usage = plusUsage(answered.usage, finished.usage);
    this.#means.meter.usage(finished.model, finished.usage);
    const taken = this.#messages.flatMap((message) => (message.role === "tool" ? message.call_id : []));
    return withUniqueIds(finished.message, new Set(taken), `replay_${answered.rounds}`);
  }

  #answerTo(call: ToolCall): Promise<Message> {
    const known = this.#resultOf(call);
    this.#answered.calls.push({ ...shownCall(call), recorded: known !== undefined });
    const { text, is_error, kept_images } = known ?? { text: notRecorded, is_error: true };
    const of = { role: "tool", call_id: call.id, tool: call.name } as const;
    return withPictures(this.#means, { ...of, text, is_error, kept_images }, this.#notes);
  }
}

async function withPictures(
  { picture }: Pick<ReplayMeans, "picture">,
  message: Message,
  notes: Set<string>,
): Promise<Message> {
  if (message.role !== "user" && message.role !== "tool") return message;
  const kept = await Promise.all(
    (message.kept_images ?? []).map(async (image) => ({ image, data: await picture(image) })),
  );
  for (const { image, data } of kept)
    if (data === undefined) notes.add(`The picture ${image.name} is no longer stored.`);
  const images = kept.flatMap(({ data }) => data ?? []);
  return images.length === 0 ? message : { ...message, images };
}

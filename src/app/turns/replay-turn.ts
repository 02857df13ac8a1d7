import { parsedJson } from "../../base/json-reader.ts";
import {
  extendTranscript,
  openTranscript,
  type Transcript,
  type TranscriptStep,
  withoutReasoning,
} from "../../core/log/transcript.ts";
import { directRun, type TurnEvent, unwrapped } from "../../core/log/turn-event.ts";
import type { ThreadReading, TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import { noUsage, plusUsage, type UsageTotal } from "../../core/log/usage.ts";
import { type Meter, type Model, ModelError, type ModelEvent, type Models } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { Openings, TurnLimits, TurnPorts } from "../../core/scope/turn.ts";
import { isPrivateTurn, viewOf } from "../../core/transcript/audience.ts";
import { createStepReader } from "../../core/transcript/transcript-steps.ts";
import { isOfRun } from "../../core/turn/sub-run.ts";
import { withUniqueIds } from "../../core/turn/turn-loop.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import { canonicalJson, type Json } from "../../core/values/json.ts";
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../../core/values/message.ts";
import type { CountTokens } from "../../core/values/profile.ts";
import type { Redactor } from "../../core/values/redact.ts";
import type { PastThreads } from "./past-threads.ts";

/** One of the two answers that a replay compares. `usage` is that of all its model calls; `duration_ms` includes waits for people. */
interface Answered {
  model: string;
  text: string;
  /** The calls of its model, in order. `recorded`: the turn had made the same call, so its result is known. */
  calls: { tool: string; arguments: Json; recorded: boolean }[];
  rounds: number;
  usage: UsageTotal;
  duration_ms: number;
  /** Why there is no answer. */
  error?: { code: string; message: string } | undefined;
}

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

export interface ReplayDeps {
  log: TurnReading & ThreadReading;
  past: Pick<PastThreads, "read">;
  openings: Pick<Openings, "get">;
  models: Pick<Models, "choose" | "named">;
  picture: TurnPorts["picture"];
  countTokens: CountTokens;
  redact: Redactor;
  clock: Pick<Clock, "now">;
  limits: Pick<TurnLimits, "max_rounds">;
  meter: Pick<Meter, "usage">;
}

export function createReplay(deps: ReplayDeps): ReplayTurn {
  return async (turn, { model, by, signal }) => {
    const chosen = deps.models.choose(model);
    if (!chosen.ok) return { ok: false, status: 400, message: chosen.message };
    const events = await deps.log.read(turn.turn_id);
    const refusal = refusalOf(turn, events, by);
    if (refusal !== undefined) return refusal;
    const recorded = await readRecorded(deps, turn, events);
    if (recorded === undefined)
      return cannot("The conversation before it is no longer stored as it was then.");
    const notes: string[] = [];
    const messages = await Promise.all(recorded.before.map((message) => withPictures(deps, message, notes)));
    const named = deps.models.named(chosen.name, { alone: true });
    const replayed = await new RunningReplay(deps, named, recorded, messages).run(signal);
    signal.throwIfAborted();
    const value = {
      turn_id: turn.turn_id,
      question: turn.text,
      recorded: recorded.answered,
      replayed,
      notes,
    };
    return { ok: true, value: deps.redact(value) };
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
  if (!events.some((event) => unwrapped(event).type === "model_message"))
    return cannot("No model answered it: it was a command, or it ended before.");
  return undefined;
}

/** What the log has of a turn's conversation. */
interface Recorded {
  transcript: Transcript;
  /** The messages before the model's first answer, as its asker may read them. */
  before: readonly Message[];
  /** What people and the bot added after each round of the model, by round. */
  later: readonly Message[][];
  results: RecordedResults;
  answered: Answered;
}

/** Undefined when the conversation before the turn is no longer complete. */
async function readRecorded(
  deps: ReplayDeps,
  turn: TurnRecord,
  events: readonly TurnEvent[],
): Promise<Recorded | undefined> {
  const isDirect = events.some((event) => event.type === "turn_started" && event.direct === true);
  const run = isDirect ? directRun : undefined;
  const own = run === undefined ? events : events.filter((event) => isOfRun(run, event)).map(inner);
  const read = createStepReader(turn.turn_id, run);
  const past = isDirect ? [] : await stepsBefore(deps, turn);
  const steps = own.flatMap((event) => read(event, event.at));
  const first = steps.findIndex((step) => step.kind === "message" && step.message.role === "assistant");
  const transcript = await grown(deps, [...(past ?? []), ...steps.slice(0, first)]);
  if (past === undefined || transcript === undefined) return undefined;
  const before = viewOf(transcript.messages, turn.author.id).map(withoutReasoning);
  const { answers, ...rest } = readRounds(steps.slice(first));
  return { transcript, before, ...rest, answered: answeredBy(turn, events, answers) };
}

/** The transcript after these steps; undefined without an opening. */
async function grown(
  { openings, countTokens }: ReplayDeps,
  steps: readonly TranscriptStep[],
): Promise<Transcript | undefined> {
  let transcript: Transcript | undefined;
  for (const step of steps) {
    if (step.kind === "open") {
      const opening = await openings.get(step.with.opening);
      transcript = opening === undefined ? undefined : openTranscript(opening, step.with, countTokens);
    } else if (transcript !== undefined) extendTranscript(transcript, step);
  }
  return transcript;
}

/** The rounds of a turn, from the model's first answer on. A transcript that opened meanwhile only repeats them shortened. */
function readRounds(steps: readonly TranscriptStep[]) {
  const answers: AssistantMessage[] = [];
  const later: Message[][] = [];
  const results = new RecordedResults();
  for (const step of steps) {
    if (step.kind !== "message" && step.kind !== "change") continue;
    const { message } = step;
    if (message.role === "assistant") {
      answers.push(message);
      later.push([]);
      results.asked(message.tool_calls);
    } else if (message.role === "tool") results.got(message);
    else later.at(-1)?.push(message);
  }
  return { answers, later, results };
}

function inner(event: TurnEvent): TurnEvent {
  const { turn_id, seq, at } = event;
  return { ...unwrapped(event), turn_id, seq, at };
}

/** Undefined when a part of the thread before the turn was deleted since. */
async function stepsBefore(
  { log, past }: ReplayDeps,
  { turn_id, namespace, thread }: TurnRecord,
): Promise<readonly TranscriptStep[] | undefined> {
  const place = { namespace, thread };
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await log.finished(place, before, 64);
    const found = page.find((each) => each.turn_id === turn_id);
    const last = page.at(-1);
    if (found !== undefined) {
      const { steps, intact } = await past.read(place, found.ordinal);
      return intact ? steps : undefined;
    }
    if (last === undefined) return [];
    before = last.ordinal;
  }
}

function answeredBy(
  turn: TurnRecord,
  events: readonly TurnEvent[],
  answers: readonly AssistantMessage[],
): Answered {
  const started = events.find((event) => event.type === "turn_started");
  const last = events.map(unwrapped).findLast((event) => event.type === "model_message");
  const { started_at = turn.accepted_at, finished_at = started_at } = turn;
  return {
    model: last?.model ?? started?.model ?? "",
    text: turn.answer ?? "",
    calls: answers.flatMap(({ tool_calls }) =>
      tool_calls.map((call) => ({ ...shownCall(call), recorded: true })),
    ),
    rounds: answers.length,
    usage: plusUsage(noUsage, turn),
    duration_ms: finished_at - started_at,
  };
}

function shownCall({ name, arguments: text }: ToolCall): { tool: string; arguments: Json } {
  return { tool: name, arguments: (parsedJson(text) as Json | undefined) ?? text };
}

/** The results of a turn's calls. A call that was made several times gets its results in their order, and then the last one again. */
class RecordedResults {
  readonly #keys = new Map<string, string>();
  readonly #results = new Map<string, ToolMessage[]>();

  asked(calls: readonly ToolCall[]): void {
    for (const call of calls) this.#keys.set(call.id, keyOf(call));
  }

  got(message: ToolMessage): void {
    const key = this.#keys.get(message.call_id) ?? "";
    this.#results.set(key, [...(this.#results.get(key) ?? []), message]);
  }

  /** A reader that begins with the first results. */
  reader(): (call: ToolCall) => ToolMessage | undefined {
    const used = new Map<string, number>();
    return (call) => {
      const key = keyOf(call);
      const all = this.#results.get(key) ?? [];
      const at = used.get(key) ?? 0;
      used.set(key, at + 1);
      return all[Math.min(at, all.length - 1)];
    };
  }
}

function keyOf(call: ToolCall): string {
  const { tool, arguments: given } = shownCall(call);
  return `${tool} ${canonicalJson(given)}`;
}

const notRecorded =
  "Not recorded: this turn is replayed, and when it ran, nobody made this call. Nothing was run. Go on without its result.";

/** The other model at work. */
class RunningReplay {
  readonly #deps: ReplayDeps;
  readonly #model: Model;
  readonly #recorded: Recorded;
  readonly #messages: Message[];
  readonly #later: (readonly Message[])[];
  readonly #resultOf: (call: ToolCall) => ToolMessage | undefined;
  readonly #answered: Answered;

  constructor(deps: ReplayDeps, model: Model, recorded: Recorded, messages: readonly Message[]) {
    this.#deps = deps;
    this.#model = model;
    this.#recorded = recorded;
    this.#messages = [...messages];
    this.#later = [...recorded.later];
    this.#resultOf = recorded.results.reader();
    this.#answered = { model: model.id, text: "", calls: [], rounds: 0, usage: noUsage, duration_ms: 0 };
  }

  async run(signal: AbortSignal): Promise<Answered> {
    const { clock } = this.#deps;
    const from = clock.now();
    const error = await this.#rounds(signal).catch((failed: unknown) => {
      if (failed instanceof ModelError) return { code: failed.code, message: failed.message };
      throw failed;
    });
    return { ...this.#answered, ...(error === undefined ? {} : { error }), duration_ms: clock.now() - from };
  }

  async #rounds(signal: AbortSignal): Promise<Answered["error"]> {
    const { max_rounds } = this.#deps.limits;
    while (this.#answered.rounds < max_rounds) {
      const message = await this.#ask(signal);
      this.#messages.push(message);
      for (const call of message.tool_calls) this.#messages.push(this.#answerTo(call));
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
    const { opening } = this.#recorded.transcript;
    const { effort } = opening.told;
    const request = {
      ...{ system: opening.instructions, tools: opening.tools, messages: this.#messages, signal },
      ...(effort === undefined ? {} : { effort }),
    };
    let finished: Extract<ModelEvent, { type: "finished" }> | undefined;
    for await (const event of this.#model.stream(request)) if (event.type === "finished") finished = event;
    signal.throwIfAborted();
    if (finished === undefined)
      throw new ModelError("bad_response", `The model ${this.#model.id} ended without an answer.`);
    const answered = this.#answered;
    answered.rounds += 1;
    answered.model = finished.model;
    answered.usage = plusUsage(answered.usage, finished.usage);
    this.#deps.meter.usage(finished.model, finished.usage);
    const taken = this.#messages.flatMap((message) => (message.role === "tool" ? message.call_id : []));
    return withUniqueIds(finished.message, new Set(taken), `replay_${answered.rounds}`);
  }

  #answerTo(call: ToolCall): ToolMessage {
    const known = this.#resultOf(call);
    this.#answered.calls.push({ ...shownCall(call), recorded: known !== undefined });
    const { text, is_error } = known ?? { text: notRecorded, is_error: true };
    return { role: "tool", call_id: call.id, tool: call.name, text, is_error };
  }
}

async function withPictures({ picture }: ReplayDeps, message: Message, notes: string[]): Promise<Message> {
  if (message.role !== "user" && message.role !== "tool") return message;
  const kept = await Promise.all(
    (message.kept_images ?? []).map(async (image) => ({ image, data: await picture(image) })),
  );
  for (const { image, data } of kept)
    if (data === undefined) notes.push(`The picture ${image.name} is no longer stored.`);
  const images = kept.flatMap(({ data }) => data ?? []);
  return images.length === 0 ? message : { ...message, images };
}

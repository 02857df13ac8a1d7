import { parsedJson } from "../../../base/json-reader.ts";
import { isOfRun } from "../../../core/log/conversation.ts";
import {
  extendTranscript,
  openTranscript,
  type Transcript,
  type TranscriptStep,
  withoutReasoning,
} from "../../../core/log/transcript.ts";
import { StepReader } from "../../../core/log/transcript-steps.ts";
import { directRun, type TurnEvent, unwrapped } from "../../../core/log/turn-event.ts";
import type { ThreadReading, TurnRecord } from "../../../core/log/turn-log.ts";
import { noUsage, plusUsage, type UsageTotal } from "../../../core/log/usage.ts";
import type { Openings } from "../../../core/scope/turn.ts";
import { viewOf } from "../../../core/transcript/audience.ts";
import { canonicalJson, type Json } from "../../../core/values/json.ts";
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../../../core/values/message.ts";
import type { Place } from "../../../core/values/place.ts";
import type { CountTokens } from "../../../core/values/profile.ts";
import type { PastThreads } from "../past-threads.ts";

/** One of the two answers that a replay compares. `usage` is that of all its model calls; `duration_ms` includes waits for people. */
export interface Answered {
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

/** What the log has of a turn's conversation. */
export interface RecordedTurn {
  transcript: Transcript;
  /** The messages before the model's first answer, as its asker may read them. */
  before: readonly Message[];
  /** What people and the bot added after each round of the model, by round. */
  later: readonly Message[][];
  results: RecordedResults;
  answered: Answered;
}

/** What the log has of a thread's conversation. */
export interface RecordedThread {
  transcript: Transcript;
  results: RecordedResults;
  /** The calls of its models, in order. */
  calls: readonly ToolCall[];
}

/** Reads what the log has of conversations. */
export class Recordings {
  readonly #log: ThreadReading;
  readonly #past: Pick<PastThreads, "read">;
  readonly #openings: Pick<Openings, "get">;
  readonly #countTokens: CountTokens;

  constructor(
    log: ThreadReading,
    past: Pick<PastThreads, "read">,
    openings: Pick<Openings, "get">,
    countTokens: CountTokens,
  ) {
    this.#log = log;
    this.#past = past;
    this.#openings = openings;
    this.#countTokens = countTokens;
  }

  /** The conversation of a finished turn that has its run details, or the sentence that says why there is none. */
  async turn(turn: TurnRecord, events: readonly TurnEvent[]): Promise<RecordedTurn | string> {
    const isDirect = events.some((event) => event.type === "turn_started" && event.direct === true);
    const run = isDirect ? directRun : undefined;
    const own = run === undefined ? events : events.filter((event) => isOfRun(run, event)).map(inner);
    if (!own.some(({ type }) => type === "model_message"))
      return "No model answered it: it was a command, or it ended before.";
    const reader = new StepReader(turn.turn_id, run);
    const past = isDirect ? [] : await this.#stepsBefore(turn);
    const steps = own.flatMap((event) => reader.read(event, event.at));
    const first = steps.findIndex((step) => step.kind === "message" && step.message.role === "assistant");
    const transcript = await this.#grown([...(past ?? []), ...steps.slice(0, first)]);
    if (past === undefined || transcript === undefined)
      return "The conversation before it is no longer stored as it was then.";
    const before = viewOf(transcript.messages, turn.author.id).map(withoutReasoning);
    const { answers, ...rest } = readRounds(steps.slice(first));
    return { transcript, before, ...rest, answered: answeredBy(turn, events, answers) };
  }

  /**
   * The conversation of a thread since its transcript last opened, up to and including a turn that may still run, as this person may read it.
   * Undefined if it has none, or if a part of it was deleted since.
   */
  async thread(
    turn: Place & { turn_id: string },
    events: readonly TurnEvent[],
    person: string,
  ): Promise<RecordedThread | undefined> {
    const reader = new StepReader(turn.turn_id);
    const { steps, intact } = await this.#past.read(
      turn,
      (await this.#ordinalOf(turn)) ?? Number.MAX_SAFE_INTEGER,
    );
    const all = [...steps, ...events.flatMap((event) => reader.read(event, event.at))];
    const opened = all.findLastIndex(({ kind }) => kind === "open");
    const transcript = intact ? await this.#grown(all.slice(Math.max(0, opened))) : undefined;
    if (transcript === undefined) return undefined;
    const results = new RecordedResults();
    const calls: ToolCall[] = [];
    for (const message of viewOf(transcript.messages, person)) {
      if (message.role === "assistant") {
        results.asked(message.tool_calls);
        calls.push(...message.tool_calls);
      } else if (message.role === "tool") results.got(message);
    }
    return { transcript, results, calls };
  }

  /** The transcript after these steps; undefined without an opening. */
  async #grown(steps: readonly TranscriptStep[]): Promise<Transcript | undefined> {
    let transcript: Transcript | undefined;
    for (const step of steps) {
      if (step.kind === "open") {
        const opening = await this.#openings.get(step.with.opening);
        transcript =
          opening === undefined ? undefined : openTranscript(opening, step.with, this.#countTokens);
      } else if (transcript !== undefined) extendTranscript(transcript, step);
    }
    return transcript;
  }

  /** Undefined when a part of the thread before the turn was deleted since. */
  async #stepsBefore(turn: Place & { turn_id: string }): Promise<readonly TranscriptStep[] | undefined> {
    const ordinal = await this.#ordinalOf(turn);
    if (ordinal === undefined) return [];
    const { steps, intact } = await this.#past.read(turn, ordinal);
    return intact ? steps : undefined;
  }

  /** The place of a finished turn in its thread. */
  async #ordinalOf({ turn_id, namespace, thread }: Place & { turn_id: string }): Promise<number | undefined> {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const page = await this.#log.finished({ namespace, thread }, before, 64);
      const found = page.find((each) => each.turn_id === turn_id);
      const last = page.at(-1);
      if (found !== undefined || last === undefined) return found?.ordinal;
      before = last.ordinal;
    }
  }
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

export function shownCall({ name, arguments: text }: ToolCall): { tool: string; arguments: Json } {
  return { tool: name, arguments: (parsedJson(text) as Json | undefined) ?? text };
}

/** The results of calls. A call that was made several times gets its results in their order, and then the last one again. */
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

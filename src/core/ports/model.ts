import type { TurnEventBody, TurnOutcome } from "../log/turn-event.ts";
import type { ClaimedTurn } from "../log/turn-log.ts";
import type { Usage } from "../log/usage.ts";
import { ExpectedFailure } from "../values/failure.ts";
import type { Inbound } from "../values/inbound.ts";
import type { JsonSchema } from "../values/json.ts";
import type { AssistantMessage, CutAnswer, Effort, Message, ToolDefinition } from "../values/message.ts";

/**
 * A transcript as sent to a model. Between two requests of one transcript, `messages` only grows at the end. An adapter converts a message
 * the same way every time, so that the text a provider has seen stays an exact prefix. A system message stays at the point where it was
 * added; an adapter may delay it until just before the next assistant message, or the end.
 */
export interface ModelRequest {
  /** The instructions that the transcript opened with. */
  system: string;
  messages: readonly Message[];
  /** The tools that the transcript opened with; system messages add and remove others. */
  tools: readonly ToolDefinition[];
  /** When given, the answer must be one JSON value of this schema and no tool call. */
  output_schema?: JsonSchema;
  /** The answer must be text: the tools stay in the request, but none may be called. */
  no_calls?: true | undefined;
  /** The effort that the transcript opened with; the provider's default unless given. */
  effort?: Effort | undefined;
  /** Maximum tokens of the answer, including reasoning; never more than the model's own limit. */
  max_output_tokens?: number | undefined;
  /**
   * The caller frees its worker while the model is unavailable and asks again later. It therefore gets the error after the second attempt
   * at the latest.
   */
  can_wait?: true | undefined;
  /** What the provider's cache should keep. Absent for a request that is sent once: keeping it would cost more and save nothing. */
  cache?: CacheWish | undefined;
  /**
   * Nothing is to be answered: the cache is to keep the conversation up to its last answer for an hour. `finished` then has no text. Where
   * that is not possible, the request fails with `invalid_request` and is not sent.
   */
  keep_only?: true;
  signal: AbortSignal;
}

/**
 * How long a provider's cache keeps a part of a request after its last use: its usual minutes, or an hour. Providers without this choice
 * ignore it.
 */
export type CacheLifetime = "short" | "hour";

/** When a part that many requests share was sent, as far as it matters for how long it should be kept. */
export interface PartUses {
  /** Ms since the epoch. */
  last: number;
  /** The latest pauses after which the short lifetime was over, oldest first, ms. */
  pauses: readonly number[];
}

/** Lifetimes of Anthropic's cache, ms. Each use renews them. */
const shortMs = 5 * 60_000;
const hourMs = 60 * 60_000;

/** Maximum pauses that are remembered of a part. */
const maxPauses = 20;

/** What it costs more to write for an hour, by what it saves not to write again; in prices of fresh input: (2 - 1.25) / (1.25 - 0.05). */
const savedPerWrite = 0.63;

/** The uses of a part after one more. */
export function usedAgain(before: PartUses | undefined, at: number): PartUses {
  const { last = at, pauses = [] } = before ?? {};
  const pause = at - last;
  return {
    last: Math.max(last, at),
    pauses: pause > shortMs ? [...pauses, pause].slice(-maxPauses) : pauses,
  };
}

/**
 * How long a part should be kept after uses like these: short at first, and for an hour once pauses of 5 to 60 minutes are so frequent that
 * the writes they save pay for it.
 */
export function lifetimeAfter({ pauses }: PartUses): CacheLifetime {
  const saved = pauses.filter((pause) => pause <= hourMs).length;
  const writes = 1 + pauses.length - saved;
  return saved > savedPerWrite * writes ? "hour" : "short";
}

/** What the cache should keep of the requests of a transcript. Changes no text that the model gets. */
export interface CacheWish {
  /** The same for all requests of one channel, at most 64 characters. Providers that route by it get more cache hits. */
  key: string;
  tools: CacheLifetime;
  /** At most the lifetime of the tools, which come before them. */
  instructions: CacheLifetime;
}

/**
 * The events of an answer. `finished` comes last, and it alone contains the answer. The others are shown to waiting people and not kept.
 */
export type ModelEvent =
  | { type: "text"; text: string }
  /** Part of the model's account of its work: a summary of its reasoning, the reasoning itself, or a note. Never part of the answer. */
  | { type: "thought"; text: string }
  /** The answer is delayed: the reason, for people, and the time of the next attempt (ms since the epoch), if known. */
  | { type: "delayed"; text: string; until?: number | undefined }
  /**
   * Tools of the request that are not sent because the provider refuses them in every form, with the provider's reasons. Precedes all of
   * the answer; a caller that wants to inform the model first sends a new request.
   */
  | {
      type: "left_out";
      model: string;
      tools: readonly LeftOutTool[];
      /** Whether the model takes no tools at all. */
      all?: true | undefined;
    }
  /** Discards the text so far: an interrupted stream is retried, or another model takes over. */
  | { type: "reset" }
  /** The usage of an answer that is of no use. Another attempt follows, or the error. */
  | { type: "spent"; usage: Usage; model: string }
  | {
      type: "finished";
      message: AssistantMessage;
      usage: Usage;
      model: string;
      cut?: CutAnswer | undefined;
    };

/** A tool that a provider refuses, with the provider's reason. */
interface LeftOutTool {
  name: string;
  why: string;
}

/** Why a model gave no answer. A `ModelError` reaches the loop only after retries and failover. */
export type ModelErrorCode =
  | "rate_limited"
  | "overloaded"
  | "unavailable"
  | "unauthorized"
  /** Refused for a reason that no code tells: the request, the model or the account. */
  | "invalid_request"
  | "context_too_long"
  /** The model or a filter of its provider declined to answer. */
  | "declined"
  /** The answer reached its limit before it said anything. */
  | "cut_off"
  | "bad_response"
  | "not_configured";

export class ModelError extends ExpectedFailure<ModelErrorCode> {
  /** How long the server asked to wait, ms. */
  readonly retryAfterMs: number | undefined;
  /** The response in place of an answer, for people: `an error page of a proxy: HTTP 502, text/html`. Names no server. */
  readonly seen: string | undefined;
  constructor(
    code: ModelErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined; seen?: string | undefined } = {},
  ) {
    super(code, message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.seen = options.seen;
  }
}

/**
 * Possible remedies for a failure. `again`: retry in a moment. `later`: also retry in minutes or hours, because it is an outage. `another`:
 * ask another model.
 */
type Remedy = "again" | "later" | "another";

/**
 * The only definition of which failures are temporary. A request that is too long or declined is so for every model; one that was refused
 * without a code that says why goes to one other model, since the account may be the reason. A JSON response comes
 * from the server itself, so one that is not a valid answer (`bad_response`) is an error of the model or a wrong address, and waiting does
 * not help. Adapters report responses that are not JSON as `unavailable`.
 */
const remedies: Readonly<Record<ModelErrorCode, readonly Remedy[]>> = {
  rate_limited: ["again", "later", "another"],
  overloaded: ["again", "later", "another"],
  unavailable: ["again", "later", "another"],
  bad_response: ["again", "another"],
  unauthorized: ["another"],
  not_configured: ["another"],
  invalid_request: ["another"],
  context_too_long: [],
  declined: [],
  cut_off: [],
};

/** Whether a remedy may help against an error. False for errors that are not failures of a model. */
export function mayHelp(remedy: Remedy, error: unknown): error is ModelError {
  return error instanceof ModelError && remedies[error.code].includes(remedy);
}

/** The message for a person whose turn failed. The error itself names servers and is only for operators. */
export const modelErrorWords: Record<ModelErrorCode, string> = {
  rate_limited:
    "The language model is not accepting more requests at the moment. Try again in a few minutes.",
  overloaded: "The language model is overloaded. Try again in a few minutes.",
  unavailable:
    "The language model did not answer. Try again in a moment; if this continues, tell an operator of the bot.",
  unauthorized:
    "The language model rejected the API key or the account. An operator of the bot has to check it; then try again.",
  invalid_request:
    "The language model rejected this request. Try other words or a new thread; if this continues, tell an operator of the bot.",
  context_too_long:
    "This conversation is too long for the language model. Start a new thread, or send less text.",
  declined: "The language model or its provider declined to answer this. Ask in other words.",
  cut_off: "The model reached its limit of tokens before it said anything.",
  bad_response:
    "The language model sent an unusable answer. Try again; if this continues, tell an operator of the bot.",
  not_configured:
    "The language model is not set up correctly. An operator of the bot has to check the model and its API key; then try again.",
};

/** One request to one model: its duration in ms and its outcome. `stopped`: the turn was stopped before there was an answer. */
export interface ModelCall {
  provider: string;
  model: string;
  duration_ms: number;
  outcome: "ok" | "stopped" | ModelErrorCode;
}

/**
 * The model that people get for a name: its full name, `provider/model`, or the reason why it is not available. `note` is additional
 * information for them.
 */
export type ModelChoice =
  | { ok: true; name: string; note?: string | undefined }
  | { ok: false; message: string };

/** The available models. */
export interface Models {
  /** The configured model, used where nobody chose another one. */
  readonly main: Model;
  /** Proposals for people who choose: `provider/model`, the configured ones first, with prices if known. */
  proposals(): readonly { name: string; description: string }[];
  /**
   * The model with a name, `provider/model`. A model that is not configured fails when it is asked. `alone`: no other model takes over, so
   * that the request reaches no other provider.
   */
  named(name: string, how?: { alone: true }): Model;
  /** The model for auxiliary work in turns of the given model: a cheaper one, if there is one, with the given one as fallback. */
  small(beside: Model): Model;
  /** Resolves a name that people choose for a channel. */
  choose(name: string): ModelChoice;
}

/** A language model, or several of them with retry and failover. */
export interface Model {
  /** `provider/model`, or `offline`. */
  readonly id: string;
  /** False for the offline provider, which knows exact forms only: it cannot write text, summaries or structured output. */
  readonly generative: boolean;
  /** Maximum tokens of a request including the answer; for a failover list the smallest window above 32,000. Absent if unknown. */
  readonly window?: number | undefined;
  /** How long the provider keeps a prompt in its cache after the last use, ms. Absent if unknown. */
  readonly cache_ms?: number | undefined;
  /** Whether it takes requests that are `keep_only`; absent means no. */
  readonly keeps?: boolean | undefined;
  /**
   * Streams one answer. A model without streaming yields only `finished`.
   * @throws ModelError; on abort, the signal's reason
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Measurements of a turn, without any text. Times are in milliseconds. */
export interface TurnMeasure {
  turn_id: string;
  namespace: string;
  thread: string;
  kind: Inbound["kind"];
  /** Id of the person who asked. */
  user: string;
  agent?: string | undefined;
  model?: string | undefined;
  /** `merged`: the message was taken into the running turn of its author. */
  outcome: TurnOutcome | "merged";
  /** The code of the turn's last error. */
  error?: string | undefined;
  /** From the message to the first time a worker took it. */
  queued_ms: number;
  /** From the message to the end, including waits for people. */
  duration_ms: number;
  /** How often a worker resumed the turn, after a wait or an interruption. */
  resumed: number;
  rounds: number;
  tool_calls: number;
  tool_errors: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  /** Absent when no model of the turn has a price. */
  cost_usd?: number | undefined;
}

/** Counts and measures events for monitoring. No method throws, waits, or gets texts of people. */
export interface Meter {
  /** A turn ended, or was taken into another one. */
  turn(measure: TurnMeasure): void;
  /** A round of a turn began. */
  round(): void;
  /** A call ended. `outcome` is `ok` or the code of its error; `skill_id` is empty for the agent's own tools. */
  tool(call: { skill_id: string; outcome: string; duration_ms: number }): void;
  /** A request to a model ended; each attempt and each model of a failover list counts. */
  modelCall(call: ModelCall): void;
  /** Usage of one answer. `model` is `provider/model`. */
  usage(model: string, usage: Usage): void;
  /** A platform request failed. */
  platformError(platform: string, code: string): void;
}

/** Counts nothing: for commands run next to a bot, and for tests. */
export const noMeter: Meter = {
  turn() {},
  round() {},
  tool() {},
  modelCall() {},
  usage() {},
  platformError() {},
};

/**
 * Follows a turn for traces. The returned function gets each event of this worker after it was recorded, and its time, ms since the
 * epoch. Neither function throws, waits, or passes on texts of people.
 */
export type TurnTracer = (turn: ClaimedTurn) => (event: TurnEventBody, at: number) => void;

/** Traces nothing. */
export const noTracer: TurnTracer = () => () => {};

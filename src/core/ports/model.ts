import type { TurnOutcome, Usage } from "../log/turn-event.ts";
import { ExpectedFailure } from "../values/failure.ts";
import type { Inbound } from "../values/inbound.ts";
import type { JsonSchema } from "../values/json.ts";
import type { AssistantMessage, Effort, Message, ToolDefinition } from "../values/message.ts";

/**
 * A transcript as a model is sent it. Between two requests of one transcript only the end of `messages` grows: an adapter
 * converts a message the same way every time, so that what a provider has seen stays its exact prefix. A system message
 * stands where it was said; an adapter may hold it back until just before the next assistant message, or the end.
 */
export interface ModelRequest {
  /** The instructions the transcript opened with. */
  system: string;
  messages: readonly Message[];
  /** The tools the transcript opened with; system messages add and remove others. */
  tools: readonly ToolDefinition[];
  /** When given, the answer must be one JSON value of this schema and no tool call. */
  output_schema?: JsonSchema;
  /** The answer must be text: the tools stay in the request, and none may be called. */
  no_calls?: true;
  /** The effort the transcript opened with; the provider's own unless given. */
  effort?: Effort | undefined;
  /** Whoever asks frees its worker when the model is away, and asks again later: it is told so after the second attempt at the latest. */
  can_wait?: true;
  /** The same for all requests of one thread, at most 64 characters: where providers route by it, caches hit more often. */
  cache_key?: string | undefined;
  signal: AbortSignal;
}

/**
 * What an answer arrives as. `finished` is last, and alone decides what the answer is. The others are for who waits for it:
 * people see them and nothing of them is kept.
 */
export type ModelEvent =
  | { type: "text"; text: string }
  /** A piece of what the model says about its work: a summary of its reasoning, the reasoning itself, or a note. Never part of the answer. */
  | { type: "thought"; text: string }
  /** Nothing comes for a while: what is wrong, for people, and when the next attempt is made (ms since the epoch), if that is known. */
  | { type: "delayed"; text: string; until?: number | undefined }
  /**
   * Tools of the request that are not sent, because the provider refuses them whatever shape they are given, and its words. Comes before
   * anything of the answer; whoever wants to tell the model first asks again.
   */
  | { type: "left_out"; model: string; tools: readonly LeftOutTool[] }
  /** The text so far is void: a cut stream is retried, or another model takes over. */
  | { type: "reset" }
  | { type: "finished"; message: AssistantMessage; usage: Usage; model: string };

/** A tool that a provider refuses, and why, in its words. */
interface LeftOutTool {
  name: string;
  why: string;
}

/** Why a model gave no answer. Retries and failover have been tried before a `ModelError` reaches the loop. */
export type ModelErrorCode =
  | "rate_limited"
  | "overloaded"
  | "unavailable"
  | "unauthorized"
  | "invalid_request"
  | "context_too_long"
  | "bad_response"
  | "not_configured";

export class ModelError extends ExpectedFailure<ModelErrorCode> {
  /** How long the server asked to wait, ms. */
  readonly retryAfterMs: number | undefined;
  /** What came in place of an answer, for people: `an error page of a proxy: HTTP 502, text/html`. Names no server. */
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
 * What may help after a failure. `again`: asking once more in a moment. `later`: also asking in minutes or hours, because it is an outage,
 * which passes by itself. `another`: asking another model.
 */
export type Remedy = "again" | "later" | "another";

/**
 * The only place that says which failures pass. A request that is wrong or too long is wrong for every model. What the server answers in
 * JSON comes from the server itself, so an answer that is none (`bad_response`) is a slip of the model or a wrong address: it is not waited
 * for. What is no JSON at all adapters report as `unavailable`.
 */
const remedies: Readonly<Record<ModelErrorCode, readonly Remedy[]>> = {
  rate_limited: ["again", "later", "another"],
  overloaded: ["again", "later", "another"],
  unavailable: ["again", "later", "another"],
  bad_response: ["again", "another"],
  unauthorized: ["another"],
  not_configured: ["another"],
  invalid_request: [],
  context_too_long: [],
};

/** Whether a failure of a model may be helped so. False for all that is no failure of a model. */
export function mayHelp(remedy: Remedy, error: unknown): error is ModelError {
  return error instanceof ModelError && remedies[error.code].includes(remedy);
}

/** What a person is told whose turn ended so; the error itself names servers and is for operators. */
export const modelErrorWords: Record<ModelErrorCode, string> = {
  rate_limited: "The language model takes no more requests for now. Try again in a few minutes.",
  overloaded: "The language model is overloaded. Try again in a few minutes.",
  unavailable:
    "The language model did not answer. Try again in a moment; if it stays so, tell whoever runs me.",
  unauthorized:
    "The language model refused the API key or the account. Whoever runs me has to check it; then try again.",
  invalid_request:
    "The language model did not take this request. Try again in other words or in a new thread; if it stays so, tell whoever runs me.",
  context_too_long:
    "This conversation is too long for the language model. Start a new thread, or send less text.",
  bad_response:
    "The language model sent an answer that cannot be used. Try again; if it stays so, tell whoever runs me.",
  not_configured:
    "The language model is not set up correctly. Whoever runs me has to check the model and its API key; then try again.",
};

/** One request to one model: how long it took, ms, and how it ended. `stopped`: the turn was, before there was an answer. */
export interface ModelCall {
  provider: string;
  model: string;
  duration_ms: number;
  outcome: "ok" | "stopped" | ModelErrorCode;
}

/** Which model people get who name one: its whole name, `provider/model`, or why they cannot have it. `note` is what they should know. */
export type ModelChoice =
  | { ok: true; name: string; note?: string | undefined }
  | { ok: false; message: string };

/** The models that work can be given to. */
export interface Models {
  /** The configured one: for all turns where nobody chose another. */
  readonly main: Model;
  /** What can be proposed to people who choose: `provider/model`, the configured ones first, with what each costs where it is known. */
  proposals(): readonly { name: string; description: string }[];
  /** The model of a name, `provider/model`. One that is not configured fails when it is asked. */
  named(name: string): Model;
  /** For inner work of turns that this model has: a cheaper one, if there is one, with this one behind it. */
  small(beside: Model): Model;
  /** What people choose for a channel. */
  choose(name: string): ModelChoice;
}

/** A language model, or a list of them behind retry and failover. */
export interface Model {
  /** `provider/model`, or `offline`. */
  readonly id: string;
  /** False for the rule-based offline provider: it cannot write text, summaries or structured output. */
  readonly generative: boolean;
  /** Tokens a request may have, answer included; of a failover list the least above 32,000. Absent when unknown. */
  readonly window?: number | undefined;
  /** How long the provider keeps a prompt in its cache after the last use, ms. Absent when unknown. */
  readonly cache_ms?: number | undefined;
  /**
   * Streams one answer. A model without streaming yields only `finished`.
   * @throws ModelError; on abort, the signal's reason.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** What a turn took, without a word of what was said. Times are milliseconds. */
export interface TurnMeasure {
  turn_id: string;
  namespace: string;
  thread: string;
  kind: Inbound["kind"];
  /** Who asked: their id. */
  user: string;
  agent?: string | undefined;
  model?: string | undefined;
  /** `merged`: the message was taken into the running turn of its author. */
  outcome: TurnOutcome | "merged";
  /** The code of the turn's last error. */
  error?: string | undefined;
  /** From the message to the first time a worker took it. */
  queued_ms: number;
  /** From the message to the end, waits for people included. */
  duration_ms: number;
  /** How often a worker took the turn up again, after a wait or an interruption. */
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

/** Counts and times what happens, for whoever watches many bots. Nothing here throws, waits, or gets texts of people. */
export interface Meter {
  /** A turn ended, or was taken into another one. */
  turn(measure: TurnMeasure): void;
  /** A round of a turn began. */
  round(): void;
  /** A call ended. `outcome` is `ok` or the code of its error; `skill_id` is empty for the agent's own tools. */
  tool(call: { skill_id: string; outcome: string; duration_ms: number }): void;
  /** A request was sent to a model and ended; each attempt and each model of a failover list counts. */
  modelCall(call: ModelCall): void;
  /** What one answer of a model took. `model` is `provider/model`. */
  usage(model: string, usage: Usage): void;
  /** A platform did not do what it was asked. */
  platformError(platform: string, code: string): void;
}

/** Counts nothing: for commands beside a bot, and tests. */
export const noMeter: Meter = {
  turn() {},
  round() {},
  tool() {},
  modelCall() {},
  usage() {},
  platformError() {},
};

import type { JsonSchema } from "./json.ts";
import type { AssistantMessage, Message } from "./message.ts";
import type { Usage } from "./turn-event.ts";

/** A tool as a model sees it. `name` satisfies `^[a-zA-Z0-9_-]{1,64}$`. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonSchema;
}

export interface ModelRequest {
  system: string;
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  /** When given, the answer must be one JSON value of this schema and no tool call. */
  output_schema?: JsonSchema;
  signal: AbortSignal;
}

/** `reset`: the text so far is void (a cut stream is retried, or another model takes over). `finished` is last. */
export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "reset" }
  | { type: "finished"; message: AssistantMessage; usage: Usage; model: string };

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

export class ModelError extends Error {
  readonly code: ModelErrorCode;
  /** How long the server asked to wait, ms. */
  readonly retryAfterMs: number | undefined;
  constructor(
    code: ModelErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A language model, or a list of them behind retry and failover. */
export interface Model {
  /** `provider/model`, or `offline`. */
  readonly id: string;
  /** False for the rule-based offline provider: it cannot write text, summaries or structured output. */
  readonly generative: boolean;
  /**
   * Streams one answer. A model without streaming yields only `finished`.
   * @throws ModelError; on abort, the signal's reason.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

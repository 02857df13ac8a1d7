import type { Json } from "../../../src/core/values/json.ts";
import type { PrefixCache } from "./prefix-cache.ts";
import type { ScriptedReply, Vendor, ViewedRequest } from "./view.ts";
import type { Wire } from "./wire.ts";

/** A request as it came over HTTP. */
export interface Incoming {
  path: string;
  headers: Record<string, string>;
  body: Wire;
  /** The API key; empty if there is none. */
  key: string;
}

/** A reason to answer 400, in the vendor's words. */
export interface Refusal {
  /** Our name of the rule, for tests. */
  rule: string;
  message: string;
  /** Where, as OpenAI reports it. */
  param?: string | undefined;
  /** OpenAI's error code. */
  code?: string | undefined;
  /** 400 unless given. */
  status?: number | undefined;
}

/** Reasoning in a request that the model is not shown. */
export interface DroppedReasoning {
  path: string;
  /** `model`: of another model, which is no loss. The others are. */
  reason: "model" | "account" | "prefix" | "changed";
}

/** Tokens of one request. The input is the sum of `fresh`, `cache_read`, `cache_write` and `cache_write_long`. */
export interface ExchangeUsage {
  fresh: number;
  cache_read: number;
  cache_write: number;
  /** Written for an hour (Anthropic) or for 12 hours (OpenAI). */
  cache_write_long: number;
  /** Reasoning included. */
  output: number;
  reasoning: number;
}

export type PromptUsage = Omit<ExchangeUsage, "output" | "reasoning">;

/** An answer in the vendor's shape: whole, or as the lines of an event stream. */
export interface Spoken {
  json: Json;
  events: string[];
  output: number;
  reasoning: number;
  /** The answer carries its reasoning, to be sent back. */
  carries_reasoning: boolean;
}

/** A vendor's result for a request. */
export interface Judged {
  model: string;
  stream: boolean;
  refused: Refusal[];
  dropped: DroppedReasoning[];
  view: ViewedRequest;
  /** Counts the prompt and writes it to the cache. Called once, when the request is going to be answered. */
  count(): PromptUsage;
  /** Puts the reply into the vendor's shape. */
  speak(reply: ScriptedReply, prompt: PromptUsage): Spoken;
}

/** One of the protocols. */
export interface VendorApi {
  vendor: Vendor;
  judge(incoming: Incoming, world: World): Judged;
  /** An error in the vendor's shape. */
  error(status: number, refusal: Refusal, incoming: Incoming): Json;
}

/** State shared by all requests of one stand-in. */
export interface World {
  /** Milliseconds. */
  now(): number;
  /** A new number each time, for ids. */
  next(): number;
  cache: PrefixCache;
  /** Tokens of reasoning of an answer whose script does not say. */
  reasoning_tokens: number;
  /** Context windows other than the real ones, tokens by model. */
  context: Readonly<Record<string, number>>;
  /** The test switched this feature off for the model. */
  refuses(model: string, feature: Feature): boolean;
}

/** Refusals that a test can request, beyond the rules of a model. */
export type Feature =
  | "system_in_place"
  | "inline_tools"
  | "defer_loading"
  | "effort_in_place"
  | "block_binding"
  | "thinking_display"
  | "cache_1h"
  | "json_schema"
  | "images"
  | "tool_choice"
  | "additional_tools"
  | "tool_search"
  | "configuration_update"
  | "reasoning_context"
  | "encrypted_reasoning"
  | "prompt_cache_options"
  | "prompt_cache_key"
  | "developer_role"
  | "parallel_tool_calls"
  | "stream_usage";

/** Refusals of the features that a request uses and the test switched off. */
export function refusedFeatures(
  used: Iterable<readonly [Feature, string]>,
  model: string,
  world: World,
): Refusal[] {
  const refusals: Refusal[] = [];
  for (const [feature, param] of used) {
    if (!world.refuses(model, feature)) continue;
    const message = `Unsupported parameter: '${param}' is not supported with this model.`;
    refusals.push({ rule: feature, message, param, code: "unsupported_parameter" });
  }
  return refusals;
}

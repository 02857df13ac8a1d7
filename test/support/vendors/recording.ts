import type { DroppedReasoning, ExchangeUsage, Incoming, Refusal } from "./exchange.ts";
import type { ScriptedReply, Vendor, ViewedRequest } from "./view.ts";

/** `broken`: the script was at fault, e.g. it called a tool that is not available. */
type Outcome = "answered" | "refused" | "faulted" | "broken";

/** One request and its result. */
export interface RecordedRequest extends Incoming {
  vendor: Vendor;
  model: string;
  stream: boolean;
  /** When it came, ms. */
  at: number;
  /** HTTP status of the answer. */
  status: number;
  outcome: Outcome;
  /** All rules it broke; the first was told. */
  refused: Refusal[];
  dropped: DroppedReasoning[];
  /** Dropped reasoning that the model could have read, had its prefix and account been the same. */
  reasoning_lost: number;
  /** Answers of this model, given with reasoning, that came back without it. */
  reasoning_omitted: number;
  view: ViewedRequest;
  reply?: ScriptedReply | undefined;
  /** Absent when it was not answered. */
  usage?: ExchangeUsage | undefined;
}

/** Tokens of the whole prompt. */
export function inputTokens({ fresh, cache_read, cache_write, cache_write_long }: ExchangeUsage): number {
  return fresh + cache_read + cache_write + cache_write_long;
}

/** The part of all prompts that was read from the cache, 0 to 1. */
export function cachedShare(requests: readonly RecordedRequest[]): number {
  const usages = requests.flatMap(({ usage }) => usage ?? []);
  const input = usages.reduce((sum, usage) => sum + inputTokens(usage), 0);
  const read = usages.reduce((sum, usage) => sum + usage.cache_read, 0);
  return input === 0 ? 0 : read / input;
}

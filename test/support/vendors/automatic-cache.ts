import type { Json } from "../../../src/core/values/json.ts";
import type { PromptUsage, World } from "./exchange.ts";
import { hash, tokensOf } from "./wire.ts";

/** How a vendor without marks caches. */
export interface AutomaticCache {
  /** Shorter prompts are not cached, tokens. */
  minimum: number;
  /** Cached tokens are a multiple of this. */
  step: number;
  ttl_ms: number;
  /** Writing is reported and paid for. */
  writes: "free" | "paid" | "paid_long";
}

/**
 * Counts a prompt of parts in their order and remembers it. The longest run of whole parts that an earlier prompt began with
 * is read from the cache. All keys of a model share one cache.
 */
export function countAutomatic(
  root: string,
  parts: readonly { value: Json; tokens?: number }[],
  cache: AutomaticCache,
  world: World,
): PromptUsage {
  const now = world.now();
  let prefix = hash("automatic", root);
  let total = 0;
  let hit = 0;
  const seen: string[] = [];
  for (const { value, tokens } of parts) {
    prefix = hash(prefix, JSON.stringify(value));
    total += tokens ?? tokensOf(value);
    seen.push(prefix);
    if (world.cache.has(prefix, now)) hit = total;
  }
  const steps = (tokens: number) => (tokens < cache.minimum ? 0 : tokens - (tokens % cache.step));
  for (const one of seen) world.cache.keep(one, now, cache.ttl_ms);
  const cache_read = steps(hit);
  const written = cache.writes === "free" ? 0 : steps(total) - cache_read;
  const long = cache.writes === "paid_long" ? written : 0;
  return {
    fresh: total - cache_read - written,
    cache_read,
    cache_write: written - long,
    cache_write_long: long,
  };
}

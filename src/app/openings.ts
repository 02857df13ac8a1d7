import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { KeyValue } from "../core/key-value.ts";
import type { Opening } from "../core/transcript.ts";
import type { Openings } from "../core/turn.ts";
import { saysAny } from "./forget-person/says.ts";

/** Openings kept in memory: about one for each channel that is being used. */
const remembered = 200;

const openingSchema: z.ZodType<Opening> = z.object({
  instructions: z.string(),
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.json()) }),
  ),
  told: z.object({
    agent: z.string(),
    place: z.string(),
    skills: z.record(z.string(), z.string()),
    unlisted: z.array(z.string()),
    open: z.array(z.string()),
    active: z.record(z.string(), z.string()),
    facts: z.array(z.string()),
    agents: z.record(z.string(), z.string()),
    effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
  }),
}) as z.ZodType<Opening>;

/** Openings that can be taken away: a transcript that begins with one that is gone does not go on. */
export interface StoredOpenings extends Openings {
  /** Removes the openings that say any of these texts, or only counts them. Answers their names. */
  removeSaying(texts: readonly string[], options?: { dryRun?: boolean }): Promise<string[]>;
}

/** Keeps openings in the store, each under the sha256 of its text, so that all threads that begin alike share one. */
export function createOpenings(store: KeyValue): StoredOpenings {
  const known = new LRUCache<string, Opening>({ max: remembered });
  const names = new WeakMap<Opening, string>();
  const keyOf = (name: string) => `opening:${name}`;
  return {
    async removeSaying(texts, { dryRun = false } = {}) {
      const gone: string[] = [];
      for await (const key of texts.length === 0 ? [] : store.keys(keyOf(""))) {
        if (!saysAny(await store.get(key), texts)) continue;
        const name = key.slice(keyOf("").length);
        gone.push(name);
        if (dryRun) continue;
        known.delete(name);
        await store.delete(key);
      }
      return gone;
    },
    async put(opening) {
      const given = names.get(opening);
      if (given !== undefined && known.has(given)) return given;
      const text = JSON.stringify(opening);
      const name = createHash("sha256").update(text).digest("hex");
      names.set(opening, name);
      if (!known.has(name)) {
        await store.set(keyOf(name), JSON.parse(text));
        known.set(name, opening);
      }
      return name;
    },
    async get(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const stored = openingSchema.safeParse(await store.get(keyOf(name)));
      if (!stored.success) return undefined;
      known.set(name, stored.data);
      return stored.data;
    },
  };
}

import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Opening } from "../../core/log/transcript.ts";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import type { Openings } from "../../core/scope/turn.ts";
import { toJson } from "../../core/values/json.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";

/** Maximum openings kept in memory: about one for each active channel. */
const maxInMemory = 200;

const openingSchema: z.ZodType<Opening> = z.object({
  instructions: z.string(),
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), jsonSchema) }),
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

/** Removes stored openings. A transcript whose opening is gone is not continued. */
export interface StoredOpenings extends Openings {
  /** Removes the openings whose JSON matches, or only finds them. Returns their names. */
  removeNaming(named: RegExp, options?: { dryRun?: boolean }): Promise<string[]>;
}

const prefix = "opening:";
const dayPrefix = "opening_day:";

/**
 * Keeps openings in the store, each under the sha256 of its text, so that all threads with the same opening share it. The last day
 * (UTC) on which it was used is stored with it.
 */
export function createOpenings(store: KeyValue, clock: Pick<Clock, "now">): StoredOpenings {
  const known = new LRUCache<string, Opening>({ max: maxInMemory });
  const names = new WeakMap<Opening, string>();
  /** The day on which it was last used, if it is stored: another process may have deleted it, whatever is in memory. */
  const dayOfUse = (name: string) => store.get(dayPrefix + name);
  const keep = async (name: string, opening: Opening) => {
    known.set(name, opening);
    const day = dayOf(clock.now());
    if ((await dayOfUse(name)) === day) return;
    await store.set(prefix + name, toJson(opening));
    await store.set(dayPrefix + name, day);
  };
  return {
    async removeNaming(named, { dryRun = false } = {}) {
      const gone: string[] = [];
      for await (const key of store.keys(prefix)) {
        if (!named.test(JSON.stringify(await store.get(key)))) continue;
        const name = key.slice(prefix.length);
        gone.push(name);
        if (dryRun) continue;
        known.delete(name);
        await store.delete(dayPrefix + name);
        await store.delete(key);
      }
      return gone;
    },
    async put(opening) {
      const name = names.get(opening) ?? createHash("sha256").update(JSON.stringify(opening)).digest("hex");
      names.set(opening, name);
      const shared = known.get(name) ?? opening;
      await keep(name, shared);
      return [name, shared];
    },
    async get(name) {
      const before = (await dayOfUse(name)) === undefined ? undefined : known.get(name);
      const stored = before ?? openingSchema.safeParse(await store.get(prefix + name)).data;
      if (stored !== undefined) await keep(name, stored);
      return stored;
    },
  };
}

/**
 * Deletes the openings that were last used on a day (UTC) that ended before `time` (ms), or only counts them. An
 * opening without a day, which a crash can leave, gets the day of `now`.
 */
export async function removeOldOpenings(
  store: KeyValue,
  { time, now, dryRun }: { time: number; now: number; dryRun: boolean },
): Promise<number> {
  let count = 0;
  for await (const key of store.keys(prefix)) {
    const dayKey = dayPrefix + key.slice(prefix.length);
    const day = await store.get(dayKey);
    if (typeof day !== "string") {
      if (!dryRun) await store.set(dayKey, dayOf(now));
    } else if (day < dayOf(time)) {
      count += 1;
      if (dryRun) continue;
      // In this order, a crash can leave only an opening without a day.
      await store.delete(dayKey);
      await store.delete(key);
    }
  }
  return count;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

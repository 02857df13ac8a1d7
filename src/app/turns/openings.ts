import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { madeOnce } from "../../base/made-once.ts";
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

const prefix = "opening:";
const dayPrefix = "opening_day:";

/**
 * Keeps openings in the store, each under the sha256 of its text, so that all threads with the same opening share it. The last day
 * (UTC) on which it was used is stored with it.
 */
export class StoredOpenings implements Openings {
  readonly #store: KeyValue;
  readonly #clock: Pick<Clock, "now">;
  readonly #known = new LRUCache<string, Opening>({ max: maxInMemory });
  readonly #names = new WeakMap<Opening, string>();

  constructor(store: KeyValue, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Removes the openings whose JSON matches, or only finds them. Returns their names. A transcript whose opening is gone is not continued. */
  async removeNaming(named: RegExp, { dryRun = false } = {}): Promise<string[]> {
    const gone: string[] = [];
    for await (const key of this.#store.keys(prefix)) {
      if (!named.test(JSON.stringify(await this.#store.get(key)))) continue;
      const name = key.slice(prefix.length);
      gone.push(name);
      if (dryRun) continue;
      this.#known.delete(name);
      await this.#store.delete(dayPrefix + name);
      await this.#store.delete(key);
    }
    return gone;
  }

  async put(opening: Opening): Promise<readonly [name: string, opening: Opening]> {
    const hash = () => createHash("sha256").update(JSON.stringify(opening)).digest("hex");
    const name = madeOnce(this.#names, opening, hash);
    const shared = this.#known.get(name) ?? opening;
    await this.#keep(name, shared);
    return [name, shared];
  }

  async get(name: string): Promise<Opening | undefined> {
    const before = (await this.#dayOfUse(name)) === undefined ? undefined : this.#known.get(name);
    const stored = before ?? openingSchema.safeParse(await this.#store.get(prefix + name)).data;
    if (stored !== undefined) await this.#keep(name, stored);
    return stored;
  }

  async #keep(name: string, opening: Opening): Promise<void> {
    this.#known.set(name, opening);
    const day = dayOf(this.#clock.now());
    if ((await this.#dayOfUse(name)) === day) return;
    await this.#store.set(prefix + name, toJson(opening));
    await this.#store.set(dayPrefix + name, day);
  }

  /** The day on which it was last used, if it is stored: another process may have deleted it, whatever is in memory. */
  #dayOfUse(name: string) {
    return this.#store.get(dayPrefix + name);
  }
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

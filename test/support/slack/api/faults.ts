import type { World } from "../world/world.ts";

interface Fault {
  /** A method's name, or `*` for all. */
  method: string;
  /** How many calls it hits; they are counted down. */
  times: number;
  kind: { rateLimited: number } | { error: string } | { status: number } | { delayMs: number };
}

/** Faults that the fake applies to a call before or instead of its reply. */
export type Hit = Fault["kind"];

/** Calls per minute of Slack's tiers; a minute's worth may come at once. */
const tiers: Record<string, number> = {
  "chat.update": 50,
  "chat.startStream": 20,
  "chat.appendStream": 100,
  "chat.stopStream": 20,
  "conversations.replies": 50,
  "conversations.history": 50,
  "conversations.members": 100,
  "users.info": 100,
  "users.list": 20,
  "users.conversations": 50,
  "usergroups.list": 20,
  "pins.add": 20,
  "pins.remove": 20,
  "views.open": 100,
  "views.publish": 100,
  "reactions.add": 50,
};
/** `chat.postMessage` may come this often at once into one channel, then once per second. */
const postBurst = 4;

interface Bucket {
  tokens: number;
  at: number;
}

/** Planned failures, and Slack's rate limits if they are enforced. */
export class Faults {
  readonly #faults: Fault[] = [];
  readonly #buckets = new Map<string, Bucket>();
  readonly #world: World;
  readonly #enforceRates: boolean;

  constructor(world: World, enforceRates: boolean) {
    this.#world = world;
    this.#enforceRates = enforceRates;
  }

  plan(method: string, times: number, kind: Hit): void {
    this.#faults.push({ method, times, kind });
    this.#world.touch();
  }

  /** The faults for this call, delays first. */
  next(method: string): Hit[] {
    const matching = this.#faults.filter(
      (fault) => fault.times > 0 && (fault.method === method || fault.method === "*"),
    );
    const delays = matching.filter((fault) => "delayMs" in fault.kind);
    const failure = matching.find((fault) => !("delayMs" in fault.kind));
    const hits = failure === undefined ? delays : [...delays, failure];
    for (const hit of hits) hit.times -= 1;
    return hits.map((hit) => hit.kind);
  }

  /** Seconds to wait if the call exceeds Slack's limits, which apply per method, workspace and app. */
  rateLimited(method: string, teamId: string, channel: string): number | undefined {
    if (!this.#enforceRates) return undefined;
    if (method === "chat.postMessage") return this.#take(`${teamId} ${channel}`, postBurst, 1);
    const perMinute = tiers[method];
    return perMinute === undefined ? undefined : this.#take(`${teamId} ${method}`, perMinute, perMinute / 60);
  }

  #take(key: string, capacity: number, perSecond: number): number | undefined {
    const now = Date.now();
    const bucket = this.#buckets.get(key) ?? { tokens: capacity, at: now };
    const tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    const allowed = tokens >= 1;
    this.#buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now });
    return allowed ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}

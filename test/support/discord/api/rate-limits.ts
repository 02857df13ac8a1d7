import { createHash } from "node:crypto";

/** The limit of a bucket: so many requests in so many seconds. */
interface Limit {
  requests: number;
  seconds: number;
}

/** Limits seen on busy routes; Discord documents none and tells clients to read the headers. */
const busy: Record<string, Limit> = {
  "POST /channels/:channel/messages": { requests: 5, seconds: 5 },
  "PATCH /channels/:channel/messages/:message": { requests: 5, seconds: 5 },
  "DELETE /channels/:channel/messages/:message": { requests: 5, seconds: 1 },
  "POST /channels/:channel/typing": { requests: 5, seconds: 5 },
  "PUT /channels/:channel/messages/:message/reactions/:emoji/@me": { requests: 1, seconds: 0.25 },
};
const ordinary: Limit = { requests: 50, seconds: 1 };

export interface RateState {
  headers: Record<string, string>;
  /** Seconds to wait, or null if the request may pass. */
  wait: number | null;
  /** Whether it is all requests that must wait: 50 a second. Answers to interactions do not count. */
  global: boolean;
}

/** Counts requests per bucket: a route and the channel, guild or webhook it is about. */
export class RateLimits {
  readonly #enforced: boolean;
  #everything = { used: 0, resetAt: 0 };
  readonly #buckets = new Map<string, { used: number; resetAt: number }>();

  constructor(enforced: boolean) {
    this.#enforced = enforced;
  }

  take(route: string, major: string): RateState {
    const limit = busy[route] ?? ordinary;
    const key = `${route} ${major}`;
    const now = Date.now();
    const counted = this.#enforced && !route.includes("/:token");
    if (this.#everything.resetAt <= now) this.#everything = { used: 0, resetAt: now + 1000 };
    const global = counted && this.#everything.used >= 50;
    if (counted && !global) this.#everything.used += 1;
    const known = this.#buckets.get(key);
    const bucket = known && known.resetAt > now ? known : { used: 0, resetAt: now + limit.seconds * 1000 };
    this.#buckets.set(key, bucket);
    const over = this.#enforced && bucket.used >= limit.requests;
    if (!over && !global) bucket.used += 1;
    const left = this.#enforced ? Math.max(0, limit.requests - bucket.used) : limit.requests - 1;
    const seconds = Math.max(0, bucket.resetAt - now) / 1000;
    return {
      wait: global ? (this.#everything.resetAt - now) / 1000 : over ? seconds : null,
      global,
      headers: {
        "x-ratelimit-limit": String(limit.requests),
        "x-ratelimit-remaining": String(left),
        "x-ratelimit-reset": (bucket.resetAt / 1000).toFixed(3),
        "x-ratelimit-reset-after": seconds.toFixed(3),
        "x-ratelimit-bucket": createHash("md5").update(route).digest("hex"),
      },
    };
  }
}

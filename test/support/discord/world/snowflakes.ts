/** First millisecond of Discord's ids, 1 January 2015. Source: Discord API reference, "Snowflakes". */
const epoch = 1_420_070_400_000n;

/** Mints ids that rise, with the present time in their upper 42 bits. */
export class Snowflakes {
  #last = 0n;

  /** @param agoMs age of the object, ms */
  next(agoMs = 0): string {
    const now = (BigInt(Date.now()) - epoch) << 22n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last - (BigInt(agoMs) << 22n));
  }
}

/** Sorts oldest first. */
export function byAge(left: { id: string }, right: { id: string }): number {
  const difference = BigInt(left.id) - BigInt(right.id);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The shard that serves a guild. Source: Discord gateway reference, "Sharding". */
export function shardOf(guild: string, shards: number): number {
  return Number((BigInt(guild) >> 22n) % BigInt(shards));
}

import { ExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import type { Clock, KeyValue, Leases } from "../../../core/ports/storage.ts";

/** Lifetime of a shard's lease, ms. Other processes take over the shards of a dead process after it. */
export const shardLease = 15_000;
/** Leases count as lost this long before they expire, so that the connection is closed in time, ms. */
const margin = shardLease / 3;
/** Time after which a process without shards no longer waits for some, unless it says so again, ms. */
const waitMs = 5_000;

const nameOf = (id: number, count: number) => `discord-shard:${id}/${count}`;

/** The shards of this process, by leases. A single process has all of them. */
export class ShardHolder {
  readonly #leases: Leases;
  readonly #clock: Clock;
  readonly #isAlone: boolean;
  readonly #waiting: ExpiringEntries;
  /** By their leases' names. */
  #held = new Map<string, number>();
  #heldUntil = 0;

  /** @param isAlone whether no other process uses the store */
  constructor(store: KeyValue, leases: Leases, clock: Clock, isAlone: boolean) {
    this.#leases = leases;
    this.#clock = clock;
    this.#isAlone = isAlone;
    this.#waiting = new ExpiringEntries(store, clock, "discord-shards-wanted", { most: 1 });
  }

  /**
   * Takes free shards, or gives half of several to a process that waits for some: connections must be closed before. Returns all shards
   * held now, in order. @throws when the store fails
   */
  async take(count: number): Promise<number[]> {
    const hadNone = this.#held.size === 0;
    const claimed = await this.#claim(count);
    await this.#keep(claimed);
    const wants = claimed.size === 0 && count > 1;
    if (wants) await this.#waiting.change("shards", () => ({ until: this.#clock.now() + waitMs }));
    else if (hadNone && count > 1) await this.#waiting.change("shards", () => undefined);
    return [...claimed.values()].sort((a, b) => a - b);
  }

  /** Renews the leases. Returns whether `take` has other shards for this process now. @throws when the store fails */
  async refresh(count: number): Promise<boolean> {
    const claimed = await this.#claim(count);
    return claimed.size !== this.#held.size || [...this.#held.keys()].some((name) => !claimed.has(name));
  }

  /**
   * Whether the leases are valid for a while by the clock of this process. Otherwise another process may soon have them: because the store
   * cannot be reached, or because this process was stopped. Always true where there is no other process.
   */
  isHeld(): boolean {
    return this.#isAlone || this.#clock.now() < this.#heldUntil;
  }

  release(): Promise<void> {
    return this.#keep(new Map());
  }

  async #claim(count: number): Promise<Map<string, number>> {
    const from = this.#clock.now();
    const gives = this.#held.size > 1 && (await this.#waiting.get("shards")) !== undefined;
    const most = gives ? Math.ceil(this.#held.size / 2) : count;
    const all = Array.from({ length: count }, (_, id): [string, number] => [nameOf(id, count), id]);
    const ownFirst = all.toSorted(([a], [b]) => Number(this.#held.has(b)) - Number(this.#held.has(a)));
    const claimed = new Map<string, number>();
    for (const [name, id] of ownFirst)
      if (claimed.size < most && (await this.#leases.acquire(name, shardLease))) claimed.set(name, id);
    this.#heldUntil = from + shardLease - margin;
    return claimed;
  }

  async #keep(claimed: Map<string, number>): Promise<void> {
    for (const name of this.#held.keys()) if (!claimed.has(name)) await this.#leases.release(name);
    this.#held = claimed;
  }
}

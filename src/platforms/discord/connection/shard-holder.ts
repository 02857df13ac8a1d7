import { createExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import type { Clock, KeyValue, Leases } from "../../../core/ports/storage.ts";

/** The shards of this process, by leases. A single process has all of them. */
export interface ShardHolder {
  /**
   * Takes free shards, or gives half of several to a process that waits for some: connections must be closed before. Returns all shards
   * held now, in order. @throws when the store fails
   */
  take(count: number): Promise<number[]>;
  /** Renews the leases. Returns whether `take` has other shards for this process now. @throws when the store fails */
  refresh(count: number): Promise<boolean>;
  /**
   * Whether the leases are valid for a while by the clock of this process. Otherwise another process may soon have them: because the store
   * cannot be reached, or because this process was stopped. Always true where there is no other process.
   */
  isHeld(): boolean;
  release(): Promise<void>;
}

export interface ShardHolderDeps {
  store: KeyValue;
  leases: Leases;
  clock: Clock;
  /** Whether no other process uses the store. */
  isAlone?: boolean;
}

/** Lifetime of a shard's lease, ms. Other processes take over the shards of a dead process after it. */
export const shardLease = 15_000;
/** Leases count as lost this long before they expire, so that the connection is closed in time, ms. */
const margin = shardLease / 3;
/** Time after which a process without shards no longer waits for some, unless it says so again, ms. */
const waitMs = 5_000;

const nameOf = (id: number, count: number) => `discord-shard:${id}/${count}`;

export function createShardHolder({ store, leases, clock, isAlone = false }: ShardHolderDeps): ShardHolder {
  const waiting = createExpiringEntries({ store, clock, key: "discord-shards-wanted", most: 1 });
  /** By their leases' names. */
  let held = new Map<string, number>();
  let heldUntil = 0;

  const claim = async (count: number): Promise<Map<string, number>> => {
    const from = clock.now();
    const gives = held.size > 1 && (await waiting.get("shards")) !== undefined;
    const most = gives ? Math.ceil(held.size / 2) : count;
    const all = Array.from({ length: count }, (_, id): [string, number] => [nameOf(id, count), id]);
    const ownFirst = all.toSorted(([a], [b]) => Number(held.has(b)) - Number(held.has(a)));
    const claimed = new Map<string, number>();
    for (const [name, id] of ownFirst)
      if (claimed.size < most && (await leases.acquire(name, shardLease))) claimed.set(name, id);
    heldUntil = from + shardLease - margin;
    return claimed;
  };
  const keep = async (claimed: Map<string, number>) => {
    for (const name of held.keys()) if (!claimed.has(name)) await leases.release(name);
    held = claimed;
  };
  return {
    async take(count) {
      const hadNone = held.size === 0;
      const claimed = await claim(count);
      await keep(claimed);
      const wants = claimed.size === 0 && count > 1;
      if (wants) await waiting.change("shards", () => ({ until: clock.now() + waitMs }));
      else if (hadNone && count > 1) await waiting.change("shards", () => undefined);
      return [...claimed.values()].sort((a, b) => a - b);
    },
    async refresh(count) {
      const claimed = await claim(count);
      return claimed.size !== held.size || [...held.keys()].some((name) => !claimed.has(name));
    },
    isHeld: () => isAlone || clock.now() < heldUntil,
    release: () => keep(new Map()),
  };
}

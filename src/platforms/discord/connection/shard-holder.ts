import type { Leases } from "../../../core/ports/storage.ts";

/** The shards of this process. A single process has all of them; several share them by leases. */
export interface ShardHolder {
  /** Takes free shards. Returns all shards held now, in order. @throws when the store fails */
  take(count: number): Promise<number[]>;
  /** Renews the leases. `changed` says whether a shard was lost or gained. @throws when the store fails */
  refresh(count: number): Promise<{ changed: boolean }>;
  release(): Promise<void>;
}

/** Lifetime of a shard's lease, ms. Other processes take over the shards of a dead process after it. */
export const shardLease = 15_000;

export function createShardHolder(leases: Leases | undefined): ShardHolder {
  let held = new Set<string>();
  const nameOf = (id: number, count: number) => `discord-shard:${id}/${count}`;
  const all = (count: number) => Array.from({ length: count }, (_, id) => id);
  if (leases === undefined) {
    return {
      take: async (count) => all(count),
      refresh: async () => ({ changed: false }),
      release: async () => {},
    };
  }
  const take = async (count: number) => {
    const ids: number[] = [];
    for (const id of all(count)) if (await leases.acquire(nameOf(id, count), shardLease)) ids.push(id);
    held = new Set(ids.map((id) => nameOf(id, count)));
    return ids;
  };
  return {
    take,
    async refresh(count) {
      const before = held;
      await take(count);
      return { changed: before.size !== held.size || [...held].some((name) => !before.has(name)) };
    },
    async release() {
      for (const name of held) await leases.release(name);
      held = new Set();
    },
  };
}

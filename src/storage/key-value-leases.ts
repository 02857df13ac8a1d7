import type { KeyValue, Leases } from "../core/ports/storage.ts";
import { type StoreClock, systemTime } from "./store-clock.ts";

type Lease = { owner: string; until: number };

/** Beginning of the keys of leases. */
export const leasePrefix = "lease:";

/**
 * Leases in a key-value store. The clocks of starting processes must agree to much less than the time of a lease.
 * @param owner identifies this process; unique among all processes
 */
export function createKeyValueLeases(
  store: KeyValue,
  owner: string,
  clock: Pick<StoreClock, "steady"> = systemTime,
): Leases {
  const change = (name: string, next: (lease: Lease | undefined, now: number) => Lease | undefined) =>
    store.update<Lease>(`${leasePrefix}${name}`, (lease) => next(lease, clock.steady()) ?? lease ?? free);
  return {
    async acquire(name, ms) {
      const lease = await change(name, (held, now) =>
        held === undefined || held.owner === owner || held.until <= now
          ? { owner, until: now + ms }
          : undefined,
      );
      return lease.owner === owner;
    },
    async renew(name, ms) {
      const lease = await change(name, (held, now) =>
        held?.owner === owner && held.until > now ? { owner, until: now + ms } : undefined,
      );
      return lease.owner === owner && lease.until > clock.steady();
    },
    async release(name) {
      await change(name, (held) => (held?.owner === owner ? free : undefined));
    },
    async held(prefix) {
      const names: string[] = [];
      for await (const key of store.keys(leasePrefix + prefix)) {
        // Only this file writes these keys.
        const lease = (await store.get(key)) as Lease | undefined;
        if (lease !== undefined && lease.until > clock.steady()) names.push(key.slice(leasePrefix.length));
      }
      return names;
    },
  };
}

const free: Lease = { owner: "", until: 0 };

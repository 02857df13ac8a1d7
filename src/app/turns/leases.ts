import type { Clock, KeyValue } from "../../core/ports/storage.ts";

/**
 * Decides which of several processes on one store does work that only one may do. A lease expires after its time, so that it passes
 * on when its holder dies. Setting the clock of a running process changes nothing; the clocks of starting processes must agree to
 * much less than that time.
 */
export interface Leases {
  /** Takes a lease that is free or already ours, for `ms`. Returns whether it is ours now. @throws when the store fails */
  acquire(name: string, ms: number): Promise<boolean>;
  /** Renews a lease for another `ms`. False when it expired or belongs to another process: then the work must stop. */
  renew(name: string, ms: number): Promise<boolean>;
  /** Releases a lease if it is ours. */
  release(name: string): Promise<void>;
}

type Lease = { owner: string; until: number };

/** @param owner identifies this process; unique among all processes */
export function createLeases(store: KeyValue, clock: Clock, owner: string): Leases {
  const change = (name: string, next: (lease: Lease | undefined, now: number) => Lease | undefined) =>
    store.update<Lease>(`lease:${name}`, (lease) => next(lease, clock.steady()) ?? lease ?? free);
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
  };
}

const free: Lease = { owner: "", until: 0 };

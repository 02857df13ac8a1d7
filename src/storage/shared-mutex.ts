import { backoff } from "../base/backoff.ts";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import type { Clock, Leases, Mutex } from "../core/ports/storage.ts";
import { StorageError } from "./storage-error.ts";
import { type StoreClock, systemTime } from "./store-clock.ts";

/** How long the lease of a key lasts after its process died, and how often it is renewed, ms. */
const leaseMs = 15_000;
const renewMs = 5_000;
/** Pauses between attempts to get a key that another process has, ms; they double. */
const pauses = { minMs: 10, maxMs: 250 };
/** Attempts after which a key counts as busy. */
const looks = 4;
/** How long work waits for other processes, ms. */
const maxWaitMs = 10 * 60_000;

interface Parts {
  leases: Leases;
  clock: Pick<Clock, "after" | "sleep">;
  time: Pick<StoreClock, "steady">;
}

/**
 * One mutex for all processes that share `leases`: a key is a lease, which is renewed while the work runs. The key of a killed process is
 * free after 15 seconds. A process has one such mutex, because a lease belongs to the whole process.
 *
 * Work waits ten minutes for other processes, and any time for earlier work of its own process.
 */
export function createSharedMutex(
  leases: Leases,
  clock: Pick<Clock, "after" | "sleep">,
  time: Pick<StoreClock, "steady"> = systemTime,
): Mutex {
  const own = new KeyedMutex();
  const parts = { leases, clock, time };
  return {
    run: (key, work) => own.run(key, () => runLeased(parts, key, work)),
    async isBusy(key) {
      if (await own.isBusy(key)) return true;
      return await own.run(key, () => isLeased(parts, key));
    },
  };
}

function leaseOf(key: string): string {
  return `lock:${key}`;
}

/** Takes the lease for a moment. Somebody else may be doing the same, so there are several attempts. */
async function isLeased({ leases, clock }: Parts, key: string): Promise<boolean> {
  for (let attempt = 1; attempt <= looks; attempt += 1) {
    if (await leases.acquire(leaseOf(key), leaseMs)) {
      await leases.release(leaseOf(key));
      return false;
    }
    if (attempt < looks) await clock.sleep(backoff(attempt, pauses));
  }
  return true;
}

async function runLeased<T>(
  parts: Parts,
  key: string,
  work: (ensureHeld: () => void) => Promise<T>,
): Promise<T> {
  const lease = await takeLease(parts, key);
  try {
    return await work(lease.ensureHeld);
  } finally {
    await lease.release();
  }
}

interface HeldLease {
  ensureHeld(): void;
  /** Never fails: a lease that cannot be released ends by itself. */
  release(): Promise<void>;
}

/** Takes the lease of a key, when it is free, and renews it until it is released. */
async function takeLease({ leases, clock, time }: Parts, key: string): Promise<HeldLease> {
  const name = leaseOf(key);
  let heldUntil = await acquirePatiently({ leases, clock, time }, key);
  let isLost = false;
  let isOver = false;
  let cancel = () => {};
  let renewing = Promise.resolve();
  const renew = async () => {
    const before = time.steady();
    try {
      const isOurs = await leases.renew(name, leaseMs);
      if (isOurs) heldUntil = before + leaseMs;
      else isLost = true;
      // Work that goes on anyway keeps others out as soon as it can again.
      if (!isOurs) await leases.acquire(name, leaseMs);
    } catch {
      // The store cannot be reached: `heldUntil` says how long that may last.
    }
    if (!isOver) renewLater();
  };
  const renewLater = () => {
    cancel = clock.after(renewMs, () => {
      renewing = renew();
    });
  };
  renewLater();
  return {
    ensureHeld() {
      if (isLost || time.steady() >= heldUntil) throw lostError(key);
    },
    async release() {
      isOver = true;
      cancel();
      await renewing;
      await leases.release(name).catch(() => undefined);
    },
  };
}

/** Until when the lease is certainly ours, by the steady time of this process. */
async function acquirePatiently({ leases, clock, time }: Parts, key: string): Promise<number> {
  for (let attempt = 1, waited = 0; ; attempt += 1) {
    const before = time.steady();
    if (await leases.acquire(leaseOf(key), leaseMs)) return before + leaseMs;
    if (waited >= maxWaitMs) throw waitedError(key);
    const pause = backoff(attempt, pauses);
    await clock.sleep(pause);
    waited += pause;
  }
}

function waitedError(key: string): StorageError {
  const minutes = maxWaitMs / 60_000;
  const message = `Another process of this bot has been working on "${key}" for ${minutes} minutes, so this was not done. Try again later; if it stays like that, restart the process that hangs.`;
  return new StorageError("locked", key, message);
}

function lostError(key: string): StorageError {
  const message = `This process was stopped or cut off from its store for so long that another one may be working on "${key}", so it did not go on. What was done before is kept. Try again.`;
  return new StorageError("locked", key, message);
}

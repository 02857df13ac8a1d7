import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import type { Clock, Leases } from "../../../core/ports/storage.ts";

/**
 * Discord accepts one identification in this time from the shards with the same rate limit key, ms. Source: Discord reference,
 * "Max Concurrency".
 */
const pauseMs = 5_000;
/** Interval at which the turn of another process is waited for, ms. */
const pollMs = 500;

/** Resolves when a shard may identify itself to the gateway. Rejects with the signal's reason. */
export type IdentifyTurn = (shard: number, concurrency: number, signal: AbortSignal) => Promise<void>;

/** Lets the shards of a bot identify themselves one after the other, in all processes. */
export function createIdentifyTurns(leases: Leases, clock: Clock): IdentifyTurn {
  const queue = new KeyedMutex();
  const last = new Map<string, number>();
  // A store that fails is asked again: the library does not expect a failure here.
  const isFree = (name: string) => leases.acquire(name, pauseMs).catch(() => false);
  return (shard, concurrency, signal) => {
    const name = `discord-identify:${shard % concurrency}`;
    return queue.run(name, async () => {
      // A lease does not hold back the process that has it.
      await clock.sleep(Math.max(0, (last.get(name) ?? 0) + pauseMs - clock.now()), signal);
      while (!(await isFree(name))) await clock.sleep(pollMs, signal);
      last.set(name, clock.now());
    });
  };
}

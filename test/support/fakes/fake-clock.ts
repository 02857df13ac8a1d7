import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../src/core/ports/storage.ts";
import type { StoreClock } from "../../../src/storage/store-clock.ts";

/** A clock that only moves when told to. */
export interface FakeClock extends Clock, StoreClock {
  /** Advances the clock and runs due timers in order. */
  advance(ms: number): void;
  /** Sets the wall clock by this much; no time passes. */
  jump(ms: number): void;
  /** Moves on in steps, with everything else in between, until the promise is settled. Stands while files are read. */
  advanceUntil<T>(done: Promise<T>, stepMs: number): Promise<T>;
}

/** Everything that is due now has happened, and files, which are read in real time, have been read. */
export async function filesAreRead(): Promise<void> {
  do await setImmediate();
  while (process.getActiveResourcesInfo().some((what) => what.startsWith("FSReq")));
}

export function createFakeClock(start = 1_000_000): FakeClock {
  let now = start;
  let jumped = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  const clock: FakeClock = {
    now: () => now + jumped,
    steady: () => now,
    jump(ms) {
      jumped += ms;
    },
    after(ms, callback) {
      const timer = { at: now + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const cancel = clock.after(ms, resolve);
        signal?.addEventListener("abort", () => {
          cancel();
          reject(signal.reason);
        });
      }),
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) break;
        now = Math.max(now, next.at);
        timers.delete(next);
        next.callback();
      }
      now = end;
    },
    async advanceUntil(done, stepMs) {
      let settled = false;
      const settle = () => {
        settled = true;
      };
      done.then(settle, settle);
      while (!settled) {
        clock.advance(stepMs);
        await filesAreRead();
      }
      return done;
    },
  };
  return clock;
}

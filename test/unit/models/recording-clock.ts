import type { Clock } from "../../../src/core/ports/storage.ts";

/** A clock that writes down how long it was asked to sleep, and does not. */
export interface RecordingClock extends Clock {
  sleeps: number[];
}

export function recordingClock(): RecordingClock {
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => Date.now(),
    after: () => () => {},
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
    },
  };
}

/** A clock whose sleeps last until the signal ends them. `asleep` resolves when somebody sleeps. */
export function endlessClock(): Clock & { asleep: Promise<void> } {
  const asleep = Promise.withResolvers<void>();
  return {
    asleep: asleep.promise,
    now: () => Date.now(),
    after: () => () => {},
    sleep: (_ms, signal) => {
      asleep.resolve();
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    },
  };
}

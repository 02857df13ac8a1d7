import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../core/ports/storage.ts";

/** Maximum delay of a Node timer, ms; a longer one would fire at once. */
const maxDelay = 2_147_483_647;

const delayOf = (ms: number) => Math.min(Math.max(0, ms), maxDelay);

/** The time of this machine. Waiting does not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, delayOf(ms)).unref();
    return () => clearTimeout(timer);
  },
  async sleep(ms, signal) {
    await sleep(delayOf(ms), undefined, { ref: false, signal });
  },
};

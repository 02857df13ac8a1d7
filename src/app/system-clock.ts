import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";

/** The longest delay a timer of Node takes, ms; a longer one would fire at once. */
const longestDelay = 2_147_483_647;

/** The time of this machine. Sleeping does not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await sleep(Math.min(Math.max(0, ms), longestDelay), undefined, {
      ref: false,
      ...(signal ? { signal } : {}),
    });
  },
};

import { setImmediate } from "node:timers/promises";

/** Milliseconds of continuous work before other work gets a turn. */
const stretch = 10;

/** Keeps long synchronous work from blocking everything else in the process. */
export class Pace {
  #since = performance.now();

  /** Lets other work have a turn if it is due. Pass it before each piece of work. */
  async keep(): Promise<void> {
    if (performance.now() - this.#since <= stretch) return;
    await setImmediate();
    this.#since = performance.now();
  }
}

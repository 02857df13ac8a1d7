/** Runs a fixed number of tasks at a time; others wait in a queue. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Settles as `work` does, which starts when a slot is free.
   * @throws the signal's reason if it aborts before the work has started
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      // The slot is passed on directly and is never free in between.
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      leave();
      resolve();
    };
    const abort = () => {
      leave();
      reject(signal.reason);
    };
    const leave = () => {
      this.#waiting.delete(start);
      signal.removeEventListener("abort", abort);
    };
    this.#waiting.add(start);
    signal.addEventListener("abort", abort, { once: true });
    return promise;
  }
}

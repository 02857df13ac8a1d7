import { EventEmitter, once } from "node:events";

/** Items for whoever follows, as they are published; knows when somebody began and ceased to follow. */
export class Feed<T> {
  followers = 0;
  readonly #changes = new EventEmitter();
  readonly #queues = new Set<{ items: T[]; wake: () => void }>();

  publish(item: T): void {
    for (const queue of this.#queues) {
      queue.items.push(item);
      queue.wake();
    }
  }

  /** The number of items that followers who left had not taken. */
  undelivered = 0;

  /** Resolves when that many follow. */
  async hasFollowers(count: number): Promise<void> {
    while (this.followers !== count) await once(this.#changes, "changed");
  }

  async *follow(signal: AbortSignal, stored: readonly T[] = [], isComplete = false): AsyncGenerator<T> {
    const queue = { items: [...stored], wake: () => {} };
    this.#queues.add(queue);
    this.#count(1);
    const leave = () => {
      if (this.#queues.delete(queue)) {
        this.undelivered += queue.items.length;
        this.#count(-1);
      }
      queue.wake();
    };
    signal.addEventListener("abort", leave);
    try {
      while (!signal.aborted) {
        const item = queue.items.shift();
        if (item !== undefined) yield item;
        else if (isComplete) return;
        else await new Promise<void>((resolve) => Object.assign(queue, { wake: resolve }));
      }
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
  }

  #count(by: number): void {
    this.followers += by;
    this.#changes.emit("changed");
  }
}

/** Runs work on the same key one after another, and on different keys concurrently. Keeps no state for idle keys. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Settles as `work` does. The work starts when all earlier work on this key has settled. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const turn = Promise.withResolvers<void>();
    this.#tails.set(key, turn.promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#tails.get(key) === turn.promise) this.#tails.delete(key);
      turn.resolve();
    }
  }

  /** Resolves when all earlier work has settled. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}

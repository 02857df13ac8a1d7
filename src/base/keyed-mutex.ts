/** Runs work on one key after another, on different keys side by side. Keeps nothing about idle keys. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Settles as `work` does. The work starts when all earlier work on this key has ended, however it ended. */
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

  /** Resolves when all work that was handed in so far has ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}

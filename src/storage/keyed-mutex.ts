/** Runs work on one key after another, on different keys side by side. Keeps nothing about idle keys. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves or rejects as `work` does, which starts when everything before it on this key has ended. */
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
}

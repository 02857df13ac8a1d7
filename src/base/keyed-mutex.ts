/** Runs work on the same key one after another, and on different keys concurrently. Keeps no state for idle keys. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /**
   * Settles as `work` does. The work starts when all earlier work on this key has settled. It gets a function that does nothing: a key is
   * never lost here.
   */
  async run<T>(key: string, work: (ensureHeld: () => void) => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const turn = Promise.withResolvers<void>();
    this.#tails.set(key, turn.promise);
    try {
      await before;
      return await work(neverLost);
    } finally {
      if (this.#tails.get(key) === turn.promise) this.#tails.delete(key);
      turn.resolve();
    }
  }

  /** Whether work on the key runs or waits. */
  async isBusy(key: string): Promise<boolean> {
    return this.#tails.has(key);
  }

  /** Resolves when all earlier work has settled. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}

function neverLost(): void {}

/** Counts changes and lets others wait for the next one. */
export class Changes {
  #version = 0;
  #waiting: (() => void)[] = [];

  get version(): number {
    return this.#version;
  }

  note(): void {
    this.#version += 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    // Later in the same turn more may change: whoever waits sees it all at once.
    setImmediate(() => {
      for (const resolve of waiting) resolve();
    });
  }

  /** Resolves when there is a change that `version` does not include. */
  async after(version: number): Promise<void> {
    while (this.#version <= version) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

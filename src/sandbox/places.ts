interface Holder {
  onWanted?: (() => void) | undefined;
}

/** A run's request for a place. */
export interface PlaceRequest {
  /** If aborted, it stops waiting. */
  signal?: AbortSignal | undefined;
  /** Called when others wait for its place, so that an unneeded run may end. */
  onWanted?: (() => void) | undefined;
}

/** Interval between these calls while others wait, ms. */
const askEveryMs = 500;

/** The limit of simultaneous runs. Places are given in the order of the requests. */
export class Places {
  readonly #count: number;
  readonly #maxWaitMs: number;
  readonly #holders = new Set<Holder>();
  /** Each one takes the place that became free. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number, maxWaitMs: number) {
    this.#count = count;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Resolves with a function that releases the place, which may be called twice; with a reason for a person if none became free in time.
   * @throws the signal's reason
   */
  async take({ signal, onWanted }: PlaceRequest): Promise<{ release(): void } | { reason: string }> {
    signal?.throwIfAborted();
    const holder: Holder = { onWanted };
    if (this.#holders.size < this.#count) this.#holders.add(holder);
    else if (!(await this.#wait(holder, signal))) return { reason: this.#fullText() };
    return { release: () => this.#release(holder) };
  }

  #release(holder: Holder): void {
    if (!this.#holders.delete(holder)) return;
    const [next] = this.#waiting;
    next?.();
  }

  /** Whether the holder got a place. */
  #wait(holder: Holder, signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const leave = () => {
      this.#waiting.delete(enter);
      clearTimeout(timer);
      clearInterval(asking);
      signal?.removeEventListener("abort", abort);
    };
    const enter = () => {
      leave();
      this.#holders.add(holder);
      resolve(true);
    };
    const abort = () => {
      leave();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      leave();
      resolve(false);
    }, this.#maxWaitMs);
    const ask = () => {
      for (const { onWanted } of [...this.#holders]) onWanted?.();
    };
    const asking = setInterval(ask, askEveryMs);
    this.#waiting.add(enter);
    signal?.addEventListener("abort", abort);
    ask();
    return promise;
  }

  #fullText(): string {
    const seconds = Math.round(this.#maxWaitMs / 1_000);
    return `Code of skills already runs in ${this.#count} sandboxes, as many as skills.execution.max_running allows, and none ended within ${seconds} seconds. Try again later.`;
  }
}

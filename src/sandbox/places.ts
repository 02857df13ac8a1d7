import { Slots } from "../base/slots.ts";

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
  readonly #slots: Slots;
  readonly #holders = new Set<PlaceRequest>();

  constructor(count: number, maxWaitMs: number) {
    this.#count = count;
    this.#maxWaitMs = maxWaitMs;
    this.#slots = new Slots(count);
  }

  /**
   * Resolves with a function that releases the place, which may be called twice; with a reason for a person if none became free in time.
   * @throws the signal's reason
   */
  async take(request: PlaceRequest): Promise<{ release(): void } | { reason: string }> {
    const { signal } = request;
    const late = new AbortController();
    const ends = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    const [taken, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async () => {
      this.#holders.add(request);
      taken.resolve();
      await over.promise;
      this.#holders.delete(request);
    };
    if (this.#holders.size >= this.#count) this.#ask();
    const timer = setTimeout(() => late.abort(), this.#maxWaitMs);
    const asking = setInterval(() => this.#ask(), askEveryMs);
    this.#slots.run(ends, hold).catch(taken.reject);
    try {
      await taken.promise;
      return { release: over.resolve };
    } catch {
      signal?.throwIfAborted();
      return { reason: this.#fullText() };
    } finally {
      clearTimeout(timer);
      clearInterval(asking);
    }
  }

  #ask(): void {
    for (const { onWanted } of [...this.#holders]) onWanted?.();
  }

  #fullText(): string {
    const seconds = Math.round(this.#maxWaitMs / 1_000);
    return `Code of skills already runs in ${this.#count} sandboxes, as many as skills.execution.max_running allows, and none ended within ${seconds} seconds. Try again later.`;
  }
}

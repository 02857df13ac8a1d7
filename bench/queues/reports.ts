/** What a worker tells its parent. A report without a job says that the worker is ready. */
export interface Report {
  what: "ready" | "started" | "ended";
  worker: string;
  number?: number | undefined;
  /** See `now`. */
  at: number;
}

/** Milliseconds by the clock that all processes of the machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** What all workers have told so far. */
export class Reports {
  readonly #all: Report[] = [];
  #heard = () => {};

  add(report: Report): void {
    this.#all.push(report);
    this.#heard();
  }

  of(what: Report["what"], from = 0): Report[] {
    return this.#all.filter((report) => report.what === what && (report.number ?? 0) >= from);
  }

  /** Resolves as soon as `isSo`, or after `maxMs`; whether it is so. */
  async until(isSo: () => boolean, maxMs: number): Promise<boolean> {
    const end = now() + maxMs;
    while (!isSo() && now() < end) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#heard = resolve;
      const timer = setTimeout(resolve, end - now());
      await promise;
      clearTimeout(timer);
    }
    return isSo();
  }

  /** Whether each job started after the job before it in its line had ended; the lines take turns. */
  isInOrder(lines: number): boolean {
    const ends = new Map<number, number>();
    for (const { number = 0, at } of this.of("ended")) if (!ends.has(number)) ends.set(number, at);
    return this.of("started").every(
      ({ number = 0, at }) => number < lines || (ends.get(number - lines) ?? Number.POSITIVE_INFINITY) <= at,
    );
  }
}

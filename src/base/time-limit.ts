/** Calls back once after `ms`, unless the answered function is called before. A clock has it. */
export interface Timer {
  after(ms: number, callback: () => void): () => void;
}

export interface TimeLimit {
  ms: number;
  timer: Timer;
  /** Ends the work before its time. */
  signal?: AbortSignal | undefined;
  /** What the work is aborted with, and the result rejects with, when the time is up. */
  late(): Error;
}

/**
 * What `work` answers, if it does so in time. Its signal aborts with the given one or when the time is up; then this rejects at once,
 * whether the work listens or not. When the signal is aborted already, the work is not started.
 * @throws what `late` makes, the signal's reason, or what `work` throws
 */
export async function withTimeLimit<T>(
  { ms, timer, signal, late }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const cancel = timer.after(ms, () => controller.abort(late()));
  try {
    return await unlessAborted(controller.signal, () => work(controller.signal));
  } finally {
    cancel();
    signal?.removeEventListener("abort", stop);
  }
}

/** What `work` answers, or undefined when it takes longer than `ms`; it goes on then. Rejects as the work does while it is awaited. */
export async function unlessLate<T>(ms: number, timer: Timer, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const cancel = timer.after(ms, () => resolve(undefined));
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/**
 * Settles as the work does, or rejects with the signal's reason as soon as it is aborted. The work goes on then, and how it ends is
 * ignored.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // A work that throws before it answers a promise leaves nobody to handle this one.
  aborted.catch(() => undefined);
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

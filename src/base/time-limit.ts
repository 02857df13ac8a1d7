/** Calls back once after `ms`, unless the returned function is called before. A clock is a timer. */
export interface Timer {
  after(ms: number, callback: () => void): () => void;
}

export interface TimeLimit {
  ms: number;
  timer: Timer;
  /** Ends the work early. */
  signal?: AbortSignal | undefined;
  /** The error that aborts the work and rejects the result when the time is up. */
  late(): Error;
}

/**
 * The result of `work`, if it is in time. The signal of the work aborts with the given signal or when the time is up; this then rejects
 * at once, even if the work ignores the signal. If the signal is already aborted, the work is not started.
 * @throws the error of `late`, the signal's reason, or the error of `work`
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

/** The result of `work`, or undefined if it takes longer than `ms` and goes on. Rejects if the work rejects in time. */
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
 * Settles as the work does, or rejects with the signal's reason as soon as it aborts. The work then goes on, and its result is ignored.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // Nothing would handle this promise if the work throws before it returns one.
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

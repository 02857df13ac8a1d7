import type { Clock } from "../../core/clock.ts";

/** Work took longer than it was given. */
export class TookTooLongError extends Error {
  readonly code = "timed_out";
}

/**
 * What `work` answers, if it does within `ms`. Its signal aborts with the given one, or when the time is up; then this rejects at
 * once, whether the work listens or not. @throws TookTooLongError, the signal's reason, or what `work` throws
 */
export async function within<T>(
  ms: number,
  clock: Pick<Clock, "after">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const cancel = clock.after(ms, () =>
    controller.abort(new TookTooLongError(`It took longer than ${ms / 1000} s`)),
  );
  const ended = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    cancel();
    signal.removeEventListener("abort", stop);
  }
}

import { withTimeLimit } from "../../base/time-limit.ts";
import type { Clock } from "../../core/ports/storage.ts";

/** A platform took longer than it was given. */
export class TookTooLongError extends Error {
  readonly code = "timed_out";
}

/** What a platform answers within `ms`. @throws TookTooLongError, the signal's reason, or what `work` throws */
export function within<T>(
  ms: number,
  clock: Pick<Clock, "after">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = () => new TookTooLongError(`It took longer than ${ms / 1000} s`);
  return withTimeLimit({ ms, timer: clock, signal, late }, work);
}

import { withTimeLimit } from "../../base/time-limit.ts";
import type { Clock } from "../../core/ports/storage.ts";

/** A platform exceeded its time limit. */
export class TimeLimitError extends Error {
  readonly code = "timed_out";
}

/** Limits `work` to `ms`. @throws TimeLimitError, the signal's reason, or what `work` throws */
export function within<T>(
  ms: number,
  clock: Pick<Clock, "after">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = () => new TimeLimitError(`It took longer than ${ms / 1000} s`);
  return withTimeLimit({ ms, timer: clock, signal, late }, work);
}

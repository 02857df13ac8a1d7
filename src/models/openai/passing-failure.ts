import { ModelError, type ModelErrorCode } from "../../core/model.ts";

const passing: ReadonlySet<ModelErrorCode> = new Set(["rate_limited", "overloaded", "unavailable"]);

/** Whether another attempt may succeed. */
export function passes(error: unknown): error is ModelError {
  return error instanceof ModelError && passing.has(error.code);
}

/**
 * The delay before another attempt, ms: `usual` where the server names none. Undefined where another one is of no use, or would have to wait
 * for longer than `longest`.
 */
export function delayAfter(
  error: unknown,
  { usual, longest }: { usual: number; longest: number },
): number | undefined {
  if (!passes(error)) return undefined;
  const delay = error.retryAfterMs ?? usual;
  return delay > longest ? undefined : delay;
}

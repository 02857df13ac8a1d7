import { SkillFailure } from "../core/define-skill.ts";

/**
 * The work's result, if it comes in time; work that does not heed its signal is left alone. Without a limit the work has all the time
 * the signal gives. @throws SkillFailure `step_timed_out`; the signal's reason; what the work throws
 */
export async function withinTime<T>(
  limit_ms: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (limit_ms === undefined) return work(signal);
  const limit = new AbortController();
  const late = () => {
    const message = `It took longer than ${limit_ms} ms.`;
    limit.abort(
      new SkillFailure("step_timed_out", message, "Try again later, or raise the step's timeout_ms."),
    );
  };
  const timer = setTimeout(late, limit_ms);
  const both = AbortSignal.any([signal, limit.signal]);
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(both.reason);
  both.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work(both), ended.promise]);
  } finally {
    clearTimeout(timer);
    both.removeEventListener("abort", end);
  }
}

import { mayHelp } from "../core/ports/model.ts";

/**
 * How long a server asked to wait, in milliseconds: `retry-after-ms` (both providers), else `retry-after` in seconds or as an
 * HTTP date (RFC 9110 section 10.2.3). Undefined when it did not say, or not readably.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  if (headers === undefined) return undefined;
  const milliseconds = positive(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers.get("retry-after");
  const seconds = positive(text);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse alone takes nearly anything for a date, "-1" included.
  const date = text !== null && /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/**
 * The delay before another attempt of what cannot wait for long, ms: `usual` where the server names none. Undefined where another one is of
 * no use, or would have to wait for longer than `longest`.
 */
export function delayAfter(
  error: unknown,
  { usual, longest }: { usual: number; longest: number },
): number | undefined {
  if (!mayHelp("later", error)) return undefined;
  const delay = error.retryAfterMs ?? usual;
  return delay > longest ? undefined : delay;
}

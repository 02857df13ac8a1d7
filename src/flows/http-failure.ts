import { backoff } from "../base/backoff.ts";
import { beginningOf } from "../base/markdown-text.ts";
import { WebError } from "../core/ports/web.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";

/** Delays between attempts. There is no retry if the server asks for a longer delay. */
const waits = { minMs: 500, maxMs: 30_000 };

const transientCodes: ReadonlySet<string> = new Set(["unreachable", "timed_out", "step_timed_out"]);
const transientStatus: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** A response without a status of success. */
class HttpFailure extends SkillFailure {
  readonly status: number;
  /** The delay that the server asks for, ms. */
  readonly retry_after_ms: number | undefined;
  constructor(message: string, status: number, retry_after_ms: number | undefined) {
    super("http_error", message);
    this.status = status;
    this.retry_after_ms = retry_after_ms;
  }
}

/** The delay before a retry, ms; undefined if the failure is not transient. `tries`: the attempts so far. */
export function waitBeforeRetry(error: unknown, tries: number): number | undefined {
  const usual = backoff(tries, waits);
  if (error instanceof HttpFailure) {
    if (!transientStatus.has(error.status)) return undefined;
    const wait = error.retry_after_ms ?? usual;
    return wait > waits.maxMs ? undefined : wait;
  }
  const isKnown = error instanceof SkillFailure || error instanceof WebError;
  return isKnown && transientCodes.has(error.code) ? usual : undefined;
}

/** Maximum characters of a failed response's body in the message: services explain the problem there. */
const maxQuoted = 500;

/**
 * Returns a successful response.
 * @throws HttpFailure with the status and the beginning of the body, without path and query, which may hold keys
 */
export function answered<
  Response extends { url: string; status: number; headers: Record<string, string>; body: string },
>(response: Response, now: number): Response {
  const { url, status, headers, body } = response;
  if (status >= 200 && status < 300) return response;
  const said = body.trim();
  const beginning = said.length > maxQuoted ? `${beginningOf(said, maxQuoted)}…` : said;
  const message = `${URL.parse(url)?.host ?? "The server"} answered ${status}${beginning === "" ? "" : `: ${beginning}`}`;
  throw new HttpFailure(message, status, waitOf(headers["retry-after"], now));
}

/** The delay of a `retry-after` header in seconds or as a date (RFC 9110 section 10.2.3), ms. */
function waitOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

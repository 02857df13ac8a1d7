import { backoff } from "../base/backoff.ts";
import { beginningOf } from "../base/markdown-text.ts";
import { WebError } from "../core/ports/web.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";

/** Waits between tries. Servers that want more patience are not asked again. */
const waits = { minMs: 500, maxMs: 30_000 };

const passing: ReadonlySet<string> = new Set(["unreachable", "timed_out", "step_timed_out"]);
const passingStatus: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** A response that is no success. */
class HttpFailure extends SkillFailure {
  readonly status: number;
  /** How long the server wants to be left alone, ms. */
  readonly retry_after_ms: number | undefined;
  constructor(message: string, status: number, retry_after_ms: number | undefined) {
    super("http_error", message);
    this.status = status;
    this.retry_after_ms = retry_after_ms;
  }
}

/** How long to wait before a failed try is repeated, ms; undefined when its reason will not pass. `tries` were made so far. */
export function waitBeforeRetry(error: unknown, tries: number): number | undefined {
  const usual = backoff(tries, waits);
  if (error instanceof HttpFailure) {
    if (!passingStatus.has(error.status)) return undefined;
    const wait = error.retry_after_ms ?? usual;
    return wait > waits.maxMs ? undefined : wait;
  }
  const isKnown = error instanceof SkillFailure || error instanceof WebError;
  return isKnown && passing.has(error.code) ? usual : undefined;
}

/** Characters of a refused request's body that are told: services say there what was wrong. */
const toldCharacters = 500;

/**
 * The response, if it is a success.
 * @throws HttpFailure with the status and the beginning of the body. Paths and queries may carry keys and are not told
 */
export function answered<
  Response extends { url: string; status: number; headers: Record<string, string>; body: string },
>(response: Response, now: number): Response {
  const { url, status, headers, body } = response;
  if (status >= 200 && status < 300) return response;
  const said = body.trim();
  const beginning = said.length > toldCharacters ? `${beginningOf(said, toldCharacters)}…` : said;
  const message = `${URL.parse(url)?.host ?? "The server"} answered ${status}${beginning === "" ? "" : `: ${beginning}`}`;
  throw new HttpFailure(message, status, waitOf(headers["retry-after"], now));
}

/** RFC 9110 section 10.2.3: seconds or a date; ms. */
function waitOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

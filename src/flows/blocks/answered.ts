import { beginningOf } from "../../base/markdown-text.ts";
import { HttpFailure } from "../http-failure.ts";

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

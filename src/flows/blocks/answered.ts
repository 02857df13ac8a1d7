import { SkillFailure } from "../../core/define-skill.ts";

/** Characters of a refused request's body that are told: services say there what was wrong. */
const toldCharacters = 500;

/**
 * The response, if it is a success.
 * @throws SkillFailure `http_error` with the status and the beginning of the body. Paths and queries may carry keys and are not told
 */
export function answered<Response extends { url: string; status: number; body: string }>(
  response: Response,
): Response {
  const { url, status, body } = response;
  if (status >= 200 && status < 300) return response;
  const said = body.trim();
  const beginning = said.length > toldCharacters ? `${said.slice(0, toldCharacters)}…` : said;
  throw new SkillFailure(
    "http_error",
    `${URL.parse(url)?.host ?? "The server"} answered ${status}${beginning === "" ? "" : `: ${beginning}`}`,
  );
}

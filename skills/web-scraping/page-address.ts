import { SkillFailure } from "../../src/core/skill/define-skill.ts";

/** Schemes that do not lead to a web page. Anything else with a colon is a host with a port. */
const otherSchemes =
  /^(mailto|tel|sms|javascript|data|file|ftp|sftp|ssh|about|blob|chrome|view-source|magnet|urn):/i;

const mail = "That is an e-mail address, not a web page.";

/**
 * The http(s) address from text by a person or a model: `example.com/docs`, `<https://example.com|docs>`.
 * @throws SkillFailure `invalid_url`
 */
export function pageAddress(written: string): string {
  const text = unwrap(written);
  const scheme = otherSchemes.exec(text)?.[1]?.toLowerCase();
  if (scheme === "mailto") throw invalid(mail);
  if (scheme !== undefined) throw invalid(`A ${scheme}: address is not a web page.`);
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`,
  );
  if (url === null || /\s/.test(text)) throw invalid("That is not a web address.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid(`A ${url.protocol.slice(0, 30)} address is not a web page.`);
  if (url.username !== "" && url.password === "" && !text.includes("://")) throw invalid(mail);
  if (!/[.:]/.test(url.hostname) && url.hostname !== "localhost")
    throw invalid(`${url.hostname.slice(0, 60)} is not the full name of a site.`);
  return url.href;
}

/** The address as a list; empty for an invalid one, which the call itself refuses. */
export function validAddresses(written: string): string[] {
  try {
    return [pageAddress(written)];
  } catch (error) {
    if (error instanceof SkillFailure) return [];
    throw error;
  }
}

/** Removes the brackets, label and quotes that chat platforms and people put around links. */
function unwrap(written: string): string {
  const link = /^<([^>|]+)(?:\|[^>]*)?>$/.exec(written.trim())?.[1] ?? written;
  return link.trim().replace(/^["'`]+|(?<!["'`])["'`]+$/g, "");
}

function invalid(message: string): SkillFailure {
  return new SkillFailure(
    "invalid_url",
    `${message} Give a link such as https://example.com/page.`,
    "Ask for the address, or find one with a search skill.",
  );
}

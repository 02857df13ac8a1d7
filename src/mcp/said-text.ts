import { errorText } from "../base/error-text.ts";
import { oneLine } from "../base/markdown-text.ts";
import { withoutInvisible } from "../base/text/invisible-text.ts";

/** Untrusted text without links, pictures or mentions: an address in it is visible as it is. */
export function withoutLinks(text: string): string {
  return text.replace(/[[\]<>]/g, "\\$&");
}

/** Untrusted text as a Markdown quotation without links: every line is marked as somebody else's. */
export function quoted(text: string, maxLength: number): string {
  const lines = cut(withoutInvisible(text), maxLength)
    .trim()
    .split(/(?<!\s)\s*\n\s*/);
  return lines.map((line) => `> ${withoutLinks(line)}`).join("\n");
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}

/** Why a login failed, for a person. Of the other side's answer, only its code and a short text are passed on. */
export function loginFailure(server: string, error: unknown): string {
  const text = errorText(error);
  const said = oneLine(text, 300);
  if (isOAuthError(error)) {
    return `The login of ${server} refused: ${oneLine(error.code, 60)}${said === "" ? "" : ` (${said})`}.`;
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    return `The login of ${server} did not answer in time. Try again later.`;
  }
  return `The login of ${server} could not be reached or understood: ${said || "no reason given"}`;
}

/** These errors of the SDK have a code of RFC 6749. */
function isOAuthError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === "OAuthError" && "code" in error;
}

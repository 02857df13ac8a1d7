import { errorText } from "../../base/error-text.ts";
import { oneLine } from "../requests/said-text.ts";

/** Why a login failed, for a person. Of the other side's answer, only its code and a short text are passed on. */
export function loginFailure(server: string, error: unknown): string {
  const text = errorText(error);
  const said = oneLine(text, 300);
  if (isOAuthError(error)) {
    return `The login of ${server} refused: ${oneLine(error.errorCode, 60)}${said === "" ? "" : ` (${said})`}.`;
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    return `The login of ${server} did not answer in time. Try again later.`;
  }
  return `The login of ${server} could not be reached or understood: ${said || "no reason given"}`;
}

/** These errors of the SDK have a code of RFC 6749. */
function isOAuthError(error: unknown): error is Error & { errorCode: string } {
  return error instanceof Error && "errorCode" in error && typeof error.errorCode === "string";
}

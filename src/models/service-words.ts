import type { ModelErrorCode } from "../core/ports/model.ts";

const words: Readonly<Record<ModelErrorCode, string>> = {
  rate_limited: "accepts no more requests for now; try again in a few minutes",
  overloaded: "is overloaded; try again in a few minutes",
  unavailable: "did not answer; try again in a moment",
  unauthorized: "refused the bot's key; an operator has to check it",
  declined: "refused this; its rules may not allow it",
  invalid_request: "refused this; its rules, its format or its length may be the reason",
  cut_off: "stopped early; ask for less",
  context_too_long: "takes less at once; make it shorter",
  bad_response: "sent something unreadable; an operator has to check it",
  not_configured: "does not know the model; an operator has to check it",
};

/** Codes of requests that the service will not take, however often they are sent. */
const refusals: ReadonlySet<ModelErrorCode> = new Set(["invalid_request", "declined", "context_too_long"]);

/** Why a service besides the models failed, for people, without names of servers. @param service `the service that makes pictures` */
export function serviceFailure(service: string, code: ModelErrorCode) {
  const kind = refusals.has(code) ? ("refused" as const) : ("failed" as const);
  return { kind, words: `${service} ${words[code]}` };
}

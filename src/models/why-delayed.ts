import { ModelError, type ModelErrorCode } from "../core/model.ts";

const reasons: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "The model limits how often it is asked.",
  overloaded: "The model is overloaded.",
  unavailable: "The model cannot be reached.",
  bad_response: "The model sent an answer that cannot be used.",
};

/** Why an answer takes longer, one sentence for people: without names of servers, and nothing of what they said. */
export function whyDelayed(error: unknown): string {
  const reason = error instanceof ModelError ? reasons[error.code] : undefined;
  return reason ?? "The model is not available.";
}

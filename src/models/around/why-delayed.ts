import { ModelError, type ModelErrorCode } from "../../core/ports/model.ts";

const reasons: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "The model limits how often it is asked.",
  overloaded: "The model is overloaded.",
  unavailable: "The model cannot be reached.",
  invalid_request: "The model refused the request.",
  unauthorized: "The model refused the key or the account.",
  bad_response: "The model sent an answer that cannot be used.",
};

/** One sentence for people on why an answer takes longer. It neither names servers nor quotes them. */
export function whyDelayed(error: unknown): string {
  const { code = undefined, seen = undefined } = error instanceof ModelError ? error : {};
  if (seen !== undefined) return `The model does not answer: ${seen}.`;
  return (code && reasons[code]) ?? "The model is not available.";
}

import { ModelError, type ModelErrorCode, type ModelEvent } from "../../core/ports/model.ts";

/** Remembers whether an attempt's text is on somebody's screen, so that it can be made void when the attempt fails. */
export class ShownText {
  #shown = false;

  /** Takes note of an event on its way out, and answers it. */
  pass(event: ModelEvent): ModelEvent {
    if (event.type === "text") this.#shown = true;
    else if (event.type === "reset") this.#shown = false;
    return event;
  }

  /** The reset that is due, if any. */
  void(): ModelEvent[] {
    return this.#shown ? [{ type: "reset" }] : [];
  }
}

const reasons: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "The model limits how often it is asked.",
  overloaded: "The model is overloaded.",
  unavailable: "The model cannot be reached.",
  bad_response: "The model sent an answer that cannot be used.",
};

/** Why an answer takes longer, one sentence for people: without names of servers, and nothing of what they said. */
export function whyDelayed(error: unknown): string {
  const { code = undefined, seen = undefined } = error instanceof ModelError ? error : {};
  if (seen !== undefined) return `The model does not answer: ${seen}.`;
  return (code && reasons[code]) ?? "The model is not available.";
}

import { ModelError, type ModelErrorCode, type ModelEvent } from "../../core/ports/model.ts";

/** Remembers whether an attempt has shown text, so that the text can be withdrawn when the attempt fails. */
export class ShownText {
  #shown = false;

  /** Notes an event, and returns it. */
  pass(event: ModelEvent): ModelEvent {
    if (event.type === "text") this.#shown = true;
    else if (event.type === "reset") this.#shown = false;
    return event;
  }

  /** The reset that withdraws the shown text, if there is any. */
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

/** One sentence for people on why an answer takes longer. It neither names servers nor quotes them. */
export function whyDelayed(error: unknown): string {
  const { code = undefined, seen = undefined } = error instanceof ModelError ? error : {};
  if (seen !== undefined) return `The model does not answer: ${seen}.`;
  return (code && reasons[code]) ?? "The model is not available.";
}

import type { ModelEvent } from "../core/ports/model.ts";

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

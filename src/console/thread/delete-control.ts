import { html, type TemplateResult } from "lit-html";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";

/** Deletes a turn, after a second press: what is gone does not come back. */
export function deleteControl(turnId: string, state: ConsoleState, actions: Actions): TemplateResult {
  const key = `${turnId}/delete`;
  const ask = (shown: boolean) => () => actions.page.disclose(key, shown);
  if (!state.disclosed.get(key))
    return html`<button type="button" class="quiet-button" @click=${ask(true)}>Delete</button>`;
  return html`<span class="delete-question" role="group" aria-label="Delete for good?">
    Delete question and answer for good?
    <button type="button" class="quiet-button" @click=${() => actions.messages.forget(turnId)}>Delete for good</button>
    <button type="button" class="quiet-button" @click=${ask(false)}>Keep</button>
  </span>`;
}

import { html, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { focusWhenShown } from "../page/modal.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";

interface Confirmation {
  /** Unique on the page. */
  key: string;
  /** Label of the button, and of the button that confirms. */
  label: string;
  /** The consequence, as a question. */
  question: string;
  busy: boolean;
  act(): void;
}

/** A button that acts after a confirmation; the focus moves to the question and back. */
export function confirmControl(
  { key, label, question, busy, act }: Confirmation,
  state: ConsoleState,
  actions: Actions,
): TemplateResult {
  const id = `confirm-${key}`;
  const ask = (shown: boolean) => {
    actions.page.disclose(key, shown);
    if (!shown) requestAnimationFrame(() => document.getElementById(id)?.focus());
  };
  if (!state.disclosed.get(key))
    return html`<button type="button" class="small-button" id=${id} ?disabled=${busy} @click=${() => ask(true)}>${label}</button>`;
  const confirm = () => {
    ask(false);
    act();
  };
  return html`<div class="confirm" role="group" aria-label=${question}>
    <p>${question}</p>
    <button type="button" class="small-button is-strong" @click=${confirm}>${label}</button>
    <button type="button" class="small-button" ${ref(focusWhenShown)} @click=${() => ask(false)}>Cancel</button>
  </div>`;
}

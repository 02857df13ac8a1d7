import { html, type TemplateResult } from "lit-html";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";

/** The completions of a command, above the composer. The list is always there, for assistive technology to refer to. */
export function completionList({ completions }: ConsoleState, actions: Actions): TemplateResult {
  const items = completions?.items ?? [];
  return html`<ul id="completions" class="completions" role="listbox" aria-label="Commands" ?hidden=${items.length === 0}>
    ${items.map(
      ({ label, description }, index) => html`<li
        id="completion-${index}"
        role="option"
        aria-selected=${index === completions?.selected}
        @pointerdown=${(event: Event) => event.preventDefault()}
        @click=${() => actions.draft.acceptCompletion(index)}
      >
        <span class="completion-label">${label}</span>
        <span class="completion-description">${description}</span>
      </li>`,
    )}
  </ul>`;
}

import { html, nothing, type TemplateResult } from "lit-html";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";

/** Characters of a long message that are shown at first. */
const shownAtFirst = 1_500;

/** Maximum characters of a message that are put on the page. */
const maxShown = 100_000;

/** A person's message as they wrote it; a long text is folded. */
export function saidText(key: string, text: string, state: ConsoleState, actions: Actions): TemplateResult {
  if (text.length <= shownAtFirst * 1.5) return html`<p class="said">${text}</p>`;
  const open = state.disclosed.get(key) ?? false;
  const shown = text.slice(0, open ? maxShown : shownAtFirst);
  const count = text.length.toLocaleString();
  return html`<p class="said ${open ? "is-long" : "is-folded"}" tabindex=${open ? "0" : nothing}>${shown}</p>
    ${open && text.length > maxShown ? html`<p class="hint">The first ${maxShown.toLocaleString()} characters are shown.</p>` : nothing}
    <button type="button" class="quiet-button" aria-expanded=${open} @click=${() => actions.page.disclose(key, !open)}>
      ${open ? "Show less" : `Show all ${count} characters`}
    </button>`;
}

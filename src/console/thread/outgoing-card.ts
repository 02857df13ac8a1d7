import { html, nothing, type TemplateResult } from "lit-html";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState, OutgoingMessage } from "../state/state.ts";
import { saidText } from "./said-text.ts";

/** A message that is not in the thread yet: on its way, or not sent and why. */
export function outgoingCard(
  message: OutgoingMessage,
  state: ConsoleState,
  actions: Actions,
): TemplateResult {
  const { key, text, problem, files = [] } = message;
  return html`<article class="turn ${text.startsWith("/") ? "is-command" : ""}" aria-label="Message on its way">
    <div class="bubble-row">
      <div class="bubble is-outgoing">
        ${text === "" ? nothing : saidText(`${key}/said`, text, state, actions)}
        ${files.map(({ name }) => html`<p class="hint">${icon("attach")} ${name}${problem === undefined ? ", on its way" : ""}</p>`)}
      </div>
      ${problem === undefined ? nothing : problemNote(key, problem, actions)}
    </div>
  </article>`;
}

function problemNote(key: string, problem: string, actions: Actions): TemplateResult {
  return html`<p class="bubble-note is-problem" role="alert">
    ${icon("warning")} ${problem}
    <button type="button" class="quiet-button" @click=${() => actions.messages.retry(key)}>Send again</button>
    <button type="button" class="quiet-button" @click=${() => actions.messages.discard(key)}>Discard</button>
  </p>`;
}

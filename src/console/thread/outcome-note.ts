import { html, nothing, type TemplateResult } from "lit-html";
import type { TurnView } from "../../core/log/turn-view.ts";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import type { RenderMarkdown } from "./markdown.ts";
import { type TurnOutcome, turnOutcome } from "./turn-outcome.ts";

/** The card of a turn that did not simply answer. */
export function outcomeNote(
  view: TurnView,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult | typeof nothing {
  const outcome = turnOutcome(view);
  if (outcome === undefined) return nothing;
  const { kind, title, body, next } = outcome;
  return html`<div class="card outcome is-${kind}" data-testid="outcome">
    <div>
      ${title === undefined ? nothing : html`<p class="card-title">${icon("warning")} ${title}</p>`}
      <div class="card-text answer">${markdown(body)}</div>
    </div>
    ${next === undefined ? nothing : nextButton(actions, next)}
  </div>`;
}

function nextButton(actions: Actions, { label, text }: NonNullable<TurnOutcome["next"]>): TemplateResult {
  return html`<button type="button" class="small-button" @click=${() => actions.messages.send(text)}>
    ${icon("again")} ${label}
  </button>`;
}

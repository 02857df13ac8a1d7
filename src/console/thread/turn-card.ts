import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { costText } from "../../core/log/turn-event.ts";
import { formatDuration, type TurnView } from "../../core/log/turn-view.ts";
import { icon } from "../page/icons.ts";
import { modelName } from "../page/model-name.ts";
import { clockTime, fullTime } from "../page/relative-time.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { approvalCard } from "./approval-card.ts";
import { deleteControl } from "./delete-control.ts";
import { fileList } from "./file-list.ts";
import type { RenderMarkdown } from "./markdown.ts";
import { outcomeNote } from "./outcome-note.ts";
import { progressBlock } from "./progress-block.ts";
import { questionCard } from "./question-card.ts";
import { saidText } from "./said-text.ts";

/** One turn: what was said, what is being done about it, the answer. */
export function turnCard(
  view: TurnView,
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult {
  const name = state.about?.name ?? "Knack";
  const isCommand = view.kind === "command";
  if (view.forgotten_by !== undefined) return deletedTurn(view);
  return html`<article class="turn ${isCommand ? "is-command" : ""}" aria-label="Turn" data-status=${view.status}>
    ${view.said === "" && view.attachments.length === 0 ? nothing : saidBubble(view, state, actions)}
    ${view.steered.map(({ text }) => steeredBubble(text, name))}
    <div class="reply">
      ${view.status === "queued" ? queuedNote(view, state, actions) : nothing}
      ${progressBlock(view, state, actions)}
      ${view.handoffs.map(({ to }) => html`<p class="handoff">Handed over to ${to}</p>`)}
      ${view.text === "" || isOnlyTheFailure(view) ? nothing : answer(view, markdown, name)}
      ${fileList(view.files, "Files", state, actions)}
      ${view.question === undefined ? nothing : questionCard(view.turn_id, view.question, actions)}
      ${view.approvals.map((approval) => approvalCard(approval, actions))}
      ${view.status === "finished" ? outcomeNote(view, actions, markdown) : nothing}
      ${view.status === "finished" ? footer(view, state, actions) : nothing}
    </div>
  </article>`;
}

function deletedTurn({ turn_id, forgotten_by }: TurnView): TemplateResult {
  return html`<article class="turn is-deleted" aria-label="Turn" data-turn=${turn_id}>
    <p class="hint" data-testid="deleted">Deleted by ${forgotten_by}.</p>
  </article>`;
}

function saidBubble(view: TurnView, state: ConsoleState, actions: Actions): TemplateResult {
  const isOther = view.author.id !== "operator" && view.author.id !== "";
  return html`<div class="bubble-row">
    <div class="bubble" title=${fullTime(view.accepted_at)}>
      <span class=${isOther ? "bubble-author" : "visually-hidden"}>${isOther ? view.author.name : "You"}: </span>
      ${view.said === "" ? nothing : saidText(`${view.turn_id}/said`, view.said, state, actions)}
      ${fileList(view.attachments, "Attached files", state, actions)}
    </div>
  </div>`;
}

function steeredBubble(text: string, name: string): TemplateResult {
  return html`<div class="bubble-row">
    <div class="bubble">
      <p class="said">${text}</p>
    </div>
    <p class="bubble-note">Added while ${name} was working</p>
  </div>`;
}

function queuedNote(view: TurnView, state: ConsoleState, actions: Actions): TemplateResult {
  const waited = state.now - view.accepted_at;
  return html`<div class="queued" data-testid="queued">
    ${icon("clock")}
    <span>${waited < 1_000 ? "Sent" : "Queued: it is answered after what came before it"}</span>
    ${
      waited < 1_000
        ? nothing
        : html`<button type="button" class="quiet-button" @click=${() => actions.messages.stop(view.turn_id)}>
            Cancel
          </button>`
    }
  </div>`;
}

/** A turn that failed without an answer has the reason as its text; the note below says it. */
function isOnlyTheFailure({ outcome, text, error }: TurnView): boolean {
  return outcome === "failed" && (error === undefined || text === error.message);
}

function answer(view: TurnView, markdown: RenderMarkdown, name: string): TemplateResult {
  const streaming = view.status !== "finished";
  return html`<div class="answer ${streaming ? "is-streaming" : ""}" data-testid="answer" aria-busy=${streaming}>
    <span class="visually-hidden">${name}: </span>
    ${guard([view.text], () => markdown(view.text))}
  </div>`;
}

function footer(view: TurnView, state: ConsoleState, actions: Actions): TemplateResult {
  const facts = [
    view.finished_at === undefined ? "" : clockTime(view.finished_at),
    view.steps.length > 0 || view.started_at === undefined || view.finished_at === undefined
      ? ""
      : formatDuration(view.finished_at - view.started_at),
    tokens(view),
    costText(view),
    view.kind === "command" || view.model === "" ? "" : modelName(view.model),
  ].filter((fact) => fact !== "");
  return html`<footer class="turn-footer">
    ${
      view.text === ""
        ? nothing
        : html`<button type="button" class="quiet-button" data-copy="answer" data-text=${view.text} aria-label="Copy the answer">
            ${icon("copy")}
          </button>`
    }
    <span>${facts.join(" · ")}</span>
    ${deleteControl(view.turn_id, state, actions)}
  </footer>`;
}

function tokens({ input_tokens, output_tokens }: TurnView): string {
  const total = input_tokens + output_tokens;
  return total === 0 ? "" : `${total.toLocaleString()} tokens`;
}

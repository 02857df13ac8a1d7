import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { formatBytes } from "../../base/amounts.ts";
import { beginningOf } from "../../base/markdown-text.ts";
import { type FileView, formatDuration, type TurnView } from "../../core/log/turn-view.ts";
import { costText } from "../../core/log/usage.ts";
import { teachThis } from "../../core/ports/teaching.ts";
import { icon } from "../page/icons.ts";
import { clockTime, fullTime } from "../page/relative-time.ts";
import { modelName } from "../page/thread-title.ts";
import type { Actions } from "../state/actions.ts";
import { isPicture, pictureKey } from "../state/file-actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { approvalCard } from "./approval-card.ts";
import type { RenderMarkdown } from "./markdown.ts";
import { progressBlock } from "./progress-block.ts";
import { questionCard } from "./question-card.ts";
import { receiptView } from "./receipt-view.ts";
import { saidText } from "./said-text.ts";
import { type TurnOutcome, turnOutcome } from "./turn-outcome.ts";

/** One turn: the message, the progress, the answer. */
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
    ${aboveReply(view, state, actions)}
    ${view.steered.map(({ text }) => steeredBubble(text, name))}
    <div class="reply">
      ${view.status === "queued" ? queuedNote(view, state, actions) : nothing}
      ${progressBlock(view, state, actions)}
      ${view.text === "" || isOnlyTheFailure(view) ? nothing : answer(view, markdown, name)}
      ${fileList(view.files, "Files", state, actions)}
      ${view.question === undefined ? nothing : questionCard(view.turn_id, view.question, actions)}
      ${view.approvals.map((approval) => approvalCard(approval, actions))}
      ${view.status === "finished" ? outcomeNote(view, actions, markdown) : nothing}
      ${view.status === "finished" ? footer(view, state, actions) : nothing}
      ${openReceipt(view.turn_id, state, actions, markdown)}
    </div>
  </article>`;
}

function deletedTurn({ turn_id, forgotten_by }: TurnView): TemplateResult {
  return html`<article class="turn is-deleted" aria-label="Turn" data-turn=${turn_id}>
    <p class="hint" data-testid="deleted">Deleted by ${forgotten_by}.</p>
  </article>`;
}

/** The message, or the task of an agent that works in the background. */
function aboveReply(view: TurnView, state: ConsoleState, actions: Actions): TemplateResult | typeof nothing {
  const { said, attachments, background } = view;
  if (background !== undefined)
    return html`<p class="handoff" title=${fullTime(view.accepted_at)}>
      ${background}, in the background: ${beginningOf(said, 300)}
    </p>`;
  return said === "" && attachments.length === 0 ? nothing : saidBubble(view, state, actions);
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
    <span>${waited < 1_000 ? "Sent" : "Queued: answered after the earlier messages"}</span>
    ${
      waited < 1_000
        ? nothing
        : html`<button type="button" class="quiet-button" @click=${() => actions.messages.stop(view.turn_id)}>
            Cancel
          </button>`
    }
  </div>`;
}

/** The text of a turn that failed without an answer is the reason, which the note below shows. */
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
    <button
      type="button"
      class="quiet-button"
      aria-expanded=${state.receipts.has(view.turn_id)}
      @click=${() => actions.receipts.toggle(view.turn_id)}
    >
      Receipt
    </button>
    ${
      mayTeach(view, state)
        ? html`<button type="button" class="quiet-button" @click=${() => actions.messages.send(teachThis)}>
            Make this a skill
          </button>`
        : nothing
    }
    ${deleteControl(view.turn_id, state, actions)}
  </footer>`;
}

/** Whether the turn showed something that may become a skill, which a model writes. */
function mayTeach({ outcome, kind, steps }: TurnView, { about }: ConsoleState): boolean {
  return outcome === "completed" && kind === "message" && steps.length > 0 && about?.model !== "offline";
}

function openReceipt(
  turnId: string,
  { receipts }: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult | typeof nothing {
  const open = receipts.get(turnId);
  return open === undefined ? nothing : receiptView(turnId, open, actions, markdown);
}

function tokens({ input_tokens, output_tokens }: TurnView): string {
  const total = input_tokens + output_tokens;
  return total === 0 ? "" : `${total.toLocaleString()} tokens`;
}

/** Deletes a turn after a confirmation: a deletion cannot be undone. */
function deleteControl(turnId: string, state: ConsoleState, actions: Actions): TemplateResult {
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

/** The card of a turn that did not simply answer. */
function outcomeNote(
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

/** Files of a turn, attached or made: pictures as they are, everything to download. */
function fileList(
  files: readonly FileView[],
  label: string,
  state: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (files.length === 0) return nothing;
  return html`<ul class="files" aria-label=${label}>
    ${files.map((file) => html`<li>${picture(file, state)}${downloadButton(file, actions)}</li>`)}
  </ul>`;
}

function picture(file: FileView, { pictures }: ConsoleState): TemplateResult | typeof nothing {
  const source = isPicture(file) ? pictures.get(pictureKey(file)) : undefined;
  if (source === undefined) return nothing;
  return html`<img class="file-picture" src=${source} alt=${file.name} />`;
}

function downloadButton(file: FileView, actions: Actions): TemplateResult {
  return html`<button
    type="button"
    class="button file-button"
    aria-label="Download ${file.name}"
    @click=${() => actions.files.download(file)}
  >
    ${icon("page")} <span>${file.name}</span> <span class="duration">${formatBytes(file.bytes)}</span>
  </button>`;
}

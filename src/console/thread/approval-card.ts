import { html, nothing, type TemplateResult } from "lit-html";
import type { ApprovalView, FileView } from "../../core/log/turn-view.ts";
import { verdictText } from "../../core/log/turn-view-steps.ts";
import { editedInput, textToEdit } from "../../core/values/call-arguments.ts";
import { alwaysLabel, alwaysText, exactJson, shownCall, turnLabel } from "../../core/values/shown.ts";
import type { Verdict } from "../../core/values/verdict.ts";
import { icon } from "../page/icons.ts";
import { clockTime } from "../page/relative-time.ts";

/** The part of the page's actions that the card uses. */
interface Decides {
  messages: { approve(approvalId: string, verdict: Verdict, text?: string): void };
  files: { download(file: FileView): void };
}

/** An approval in words, with the exact arguments behind “Details”; after a decision, who decided. */
export function approvalCard(approval: ApprovalView, actions: Decides): TemplateResult {
  const { state, approval_id, expires_at, binds, input } = approval;
  const forTurn = turnLabel(approval);
  const decide = (verdict: Verdict) => () => actions.messages.approve(approval_id, verdict);
  if (state !== "open") return decidedLine(approval);
  return html`<section class="card question approval" aria-label="An approval" data-testid="approval">
    <p class="card-title">${icon("question")} ${sentenceOf(approval)}</p>
    ${callOf(approval)} ${askedFiles(approval, actions)}
    ${approval.reason === undefined ? nothing : html`<p>${approval.reason}</p>`}
    <div class="choices" role="group" aria-label="Decide">
      <button type="button" class="button is-primary" @click=${decide("once")}>${binds === undefined ? "Approve" : "Approve once"}</button>
      <button type="button" class="button" @click=${decide("refuse")}>Refuse</button>
      ${forTurn === undefined ? nothing : html`<button type="button" class="button" @click=${decide("turn")}>${forTurn}</button>`}
      ${
        binds === undefined
          ? nothing
          : html`<button type="button" class="button" @click=${decide("always")}>${alwaysLabel({ binds, input })}</button>
      <button type="button" class="button" @click=${decide("never")}>Never</button>`
      }
    </div>
    ${textField(approval, actions)}
    ${argumentsOf(approval)}
    ${binds === undefined ? nothing : html`<p class="hint">${alwaysText({ binds, input })}</p>`}
    <p class="hint">${approval.person?.name ?? people[approval.approver]} may decide. Nothing runs before you decide. Open until ${clockTime(expires_at)}.</p>
  </section>`;
}

const people = {
  asker: "You",
  guest: "Anybody",
  member: "A member",
  manager: "A manager",
  operator: "An operator",
};

function sentenceOf(approval: ApprovalView): string {
  const { sentence, asker } = shownCall(approval);
  return asker === undefined ? sentence : `The skill ${asker} asks: ${sentence}`;
}

/** What others will see or what runs, and all other arguments, however long: people decide on what they see. */
function callOf(approval: ApprovalView): TemplateResult {
  const { quote, rest } = shownCall(approval);
  return html`${quote === undefined ? nothing : html`<blockquote class=${quote.code ? "asked-text is-code" : "asked-text"}>${quote.text}</blockquote>`}
    ${rest.length === 0 ? nothing : html`<ul class="asked-arguments">${rest.map(({ name, value }) => html`<li><b>${name}:</b> ${value}</li>`)}</ul>`}`;
}

/** Exactly the files that are asked about, to open before deciding. */
function askedFiles({ files = [] }: ApprovalView, actions: Decides): readonly TemplateResult[] {
  return files.flatMap(({ url, stored: name, ...file }) =>
    url === undefined || name === undefined
      ? []
      : [
          html`<button type="button" class="button file-button" aria-label="Download ${name}" @click=${() => actions.files.download({ ...file, name, url })}>
        ${icon("page")} <span>${name}</span>
      </button>`,
        ],
  );
}

/** A field for the quoted text: the call is approved with what it contains. */
function textField(approval: ApprovalView, actions: Decides): TemplateResult | typeof nothing {
  const text = textToEdit(approval);
  if (text === undefined) return nothing;
  const approve = (event: Event) => {
    event.preventDefault();
    const { elements } = event.currentTarget as unknown as { elements: { text: { value: string } } };
    const edited = elements.text.value;
    if (edited.trim() !== "") actions.messages.approve(approval.approval_id, "once", edited);
  };
  return html`<details class="decided">
    <summary>Edit</summary>
    <form class="asked-edit" @submit=${approve}>
      <textarea class="field" name="text" rows="6" aria-label="Text" .value=${text}></textarea>
      <button type="submit" class="button">Approve with this text</button>
    </form>
  </details>`;
}

function argumentsOf({ tool, skill_id, input }: ApprovalView): TemplateResult {
  return html`<details class="decided">
    <summary>Details</summary>
    <p class="hint">${[skill_id, tool].filter(Boolean).join(", ")}</p>
    <pre tabindex="0" aria-label="Arguments"><code>${exactJson(input)}</code></pre>
  </details>`;
}

const undecided = {
  expired: "Nobody decided in time.",
  replaced: "Replaced: what this is about has changed, and it was asked about again.",
};

function decidedLine(approval: ApprovalView): TemplateResult {
  const { state, by, name = by, edited } = approval;
  const input = editedInput(approval.input, approval.says, edited);
  const isApproved = state === "approved";
  return html`<details class="decided" data-testid="decided">
    <summary>
      ${icon(isApproved ? "check" : "cross")}
      <span>${sentenceOf(approval)} ${name === undefined ? undecided[state === "replaced" ? state : "expired"] : html`<b>${name}</b> ${verdictText({ ...approval, approved: isApproved })}`}</span>
    </summary>
    <pre tabindex="0" aria-label="Arguments"><code>${exactJson(input)}</code></pre>
  </details>`;
}

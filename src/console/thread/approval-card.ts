import { html, nothing, type TemplateResult } from "lit-html";
import type { ApprovalVerdict, ApprovalView } from "../../core/log/turn-view.ts";
import { verdictText } from "../../core/log/turn-view-steps.ts";
import { alwaysLabel, alwaysText, exactJson } from "../../core/values/shown.ts";
import { icon } from "../page/icons.ts";
import { clockTime } from "../page/relative-time.ts";

/** The part of the page's actions that the card uses. */
interface Decides {
  messages: { approve(approvalId: string, verdict: ApprovalVerdict): void };
}

/** An approval with the exact arguments; after a decision, who decided. */
export function approvalCard(approval: ApprovalView, actions: Decides): TemplateResult {
  const { state, approval_id, expires_at, binds, input } = approval;
  const decide = (verdict: ApprovalVerdict) => () => actions.messages.approve(approval_id, verdict);
  if (state !== "open") return decidedLine(approval);
  return html`<section class="card question approval" aria-label="An approval" data-testid="approval">
    <p class="card-title">${icon("question")} ${toolName(approval)} needs the approval of ${people[approval.approver]}</p>
    ${approval.question === undefined ? nothing : html`<p>${approval.skill_id || approval.tool} asks: ${approval.question}</p>`}
    ${approval.reason === undefined ? nothing : html`<p>${approval.reason}</p>`}
    ${argumentsOf(approval)}
    <div class="choices" role="group" aria-label="Decide">
      <button type="button" class="button is-primary" @click=${decide(true)}>${binds === undefined ? "Approve" : "Approve once"}</button>
      <button type="button" class="button" @click=${decide(false)}>Refuse</button>
      ${(approval.addresses ?? []).length === 0 ? nothing : html`<button type="button" class="button" @click=${decide("turn")}>This site, this turn</button>`}
      ${
        binds === undefined
          ? nothing
          : html`<button type="button" class="button" @click=${decide("always")}>${alwaysLabel({ binds, input })}</button>
      <button type="button" class="button" @click=${decide("never")}>Never</button>`
      }
    </div>
    ${binds === undefined ? nothing : html`<p class="hint">${alwaysText({ binds, input })}</p>`}
    <p class="hint">Nothing runs before you decide. Open until ${clockTime(expires_at)}.</p>
  </section>`;
}

const people = {
  asker: "you",
  guest: "anybody",
  member: "a member",
  manager: "a manager",
  operator: "an operator",
};

function toolName({ tool, skill_id }: ApprovalView): string {
  return skill_id === "" || skill_id === tool ? tool : `${tool} (${skill_id})`;
}

/** All arguments, however long: people decide on what they see. */
function argumentsOf({ input }: ApprovalView): TemplateResult {
  const text = exactJson(input);
  return html`<div class="code-block">
    <div class="code-head">
      <span>It would run with exactly this</span>
      <button type="button" class="quiet-button" data-copy="code" data-text=${text}>Copy</button>
    </div>
    <pre tabindex="0" aria-label="Arguments"><code>${text}</code></pre>
  </div>`;
}

function decidedLine(approval: ApprovalView): TemplateResult {
  const { state, by, name = by, input } = approval;
  const isApproved = state === "approved";
  return html`<details class="decided" data-testid="decided">
    <summary>
      ${icon(isApproved ? "check" : "cross")}
      <span>${toolName(approval)}: ${name === undefined ? "nobody decided in time" : html`<b>${name}</b> ${verdictText({ ...approval, approved: isApproved })}`}</span>
    </summary>
    <pre tabindex="0" aria-label="Arguments"><code>${exactJson(input)}</code></pre>
  </details>`;
}

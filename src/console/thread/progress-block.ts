import { html, nothing, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { formatDuration, noticeLine, summariseSteps, type TurnView } from "../../core/log/turn-view.ts";
import type { StepView } from "../../core/log/turn-view-steps.ts";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { stepRow } from "./step-row.ts";

/** Quick turns show one quiet line instead of a list that would be gone at once, ms. */
const quietFor = 3_000;

/**
 * What the agent does, in plain language: one line at first, the steps when it takes longer, `3 steps, 12 s` at the end.
 * A channel set to `quiet` shows no steps, one set to `full` shows them with input and output.
 */
export function progressBlock(
  view: TurnView,
  state: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  const level = state.settings?.progress ?? "steps";
  const hasSteps = view.steps.length > 0 && level !== "quiet";
  if (!isRunning(view) && !hasSteps) return nothing;
  const key = `${view.turn_id}/steps`;
  const open = hasSteps && (state.disclosed.get(key) ?? opensItself(view, level, state.now));
  return html`<div class="progress ${isRunning(view) ? "is-running" : ""}" data-testid="progress">
    <div class="progress-head">
      <button
        type="button"
        class="progress-toggle"
        aria-expanded=${hasSteps ? open : nothing}
        ?disabled=${!hasSteps}
        @click=${() => actions.page.disclose(key, !open)}
      >
        ${isRunning(view) ? runningHead(view, open, state.now) : finishedHead(view)}
        ${hasSteps ? html`<span class="chevron">${icon("chevron")}</span>` : nothing}
      </button>
    </div>
    ${open ? stepList(view, state, actions) : nothing}
  </div>`;
}

function isRunning({ status }: TurnView): boolean {
  return status === "running" || status === "waiting";
}

function opensItself(view: TurnView, level: "quiet" | "steps" | "full", now: number): boolean {
  return level === "full" || (isRunning(view) && elapsed(view, now) >= quietFor);
}

function elapsed({ started_at, accepted_at }: TurnView, now: number): number {
  return now - (started_at ?? accepted_at);
}

function runningHead(view: TurnView, open: boolean, now: number): TemplateResult {
  const waits = view.status === "waiting";
  return html`${waits ? html`<span class="progress-mark is-waiting">${icon("question")}</span>` : html`<span class="spinner" aria-hidden="true"></span>`}
    <span class="progress-title">${runningTitle(view, open, now)}</span>
    <span class="duration">${formatDuration(elapsed(view, now))}</span>`;
}

function finishedHead(view: TurnView): TemplateResult {
  const failed = view.steps.some((step) => step.state === "error");
  return html`<span class="progress-mark ${failed ? "has-errors" : ""}">${icon(failed ? "warning" : "check")}</span>
    <span class="progress-title">${summariseSteps(view)}</span>`;
}

function stepList(view: TurnView, state: ConsoleState, actions: Actions): TemplateResult {
  return html`<div class="progress-body">
    ${view.remarks.map((remark) => html`<p class="remark">${remark}</p>`)}
    <ol class="steps">
      ${repeat(
        view.steps,
        (step) => step.call_id,
        (step) => stepRow(view, step, state, actions),
      )}
    </ol>
  </div>`;
}

/** What is going on right now; beneath it the list says the same with more words. */
function runningTitle(view: TurnView, open: boolean, now: number): string {
  const notice = noticeLine(view, now);
  if (notice !== undefined) return notice;
  if (view.status === "waiting")
    return view.question === undefined ? "Waiting for approval" : "Waiting for your answer";
  const current = view.steps.findLast((step) => step.state === "running");
  if (current !== undefined) return open ? "Working" : describe(current);
  return view.text === "" ? (view.thought ?? "Thinking") : "Writing";
}

function describe({ title, note }: StepView): string {
  return note === undefined ? title : `${title}: ${note}`;
}

import { html, nothing, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import {
  formatDuration,
  noticeLine,
  ownSteps,
  summariseSteps,
  type TurnView,
} from "../../core/log/turn-view.ts";
import type { StepView } from "../../core/log/turn-view-steps.ts";
import type { Json } from "../../core/values/json.ts";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";

/** Time for which a turn shows one line instead of its steps, ms: the list of a short turn would disappear at once. */
const quietFor = 3_000;

/**
 * The progress of a turn: one line at first, the steps when it takes longer, `3 steps, 12 s` at the end. A channel with `quiet`
 * shows no steps, one with `full` shows them with input and output.
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

/** The current activity; the list below has the details. */
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

const stateNames = { running: "running", ok: "done", error: "failed" } as const;

/** One tool call: state, title, latest note, duration, stages; input and output behind `Details`. */
function stepRow(view: TurnView, step: StepView, state: ConsoleState, actions: Actions): TemplateResult {
  const key = `${view.turn_id}/${step.call_id}`;
  const open = state.disclosed.get(key) ?? state.settings?.progress === "full";
  const duration = step.duration_ms ?? (view.status === "finished" ? undefined : state.now - step.started_at);
  return html`<li class="step is-${step.state} ${ownSteps(view).includes(step) ? "" : "is-nested"}">
    <div class="step-line">
      <span class="step-mark">${stepMark(step)}</span>
      <span class="visually-hidden">${stateNames[step.state]}:</span>
      <span class="step-title">${step.title}</span>
      ${step.note === undefined ? nothing : html`<span class="step-note">${step.note}</span>`}
      ${duration === undefined ? nothing : html`<span class="duration">${formatDuration(duration)}</span>`}
      <button
        type="button"
        class="quiet-button"
        aria-expanded=${open}
        aria-label="Details of ${step.title}"
        @click=${() => actions.page.disclose(key, !open)}
      >
        Details
      </button>
    </div>
    ${
      step.total === undefined || step.state !== "running"
        ? nothing
        : html`<progress max=${step.total} value=${step.progress ?? 0} aria-label=${step.title}></progress>`
    }
    ${step.stages.length === 0 ? nothing : html`<ul class="stages">${step.stages.map(stageItem)}</ul>`}
    ${open ? stepDetails(step) : nothing}
  </li>`;
}

function stepDetails(step: StepView): TemplateResult {
  return html`<div class="step-details">
    <p class="step-source">${step.tool}${step.skill_id === "" ? "" : ` · skill ${step.skill_id}`}</p>
    ${jsonView("Input", step.input)}
    ${step.output === undefined ? nothing : jsonView(step.state === "error" ? "Error" : "Output", step.output)}
  </div>`;
}

function stageItem({ name, status }: StepView["stages"][number]): TemplateResult {
  const mark = status === "running" ? html`<span class="spinner is-small"></span>` : stageIcon(status);
  return html`<li class="stage is-${status}">
    ${mark}<span>${name}</span><span class="visually-hidden">, ${status}</span>
  </li>`;
}

function stageIcon(status: "completed" | "failed"): TemplateResult {
  return icon(status === "completed" ? "check" : "cross");
}

function stepMark({ state }: StepView): TemplateResult {
  if (state === "running") return html`<span class="spinner" aria-hidden="true"></span>`;
  return icon(state === "ok" ? "check" : "cross");
}

/** Maximum characters shown; the copy button copies the whole text. */
const maxShown = 20_000;

/** A labelled value as indented JSON; a string as it is. */
function jsonView(label: string, value: Json): TemplateResult {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const shown = text.length <= maxShown ? text : text.slice(0, maxShown);
  const rest = text.length - shown.length;
  return html`<div class="code-block">
    <div class="code-head">
      <span>${label}</span>
      <button type="button" class="quiet-button" data-copy="code" data-text=${text}>Copy</button>
    </div>
    <pre tabindex="0" aria-label=${label}><code>${shown}</code></pre>
    ${rest > 0 ? html`<p class="code-rest">and ${rest.toLocaleString()} more characters; Copy takes all</p>` : ""}
  </div>`;
}

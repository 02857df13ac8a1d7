import { html, nothing, type TemplateResult } from "lit-html";
import { formatDuration, ownSteps, type TurnView } from "../../core/log/turn-view.ts";
import type { StepView } from "../../core/log/turn-view-steps.ts";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { jsonView } from "./json-view.ts";

const stateNames = { running: "running", ok: "done", error: "failed" } as const;

/** One tool call: state, title, latest note, duration, stages; input and output behind `Details`. */
export function stepRow(
  view: TurnView,
  step: StepView,
  state: ConsoleState,
  actions: Actions,
): TemplateResult {
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

import { html, nothing, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { FlowResult, SkillDetail } from "../../client/shapes.ts";
import { type Json, type JsonObject, objectOf } from "../../core/values/json.ts";
import { onSubmit } from "../page/form.ts";
import type { Actions } from "../state/actions.ts";
import type { Trial } from "./panel-state.ts";
import { presetText } from "./trial-values.ts";

type Parameter = SkillDetail["parameters"][number];

/** A form that runs the skill in the open channel. A flow also has a dry run. */
export function trialView(
  detail: SkillDetail,
  trial: Trial | undefined,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (!isRunnable(detail)) return nothing;
  const isFlow = detail.kind === "flow";
  const submit = onSubmit((texts, { submitter }) => {
    const button = submitter instanceof HTMLButtonElement ? submitter.value : "";
    if (button === "dry-run" || (button === "" && isFlow)) void actions.trial.dryRun(texts);
    else actions.trial.run(texts);
  });
  return html`<section aria-label="Run" data-testid="trial">
    <h4>Run it here</h4>
    ${keyed(
      detail.id,
      html`<form class="trial" novalidate @submit=${submit}>
        ${detail.parameters.map((parameter) => field(parameter, trial?.problem?.field === parameter.name))}
        <p class="problem" id="trial-problem" role="alert">${trial?.problem?.text ?? ""}</p>
        <div class="actions">
          ${isFlow ? html`<button type="submit" class="small-button" value="dry-run">Dry run</button>` : nothing}
          <button type="submit" class="small-button is-strong" value="run">Run</button>
          <span class="hint">${isFlow ? "A dry run sends nothing." : "Its steps and answer appear in the conversation."}</span>
        </div>
      </form>`,
    )}
    ${trial?.dryRun === undefined ? nothing : dryRunView(trial.dryRun)}
  </section>`;
}

/** Whether people can run the skill: guides are for the agent to read, and servers have many tools. */
function isRunnable({ kind, eligible, state, tools, invocation }: SkillDetail): boolean {
  if (!eligible || state === "blocked" || invocation?.by_people === false) return false;
  return kind !== "document" && kind !== "mcp" && tools.length === 1;
}

function field(parameter: Parameter, invalid: boolean): TemplateResult {
  const { name, description, required, default: preset } = parameter;
  const id = `trial-${name}`;
  const needed = required && preset === undefined;
  return html`<div class="trial-field">
    <label for=${id}>${name} <span>${needed ? "needed" : "optional"}</span></label>
    ${control(parameter, { id, invalid, needed })}
    ${description === "" ? nothing : html`<p class="hint" id="${id}-about">${description}</p>`}
  </div>`;
}

function control(
  { name, type, enum: choices, default: preset }: Parameter,
  { id, invalid, needed }: { id: string; invalid: boolean; needed: boolean },
): TemplateResult {
  const options = choices?.map(presetText) ?? (type === "boolean" ? ["true", "false"] : undefined);
  const text = presetText(preset);
  const describedBy = invalid ? `trial-problem ${id}-about` : `${id}-about`;
  if (options !== undefined)
    return html`<select class="field" id=${id} name=${name} aria-invalid=${invalid} aria-describedby=${describedBy}>
      ${options.includes(text) ? nothing : html`<option value="">${needed ? "Choose" : "–"}</option>`}
      ${options.map((option) => html`<option value=${option} ?selected=${option === text}>${option}</option>`)}
    </select>`;
  if (type === "number")
    return html`<input class="field" inputmode="decimal" id=${id} name=${name} value=${text} autocomplete="off" aria-invalid=${invalid} aria-describedby=${describedBy} />`;
  const example = type === "array" ? '["a", "b"]' : type === "object" ? '{"name": "value"}' : "";
  return html`<textarea class="field" rows="1" id=${id} name=${name} placeholder=${example} aria-invalid=${invalid} aria-describedby=${describedBy} .defaultValue=${text}></textarea>`;
}

/** Members of every step, which its heading shows; all others are listed. */
const head = new Set([
  "step",
  "type",
  "name",
  "does",
  "request",
  "result_goes_to",
  "is_the_answer",
  "would_fail",
]);

/** The steps of a dry run: each request with method, address and body. */
function dryRunView({ dry_run }: FlowResult): TemplateResult {
  const told = objectOf(dry_run);
  return html`<div class="dry-run" role="status" aria-label="What it would do" data-testid="dry-run">
    ${stepList(told.steps)}
    <p class="hint">${textOf(told.note)}</p>
  </div>`;
}

function stepList(steps: Json | undefined): TemplateResult {
  return html`<ol>
    ${Array.isArray(steps) ? steps.map((step) => stepView(objectOf(step))) : nothing}
  </ol>`;
}

function stepView(step: JsonObject): TemplateResult {
  const { would_fail, result_goes_to, is_the_answer } = step;
  const after = [
    result_goes_to === undefined ? "" : `kept as ${textOf(result_goes_to)}`,
    is_the_answer === true ? "is the answer" : "",
  ].filter(Boolean);
  return html`<li>
    <p class="dry-step">
      <span class="dry-number">${textOf(step.step)}</span> ${step.name === undefined ? textOf(step.does) : `${textOf(step.name)}: ${textOf(step.does)}`}
      ${after.length === 0 ? nothing : html`<span class="hint">${after.join(", ")}</span>`}
    </p>
    ${step.request === undefined ? nothing : requestView(objectOf(step.request))}
    ${would_fail === undefined ? nothing : html`<p class="skill-reason">It would fail: ${textOf(would_fail)}</p>`}
    ${Object.entries(step)
      .filter(([name]) => !head.has(name))
      .map(([name, value]) => detail(name, value))}
  </li>`;
}

function requestView({ method, url, headers, body }: JsonObject): TemplateResult {
  return html`<div class="request" data-testid="request">
    <p><strong>${textOf(method)}</strong> <code>${textOf(url)}</code></p>
    ${Object.entries(objectOf(headers)).map(([name, value]) => html`<p class="request-header"><code>${name}: ${textOf(value)}</code></p>`)}
    ${body === undefined ? nothing : html`<pre tabindex="0" aria-label="Body"><code>${textOf(body)}</code></pre>`}
  </div>`;
}

/** Steps within this one, or a value. */
function detail(name: string, value: Json): TemplateResult | typeof nothing {
  if (isEmpty(value)) return nothing;
  if (Array.isArray(value) && value.some((each) => objectOf(each).step !== undefined))
    return html`<p class="hint">${name}</p>
      ${stepList(value)}`;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return html`<div class="request">
    <p class="hint">${name}</p>
    <pre tabindex="0" aria-label=${name}><code>${text}</code></pre>
  </div>`;
}

function isEmpty(value: Json): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

import { html, nothing, type TemplateResult } from "lit-html";
import type { FlowResult } from "../../client/shapes.ts";
import { type Json, type JsonObject, objectOf } from "../../core/values/json.ts";

/** Members every step has, shown in its head; all others are told as they are. */
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

/** What a flow would do, step by step: each request with method, address and body. */
export function dryRunView({ dry_run }: FlowResult): TemplateResult {
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

/** Steps inside of this one, or a value. */
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

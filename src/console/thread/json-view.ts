import { html, type TemplateResult } from "lit-html";
import type { Json } from "../../core/values/json.ts";

/** The longest text shown; the copy button copies all of it. */
const longestShown = 20_000;

/** A labelled value as indented JSON, a text as it is. */
export function jsonView(label: string, value: Json): TemplateResult {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const shown = text.length <= longestShown ? text : text.slice(0, longestShown);
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

import { html, type TemplateResult } from "lit-html";

/** A part that opens and closes by its title; closed unless told. */
export function disclosure(
  title: TemplateResult | string,
  content: TemplateResult,
  open = false,
): TemplateResult {
  return html`<details ?open=${open}>
    <summary>${title}</summary>
    <div>${content}</div>
  </details>`;
}

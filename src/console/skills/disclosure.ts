import { html, type TemplateResult } from "lit-html";

/** A part that its title opens and closes; closed by default. */
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

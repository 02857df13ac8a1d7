import { html, type TemplateResult } from "lit-html";
import type { SkillListing } from "../../client/shapes.ts";

/** The picture of a skill; its initial when it has none, or where emoji cannot be shown. */
export function skillEmoji({ emoji, name }: SkillListing): TemplateResult {
  const initial = name.slice(0, 1).toUpperCase();
  return html`<span class="skill-emoji" data-initial=${initial} aria-hidden="true"><span>${emoji ?? initial}</span></span>`;
}

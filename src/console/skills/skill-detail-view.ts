import { html, nothing, type TemplateResult } from "lit-html";
import type { SkillDetail } from "../../client/shapes.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import type { RenderMarkdown } from "../thread/markdown.ts";
import { disclosure } from "./disclosure.ts";
import { networkView } from "./network-view.ts";
import { packageView } from "./package-view.ts";
import { reviewBadges, reviewView } from "./review-view.ts";
import { serverView } from "./server-view.ts";
import { skillEmoji } from "./skill-emoji.ts";
import { factsView, fileList, parameterList, problemList, toolList } from "./skill-facts-view.ts";
import { isReviewed } from "./skill-kinds.ts";
import { resetButton, skillFacts, skillRow, skillSwitch } from "./skill-row.ts";
import { trialView } from "./trial-view.ts";

/** One skill in full: what it needs, what it can do, where it comes from, and what is known about its code. */
export function skillDetailView(
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult {
  const { detail, saving, servers, trial } = state.skills;
  if (detail === undefined) return html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>`;
  const busy = saving.has(detail.id);
  const server = servers?.find(({ skill_id }) => skill_id === detail.id);
  return html`<article class="skill-detail" data-skill=${detail.id}>
    <header>
      ${skillEmoji(detail)}
      <h3>${detail.name}</h3>
      ${skillSwitch(detail, busy, actions)}
    </header>
    <p>${detail.description}</p>
    ${detail.reasons.map((reason) => html`<p class="skill-reason">${reason}</p>`)}
    <p class="skill-facts">${skillFacts(detail)} ${resetButton(detail, busy, actions)}</p>
    ${server === undefined ? nothing : serverView(server, state, actions)} ${problemList(detail)}
    ${examples(detail, actions)} ${trialView(detail, trial, actions)} ${parts(detail, saving, actions)}
    ${review(state)} ${networkView(detail, busy, actions)} ${packageView(detail, state, actions)}
    ${parameterList(detail)} ${server === undefined ? toolList(detail) : nothing}
    ${
      detail.instructions.trim() === ""
        ? nothing
        : disclosure(
            "Guide for the agent",
            html`<div class="answer is-small">${markdown(detail.instructions)}</div>`,
          )
    }
    ${fileList(detail)} ${factsView(detail)}
  </article>`;
}

function examples({ examples: list }: SkillDetail, actions: Actions): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  const write = (prompt: string) => {
    actions.draft.write(prompt);
    document.getElementById("composer")?.focus();
  };
  return html`<section>
    <h4>Try</h4>
    <ul class="examples">
      ${list.map(
        ({ prompt }) =>
          html`<li><button type="button" class="suggestion" @click=${() => write(prompt)}>${prompt}</button></li>`,
      )}
    </ul>
  </section>`;
}

function parts(
  { parts: list }: SkillDetail,
  saving: ReadonlySet<string>,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<section>
    <h4>Parts</h4>
    <ul class="parts">
      ${list.map((listing) => html`<li>${skillRow(listing, saving.has(listing.id), actions)}</li>`)}
    </ul>
  </section>`;
}

/** Open at once where something dangerous was found. */
function review({ skills: { detail, review: read } }: ConsoleState): TemplateResult | typeof nothing {
  if (detail === undefined || !isReviewed(detail) || read === undefined) return nothing;
  if (!read.ok)
    return html`<section>
      <h4>Review</h4>
      <p class="hint">${read.reason}</p>
    </section>`;
  const { value } = read;
  const danger = value.findings.some(({ severity }) => severity === "danger");
  return html`<section data-testid="skill-review">
    ${disclosure(html`<h4>Review</h4> ${reviewBadges(value)}`, reviewView(value), danger)}
  </section>`;
}

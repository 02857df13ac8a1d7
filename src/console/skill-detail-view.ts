import { html, nothing, type TemplateResult } from "lit-html";
import type { SkillDetail } from "../client/shapes.ts";
import type { Actions } from "./actions.ts";
import type { RenderMarkdown } from "./markdown.ts";
import { skillEmoji } from "./skill-emoji.ts";
import { resetButton, skillFacts, skillRow, skillSwitch } from "./skill-row.ts";
import type { ConsoleState } from "./state.ts";

/** One skill in full: what it needs, what it can do, how it is used. */
export function skillDetailView(
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult {
  const { detail, saving } = state.skills;
  if (detail === undefined) return html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>`;
  const busy = saving.has(detail.id);
  return html`<article class="skill-detail" data-skill=${detail.id}>
    <header>
      ${skillEmoji(detail)}
      <h3>${detail.name}</h3>
      ${skillSwitch(detail, busy, actions)}
    </header>
    <p>${detail.description}</p>
    ${detail.reasons.map((reason) => html`<p class="skill-reason">${reason}</p>`)}
    <p class="skill-facts">${skillFacts(detail)} ${resetButton(detail, busy, actions)}</p>
    ${examples(detail, actions)}
    ${
      detail.parts.length === 0
        ? nothing
        : part(
            "Parts",
            html`<ul class="parts">
              ${detail.parts.map((listing) => html`<li>${skillRow(listing, saving.has(listing.id), actions)}</li>`)}
            </ul>`,
          )
    }
    ${parameters(detail)} ${tools(detail)}
    ${
      detail.instructions.trim() === ""
        ? nothing
        : html`<details>
            <summary>Guide for the agent</summary>
            <div class="answer is-small">${markdown(detail.instructions)}</div>
          </details>`
    }
    ${facts(detail)}
  </article>`;
}

function part(title: string, content: TemplateResult): TemplateResult {
  return html`<section>
    <h4>${title}</h4>
    ${content}
  </section>`;
}

function examples({ examples: list }: SkillDetail, actions: Actions): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  const write = (prompt: string) => {
    actions.draft.write(prompt);
    document.getElementById("composer")?.focus();
  };
  return part(
    "Try",
    html`<ul class="examples">
      ${list.map(
        ({ prompt }) =>
          html`<li><button type="button" class="suggestion" @click=${() => write(prompt)}>${prompt}</button></li>`,
      )}
    </ul>`,
  );
}

function parameters({ parameters: list }: SkillDetail): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return part(
    "Parameters",
    html`<dl class="parameters">
      ${list.map(
        ({ name, type, description, required, default: preset }) => html`<dt>
            <code>${name}</code> <span>${type}${required ? ", required" : ""}</span>
          </dt>
          <dd>${description} ${preset === undefined ? nothing : html`<span>Default: <code>${JSON.stringify(preset)}</code></span>`}</dd>`,
      )}
    </dl>`,
  );
}

function tools({ tools: list }: SkillDetail): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return part(
    "Tools",
    html`<dl class="parameters">
      ${list.map(
        ({ name, description }) => html`<dt><code>${name}</code></dt>
          <dd>${description}</dd>`,
      )}
    </dl>`,
  );
}

function facts(detail: SkillDetail): TemplateResult {
  const rows: [string, string][] = [
    ["Id", detail.id],
    ["Version", detail.version],
    ["Category", detail.category],
    ["Author", detail.author],
    ["License", detail.license ?? ""],
    ["Time limit", `${detail.max_execution_seconds} s`],
    ["Files", detail.files.length === 0 ? "" : String(detail.files.length)],
    ["Where", detail.path],
  ];
  return html`<dl class="facts">
    ${rows
      .filter(([, value]) => value !== "")
      .map(
        ([name, value]) => html`<dt>${name}</dt>
          <dd>${value}</dd>`,
      )}
  </dl>`;
}

import { html, nothing, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { repeat } from "lit-html/directives/repeat.js";
import type { SkillListing } from "../client/shapes.ts";
import type { Actions } from "./actions.ts";
import { channelSettings } from "./channel-settings-view.ts";
import { channelName, isDirect } from "./channels.ts";
import { focusWhenShown } from "./focus-when-shown.ts";
import { icon } from "./icons.ts";
import type { RenderMarkdown } from "./markdown.ts";
import { skillDetailView } from "./skill-detail-view.ts";
import { skillRow } from "./skill-row.ts";
import type { ConsoleState } from "./state.ts";

/** The skills of the open channel: what is on, what the agent may take up, what is off, and what cannot work and why. */
export function skillsPanel(
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult | typeof nothing {
  const { skills: panel, open } = state;
  if (!panel.open) return nothing;
  const where = isDirect(open.namespace) ? "this direct message" : `#${channelName(open.namespace)}`;
  return html`<aside class="panel" id="skills" aria-labelledby="skills-title">
    <header class="panel-head">
      ${
        panel.detailId === undefined
          ? html`<h2 id="skills-title" tabindex="-1" ${ref(focusWhenShown)}>Skills <span>in ${where}</span></h2>`
          : html`<button
                type="button"
                class="small-button"
                ${ref(focusWhenShown)}
                @click=${() => actions.skills.showSkill(undefined)}
              >
                ${icon("back")} All skills
              </button>
              <h2 id="skills-title" class="visually-hidden">Skill</h2>`
      }
      <button type="button" class="icon-button" aria-label="Close skills" @click=${() => closePanel(actions)}>
        ${icon("close")}
      </button>
    </header>
    <div class="panel-body">
      ${panel.problem === undefined ? nothing : html`<p class="card outcome is-failed" role="alert">${panel.problem}</p>`}
      ${panel.detailId === undefined ? skillList(state, actions) : skillDetailView(state, actions, markdown)}
    </div>
  </aside>`;
}

function closePanel(actions: Actions): void {
  actions.skills.togglePanel();
  document.getElementById("skills-toggle")?.focus();
}

function skillList(state: ConsoleState, actions: Actions): TemplateResult {
  const { skills: panel } = state;
  const onSearch = (event: Event) => {
    if (event.target instanceof HTMLInputElement) actions.skills.search(event.target.value);
  };
  return html`<p class="hint">
      On keeps a skill at hand in this channel. Off hides it from the agent. The others it takes up by itself when it needs them.
    </p>
    <input class="field" type="search" placeholder="Find a skill" aria-label="Find a skill" .value=${panel.query} @input=${onSearch} />
    ${panel.skills === undefined ? html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>` : nothing}
    ${group("On", panel, actions, (skill) => skill.eligible && isOn(skill))}
    ${group("Available", panel, actions, (skill) => skill.eligible && skill.state === "available")}
    ${group("Off", panel, actions, (skill) => skill.eligible && skill.state === "blocked")}
    ${group("Needs something first", panel, actions, (skill) => !skill.eligible)}
    ${diagnosticsList(panel.diagnostics)} ${channelSettings(state, actions)}`;
}

function isOn({ state }: SkillListing): boolean {
  return state === "pinned" || state === "active";
}

function group(
  title: string,
  panel: ConsoleState["skills"],
  actions: Actions,
  belongs: (skill: SkillListing) => boolean,
): TemplateResult | typeof nothing {
  const query = panel.query.trim().toLowerCase();
  const skills = (panel.skills ?? []).filter(
    (skill) => skill.parent === undefined && belongs(skill) && searchText(skill).includes(query),
  );
  if (skills.length === 0) return nothing;
  return html`<section class="skill-group">
    <h3>${title} <span>${skills.length}</span></h3>
    <ul>
      ${repeat(
        skills,
        ({ id }) => id,
        (skill) => html`<li>${skillRow(skill, panel.saving.has(skill.id), actions)}</li>`,
      )}
    </ul>
  </section>`;
}

function searchText({ id, name, description, category }: SkillListing): string {
  return `${id} ${name} ${description} ${category}`.toLowerCase();
}

function diagnosticsList(
  diagnostics: ConsoleState["skills"]["diagnostics"],
): TemplateResult | typeof nothing {
  if (diagnostics.length === 0) return nothing;
  return html`<details class="diagnostics">
    <summary>${diagnostics.length} ${diagnostics.length === 1 ? "note" : "notes"} from loading skills</summary>
    <ul>
      ${diagnostics.map(
        ({ severity, message, path }) => html`<li class="is-${severity}">
          <strong>${severity}</strong> ${message}
          <code>${path}</code>
        </li>`,
      )}
    </ul>
  </details>`;
}

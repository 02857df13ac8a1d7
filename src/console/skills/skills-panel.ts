import { html, nothing, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { icon } from "../page/icons.ts";
import { focusWhenShown } from "../page/modal.ts";
import type { Actions } from "../state/actions.ts";
import { channelName, isDirect } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";
import type { RenderMarkdown } from "../thread/markdown.ts";
import { allowDrop, takeDropped } from "./dropped-file.ts";
import { skillDetailView } from "./skill-detail-view.ts";
import { skillListView } from "./skill-list-view.ts";

/** The skills of the open channel: on, available to the agent, off, and unusable ones with the reason. */
export function skillsPanel(
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult | typeof nothing {
  const { skills: panel, open } = state;
  if (!panel.open) return nothing;
  const where = isDirect(open.namespace) ? "this direct message" : `#${channelName(open.namespace)}`;
  return html`<aside class="panel" id="skills" aria-labelledby="skills-title" @dragover=${allowDrop} @drop=${(event: DragEvent) => takeDropped(event, actions)}>
    <header class="panel-head">
      ${
        panel.detailId === undefined
          ? html`<h2 id="skills-title" tabindex="-1" ${ref(focusWhenShown)}>Skills <span>in ${where}</span></h2>
              <button type="button" class="small-button" id="install-skills" @click=${() => actions.install.begin()}>
                ${icon("plus")} Install
              </button>`
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
      <p class="panel-note" role="status">${panel.note ?? ""}</p>
      ${panel.problem === undefined ? nothing : html`<p class="card outcome is-failed" role="alert">${panel.problem}</p>`}
      ${panel.detailId === undefined ? skillListView(state, actions) : skillDetailView(state, actions, markdown)}
    </div>
  </aside>`;
}

function closePanel(actions: Actions): void {
  actions.skills.togglePanel();
  document.getElementById("skills-toggle")?.focus();
}

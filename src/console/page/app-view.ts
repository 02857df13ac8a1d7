import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { composerView } from "../composer/composer-view.ts";
import { installDialog } from "../skills/install-dialog.ts";
import { skillsPanel } from "../skills/skills-panel.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import type { RenderMarkdown } from "../thread/markdown.ts";
import { threadView } from "../thread/thread-view.ts";
import { bannerView } from "./banner-view.ts";
import { headerView } from "./header-view.ts";
import { icon } from "./icons.ts";
import { sidebarView } from "./sidebar-view.ts";
import { switcherDialog } from "./switcher-dialog.ts";
import { tokenDialog } from "./token-dialog.ts";

/** The whole page. `toLatest` scrolls the conversation to its end. */
export function appView(
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
  toLatest: () => void,
): TemplateResult {
  // What is typed changes the composer alone, however long the conversation is.
  const { draft: _draft, completions: _completions, ...shown } = state;
  const unlessTyped = (view: () => unknown) => guard(Object.values(shown), view);
  const classes = [state.sidebarOpen ? "has-sidebar" : "", state.skills.open ? "has-panel" : ""].join(" ");
  return html`<a class="skip-link" href="#composer" @click=${focusComposer}>Write a message</a>
    <div class="frame ${classes}">
      ${unlessTyped(() => sidebarView(state, actions))}
      <div class="scrim" @click=${() => closeDrawers(state, actions)}></div>
      <main class="main">
        ${unlessTyped(() => html`${headerView(state, actions)} ${bannerView(state, actions)}`)}
        <div class="scroller" id="scroller">${unlessTyped(() => threadView(state, actions, markdown))}</div>
        <div class="foot">
          <button type="button" class="to-latest" id="to-latest" hidden @click=${toLatest}>
            ${icon("down")} Latest
          </button>
          ${composerView(state, actions)}
        </div>
      </main>
      ${unlessTyped(() => skillsPanel(state, actions, markdown))}
    </div>
    ${state.dialog === "switcher" ? switcherDialog(state, actions) : nothing}
    ${state.dialog === "install" ? installDialog(state, actions) : nothing}
    ${state.dialog === "token" ? tokenDialog(state, actions) : nothing}`;
}

function focusComposer(event: Event): void {
  event.preventDefault();
  document.getElementById("composer")?.focus();
}

function closeDrawers(state: ConsoleState, actions: Actions): void {
  if (state.sidebarOpen) actions.page.toggleSidebar();
  if (state.skills.open) actions.skills.togglePanel();
}

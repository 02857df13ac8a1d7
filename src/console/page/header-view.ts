import { html, nothing, type TemplateResult } from "lit-html";
import type { Actions } from "../state/actions.ts";
import { channelName, isDirect } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";
import { type IconName, icon } from "./icons.ts";
import { modelName, threadTitle } from "./thread-title.ts";

const themeIcons = { system: "screen", light: "sun", dark: "moon" } as const;

/** Where we are, and the switches of the page. */
export function headerView(state: ConsoleState, actions: Actions): TemplateResult {
  const { open, about } = state;
  const channel = isDirect(open.namespace) ? "Direct message" : `# ${channelName(open.namespace)}`;
  return html`<header class="header">
    <span class="narrow-only">
      ${iconButton("menu", "Channels and threads", () => actions.page.toggleSidebar(), state.sidebarOpen)}
    </span>
    <div class="place">
      ${
        open.thread === undefined
          ? html`<h1>${channel}</h1>`
          : html`<button type="button" class="crumb" @click=${() => actions.channels.beginThread()}>${channel}</button>
              <span class="crumb-mark" aria-hidden="true">/</span>
              <h1>${currentTitle(state)}</h1>`
      }
    </div>
    ${about === undefined ? nothing : html`<span class="model wide-only" title="The language model in use">${modelName(state.settings?.model ?? about.model)}</span>`}
    ${iconButton(themeIcons[state.theme], `Theme: ${state.theme}`, () => actions.page.nextTheme())}
    ${iconButton("write", "New thread", () => actions.channels.beginThread())}
    <button
      type="button"
      id="skills-toggle"
      class="small-button"
      aria-expanded=${state.skills.open}
      aria-controls="skills"
      @click=${() => actions.skills.togglePanel()}
    >
      ${icon("skills")} <span class="wide-only">Skills</span><span class="visually-hidden narrow-only">Skills</span>
    </button>
  </header>`;
}

function currentTitle({ open, threads, timeline, outgoing }: ConsoleState): string {
  const thread = open.thread ?? "";
  const listed = threads?.find((other) => other.thread === thread)?.title;
  const first =
    [...timeline.values()][0]?.view.said ?? outgoing.find((message) => message.thread === thread)?.text;
  return threadTitle({ thread, title: (listed ?? first ?? "Thread").slice(0, 200) });
}

function iconButton(name: IconName, label: string, onClick: () => void, expanded?: boolean): TemplateResult {
  return html`<button
    type="button"
    class="icon-button"
    aria-label=${label}
    title=${label}
    aria-expanded=${expanded ?? nothing}
    @click=${onClick}
  >
    ${icon(name)}
  </button>`;
}

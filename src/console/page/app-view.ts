import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { composerView } from "../composer/composer-view.ts";
import { scheduleDialog } from "../composer/schedule-dialog.ts";
import { installDialog } from "../skills/install-dialog.ts";
import { skillsPanel } from "../skills/skills-panel.ts";
import type { Actions } from "../state/actions.ts";
import { channelName, isDirect } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";
import type { RenderMarkdown } from "../thread/markdown.ts";
import { threadView } from "../thread/thread-view.ts";
import { onSubmit } from "./form.ts";
import { type IconName, icon } from "./icons.ts";
import { modal } from "./modal.ts";
import { sidebarView } from "./sidebar-view.ts";
import { switcherDialog } from "./switcher-dialog.ts";
import { modelName, threadTitle } from "./thread-title.ts";

/** The whole page. `toLatest` scrolls the conversation to its end. */
export function appView(
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
  toLatest: () => void,
): TemplateResult {
  // Typing renders only the composer, however long the conversation is.
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
    ${state.dialog === "schedule" ? scheduleDialog(state, actions) : nothing}
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

/** Messages about the whole page: a lost connection, a failure. */
function bannerView(state: ConsoleState, actions: Actions): TemplateResult {
  return html`<div class="banners" role="alert">
    ${
      state.connection === "lost"
        ? html`<p class="banner is-warning"><span class="spinner" aria-hidden="true"></span> ${lostText(state)}</p>`
        : nothing
    }
    ${
      state.notice === undefined
        ? nothing
        : html`<p class="banner is-problem">
            ${icon("warning")}<span>${state.notice}</span>
            <button type="button" class="icon-button is-small" aria-label="Dismiss" @click=${() => actions.page.dismissNotice()}>
              ${icon("close")}
            </button>
          </p>`
    }
  </div>`;
}

function lostText({ about }: ConsoleState): string {
  const name = about?.name ?? "Knack";
  return `${name} does not answer. Trying again; your text is kept.`;
}

/** Asks for the API token of a Knack on the network. */
function tokenDialog(state: ConsoleState, actions: Actions): TemplateResult {
  const submit = onSubmit((texts) => {
    const token = texts.get("token")?.trim();
    if (token) actions.signIn(token);
  });
  const content = html`<form class="token-form" @submit=${submit}>
    <h2 id="token-title">Sign in</h2>
    <p>This Knack asks for a token. It is the value of <code>KNACK_API_TOKEN</code> where Knack was started, and is kept until this tab is closed.</p>
    <input
      class="field"
      type="password"
      name="token"
      autocomplete="off"
      autofocus
      required
      aria-label="Token"
      aria-invalid=${state.tokenProblem !== undefined}
      aria-describedby="token-problem"
    />
    <p id="token-problem" class="problem" role="alert">${state.tokenProblem ?? ""}</p>
    <button type="submit" class="button is-primary">Sign in</button>
  </form>`;
  return modal({ labelledBy: "token-title", close: () => actions.page.show(undefined), content });
}

const themeIcons = { system: "screen", light: "sun", dark: "moon" } as const;

/** The open channel and thread, and the switches of the page. */
function headerView(state: ConsoleState, actions: Actions): TemplateResult {
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

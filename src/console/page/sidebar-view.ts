import { html, nothing, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { repeat } from "lit-html/directives/repeat.js";
import type { Thread } from "../../client/shapes.ts";
import type { Actions } from "../state/actions.ts";
import type { Channel } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";
import { onSubmit } from "./form.ts";
import { icon, mark } from "./icons.ts";
import { focusWhenShown } from "./modal.ts";
import { fullTime, relativeTime } from "./relative-time.ts";
import { threadTitle } from "./thread-title.ts";

/** The channels, and the threads of the open channel. */
export function sidebarView(state: ConsoleState, actions: Actions): TemplateResult {
  return html`<nav class="sidebar" id="sidebar" aria-label="Channels and threads">
    <div class="brand">
      ${mark()}<span>${state.about?.name ?? "Knack"}</span>
      <button
        type="button"
        class="icon-button narrow-only"
        aria-label="Close the list of channels"
        @click=${() => actions.page.toggleSidebar()}
      >
        ${icon("close")}
      </button>
    </div>
    <button type="button" class="search-button" @click=${() => actions.page.show("switcher")}>
      ${icon("search")}<span>Go to</span><kbd class="wide-only">${isApple() ? "⌘" : "Ctrl"} K</kbd>
    </button>
    <section aria-labelledby="channels-title">
      <div class="section-head">
        <h2 id="channels-title">Channels</h2>
        <button
          type="button"
          class="icon-button is-small"
          aria-label="Add a channel"
          aria-expanded=${state.addingChannel !== undefined}
          @click=${() => actions.channels.showChannelForm(state.addingChannel === undefined)}
        >
          ${icon("plus")}
        </button>
      </div>
      ${state.addingChannel === undefined ? nothing : channelForm(state.addingChannel.problem, actions)}
      <ul class="channels">
        ${state.channels.map((channel) => channelItem(channel, state, actions))}
      </ul>
    </section>
    ${threadList(state, actions)}
  </nav>`;
}

function channelItem(
  { namespace, name, direct }: Channel,
  state: ConsoleState,
  actions: Actions,
): TemplateResult {
  const current = namespace === state.open.namespace;
  return html`<li>
    <button
      type="button"
      class="channel"
      aria-current=${current ? "true" : nothing}
      @click=${() => actions.channels.openChannel(namespace)}
    >
      ${icon(direct ? "person" : "hash")}<span>${direct && name === "dm" ? "Direct message" : name}</span>
    </button>
  </li>`;
}

function channelForm(problem: string | undefined, actions: Actions): TemplateResult {
  const submit = onSubmit((texts) => actions.channels.addChannel(texts.get("name") ?? ""));
  const cancel = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    actions.channels.showChannelForm(false);
  };
  return html`<form class="channel-form" @submit=${submit} @keydown=${cancel}>
    <input
      ${ref(focusWhenShown)}
      class="field"
      name="name"
      autocomplete="off"
      maxlength="80"
      placeholder="Name, e.g. travel"
      aria-label="Name of the new channel"
      aria-invalid=${problem !== undefined}
      aria-describedby="channel-problem"
    />
    <button type="submit" class="button is-primary">Add</button>
    <p id="channel-problem" class="problem" role="alert">${problem ?? ""}</p>
  </form>`;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

/** The threads of the open channel, the latest first. */
function threadList(state: ConsoleState, actions: Actions): TemplateResult {
  const { threads, open } = state;
  return html`<section class="threads" aria-labelledby="threads-title">
    <div class="section-head">
      <h2 id="threads-title">Threads</h2>
      <button
        type="button"
        class="icon-button is-small"
        aria-label="New thread"
        title="New thread"
        @click=${() => actions.channels.beginThread()}
      >
        ${icon("write")}
      </button>
    </div>
    ${threads?.length === 0 ? html`<p class="empty">No threads yet. A message starts one.</p>` : nothing}
    <ul>
      ${repeat(
        threads ?? [],
        ({ thread }) => thread,
        (thread) => threadItem(thread, open.thread === thread.thread, state, actions),
      )}
    </ul>
  </section>`;
}

function threadItem(thread: Thread, current: boolean, state: ConsoleState, actions: Actions): TemplateResult {
  const open = () => actions.channels.open({ namespace: state.open.namespace, thread: thread.thread });
  const title = threadTitle(thread);
  return html`<li>
    <button type="button" class="thread-item" title=${title} aria-current=${current ? "true" : nothing} @click=${open}>
      <span class="thread-title">${title}</span>
      ${threadMark(thread, current, state)}
    </button>
  </li>`;
}

function threadMark(thread: Thread, current: boolean, state: ConsoleState): TemplateResult {
  if (thread.busy) return html`<span class="dot is-busy" role="img" aria-label="working"></span>`;
  if (!current && state.unread.has(thread.thread)) {
    return html`<span class="dot" role="img" aria-label="new answer"></span>`;
  }
  return html`<time class="thread-time" title=${fullTime(thread.last_at)}>${relativeTime(thread.last_at, state.now)}</time>`;
}

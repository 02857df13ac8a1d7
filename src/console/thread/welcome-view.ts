import { html, nothing, type TemplateResult } from "lit-html";
import type { Thread } from "../../client/shapes.ts";
import { icon, mark } from "../page/icons.ts";
import { relativeTime } from "../page/relative-time.ts";
import { threadTitle } from "../page/thread-title.ts";
import type { Actions } from "../state/actions.ts";
import { channelName, isDirect } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";

/** Maximum recent conversations that are listed. */
const maxRecent = 4;

/** The start of a new thread: an introduction, suggestions, and the channel's recent conversations. */
export function welcomeView(state: ConsoleState, actions: Actions): TemplateResult {
  const { namespace } = state.open;
  const recent = (state.threads ?? []).slice(0, maxRecent);
  const name = state.about?.name ?? "Knack";
  const direct = isDirect(namespace);
  const isOffline = state.about?.model === "offline";
  return html`<div class="column welcome">
    ${mark()}
    <h2>${direct ? `Hello, I'm ${name}.` : html`Welcome to <span class="nowrap">#${channelName(namespace)}</span>`}</h2>
    ${direct && isOffline ? nothing : html`<p class="lead">${lead(direct, name)}</p>`}
    ${isOffline ? offlineNote() : nothing}
    ${suggestions(state, actions)}
    ${
      recent.length === 0
        ? nothing
        : html`<section class="recent" aria-labelledby="recent-title">
            <h3 id="recent-title">Recent conversations</h3>
            <ul>
              ${recent.map((thread) => recentThread(thread, state, actions))}
            </ul>
          </section>`
    }
  </div>`;
}

function lead(direct: boolean, name: string): string {
  return direct
    ? "Ask in your own words. I look things up, work with files and data, and remember what matters, with the skills you let me use."
    : `Each message here begins a thread. The skills and the memory of this channel are its own; ${name} shares them with no other channel.`;
}

function suggestions(state: ConsoleState, actions: Actions): TemplateResult | typeof nothing {
  const texts = state.about?.suggestions ?? [];
  if (texts.length === 0) return nothing;
  return html`<ul class="suggestions" aria-label="Things to try">
    ${texts.map(
      (text) => html`<li>
        <button type="button" class="suggestion" @click=${() => actions.messages.send(text)}>
          <span>${text}</span>${icon("chevron")}
        </button>
      </li>`,
    )}
  </ul>`;
}

function offlineNote(): TemplateResult {
  return html`<p class="card note">
    No language model is set up, so I only understand commands, the name of a skill, and its examples. To ask me anything, set
    <code>ANTHROPIC_API_KEY</code>, <code>OPENAI_API_KEY</code> or the key of another provider and start Knack again.
  </p>`;
}

function recentThread(thread: Thread, state: ConsoleState, actions: Actions): TemplateResult {
  const open = () => actions.channels.open({ namespace: state.open.namespace, thread: thread.thread });
  return html`<li>
    <button type="button" class="recent-thread" @click=${open}>
      <span class="thread-title">${threadTitle(thread)}</span>
      <span class="thread-time">${relativeTime(thread.last_at, state.now)}</span>
    </button>
  </li>`;
}

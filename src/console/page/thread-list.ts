import { html, nothing, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import type { Thread } from "../../client/shapes.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { icon } from "./icons.ts";
import { fullTime, relativeTime } from "./relative-time.ts";
import { threadTitle } from "./thread-title.ts";

/** The threads of the open channel, the latest first. */
export function threadList(state: ConsoleState, actions: Actions): TemplateResult {
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
    ${threads?.length === 0 ? html`<p class="empty">None yet. A message begins one.</p>` : nothing}
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

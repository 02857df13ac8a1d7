import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { keyed } from "lit-html/directives/keyed.js";
import { repeat } from "lit-html/directives/repeat.js";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState, OutgoingMessage } from "../state/state.ts";
import { turnsOf } from "../state/timeline.ts";
import type { RenderMarkdown } from "./markdown.ts";
import { saidText } from "./said-text.ts";
import { turnCard } from "./turn-card.ts";
import { welcomeView } from "./welcome-view.ts";

/** The open conversation, or the start of a new one. */
export function threadView(state: ConsoleState, actions: Actions, markdown: RenderMarkdown): TemplateResult {
  const { namespace, thread } = state.open;
  if (thread === undefined) return welcomeView(state, actions);
  const turns = turnsOf(state.timeline);
  const outgoing = state.outgoing.filter(
    (message) =>
      message.namespace === namespace &&
      message.thread === thread &&
      !state.timeline.has(message.turn_id ?? ""),
  );
  // A finished turn stays as it is while another one runs.
  const { draft: _draft, completions: _completions, now: _now, timeline: _timeline, ...rest } = state;
  const around = Object.values(rest);
  const isEmpty = turns.length === 0 && outgoing.length === 0;
  return html`${keyed(
    `${namespace}/${thread}`,
    html`<div class="column thread" role="log" aria-live="off" aria-label="Conversation" tabindex="-1">
      ${isEmpty ? placeholder(state) : nothing}
      ${repeat(
        turns,
        ({ turn_id }) => turn_id,
        (turn) => {
          const card = () => turnCard(turn, state, actions, markdown);
          return turn.status === "finished" ? guard([turn, ...around], card) : card();
        },
      )}
      ${repeat(
        outgoing,
        ({ key }) => key,
        (message) => outgoingCard(message, state, actions),
      )}
    </div>`,
  )}`;
}

function placeholder({ threadLoaded, connection }: ConsoleState): TemplateResult | typeof nothing {
  if (threadLoaded) return html`<p class="empty">No messages yet.</p>`;
  if (connection === "lost") return nothing;
  return html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>`;
}

/** A message that is not in the thread yet: on its way, or not sent with the reason. */
function outgoingCard(message: OutgoingMessage, state: ConsoleState, actions: Actions): TemplateResult {
  const { key, text, problem, files = [] } = message;
  return html`<article class="turn ${text.startsWith("/") ? "is-command" : ""}" aria-label="Message on its way">
    <div class="bubble-row">
      <div class="bubble is-outgoing">
        ${text === "" ? nothing : saidText(`${key}/said`, text, state, actions)}
        ${files.map(({ name }) => html`<p class="hint">${icon("attach")} ${name}${problem === undefined ? ", on its way" : ""}</p>`)}
      </div>
      ${problem === undefined ? nothing : problemNote(key, problem, actions)}
    </div>
  </article>`;
}

function problemNote(key: string, problem: string, actions: Actions): TemplateResult {
  return html`<p class="bubble-note is-problem" role="alert">
    ${icon("warning")} ${problem}
    <button type="button" class="quiet-button" @click=${() => actions.messages.retry(key)}>Send again</button>
    <button type="button" class="quiet-button" @click=${() => actions.messages.discard(key)}>Discard</button>
  </p>`;
}

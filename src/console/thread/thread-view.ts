import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { keyed } from "lit-html/directives/keyed.js";
import { repeat } from "lit-html/directives/repeat.js";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { turnsOf } from "../state/timeline.ts";
import type { RenderMarkdown } from "./markdown.ts";
import { outgoingCard } from "./outgoing-card.ts";
import { turnCard } from "./turn-card.ts";
import { welcomeView } from "./welcome-view.ts";

/** The conversation that is open, or the place where a new one begins. */
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
  if (threadLoaded) return html`<p class="empty">Nothing was said here yet.</p>`;
  if (connection === "lost") return nothing;
  return html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>`;
}

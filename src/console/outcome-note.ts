import { html, nothing, type TemplateResult } from "lit-html";
import type { TurnView } from "../core/turn-view.ts";
import type { Actions } from "./actions.ts";
import { icon } from "./icons.ts";
import type { RenderMarkdown } from "./markdown.ts";

/** How a turn ended when it did not simply answer: what happened, and what to do next. */
export function outcomeNote(
  view: TurnView,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult | typeof nothing {
  const again = { label: "Try again", text: view.said };
  switch (view.outcome) {
    case "stopped":
      return note(actions, {
        kind: "stopped",
        title: "Stopped",
        body: "Ask again, or go on with another message.",
        next: { ...again, label: "Ask again" },
      });
    case "limit_reached":
      return note(actions, {
        kind: "limited",
        title: "A limit was reached",
        body: "What was done is kept. Continue goes on from here.",
        next: { label: "Continue", text: "continue" },
      });
    case "failed":
      return note(actions, {
        kind: "failed",
        title: "This did not work",
        body: markdown(
          (view.error?.message ?? view.text) || "No reason was given. The log of Knack may know more.",
        ),
        next: again,
      });
    default:
      return nothing;
  }
}

interface Note {
  kind: "stopped" | "limited" | "failed";
  title: string;
  body: string | TemplateResult;
  next: { label: string; text: string };
}

function note(actions: Actions, { kind, title, body, next }: Note): TemplateResult {
  return html`<div class="card outcome is-${kind}" data-testid="outcome">
    <div>
      <p class="card-title">${icon(kind === "stopped" ? "stop" : "warning")} ${title}</p>
      <div class="card-text answer">${body}</div>
    </div>
    <button type="button" class="small-button" @click=${() => actions.messages.send(next.text)}>
      ${icon("again")} ${next.label}
    </button>
  </div>`;
}

import { html, nothing, type TemplateResult } from "lit-html";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { icon } from "./icons.ts";

/** What concerns the whole page: the connection is lost, something failed. */
export function bannerView(state: ConsoleState, actions: Actions): TemplateResult {
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
  return `${name} does not answer. Trying again; what you write is kept.`;
}

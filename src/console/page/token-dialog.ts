import { html, type TemplateResult } from "lit-html";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import { modal } from "./modal.ts";

/** Asks for the API token of a Knack that is reached over the network. */
export function tokenDialog(state: ConsoleState, actions: Actions): TemplateResult {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    if (token !== "") actions.signIn(token);
  };
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

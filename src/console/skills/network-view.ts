import { html, nothing, type TemplateResult } from "lit-html";
import type { SkillDetail } from "../../client/shapes.ts";
import type { Actions } from "../state/actions.ts";

/** Which hosts the code of a skill may reach, with what takes them back and adds one. */
export function networkView(
  { id, kind, parent, network: { granted } }: SkillDetail,
  busy: boolean,
  actions: Actions,
): TemplateResult | typeof nothing {
  const hasCode = kind === "imported" || kind === "document" || kind === "config";
  if (parent !== undefined || (!hasCode && granted.length === 0)) return nothing;
  const allow = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const host = String(new FormData(event.currentTarget).get("host") ?? "").trim();
    if (host === "") return;
    actions.upkeep.grantHost(id, host);
    event.currentTarget.reset();
  };
  const takeBack = (host: string) => {
    // The button goes with the host; the focus stays in this part.
    document.getElementById("host-to-allow")?.focus();
    actions.upkeep.revokeHost(id, host);
  };
  return html`<section aria-label="Network" data-testid="network">
    <h4>Network</h4>
    ${
      granted.length === 0
        ? html`<p class="hint">Its code reaches no host. Allow one here, or when it asks.</p>`
        : html`<ul class="hosts">
            ${granted.map(
              (host) => html`<li>
                <code>${host === "*" ? "* (every host)" : host}</code>
                <button
                  type="button"
                  class="quiet-button"
                  aria-label="Take ${host} back"
                  ?disabled=${busy}
                  @click=${() => takeBack(host)}
                >
                  Take back
                </button>
              </li>`,
            )}
          </ul>`
    }
    <form class="inline-form" @submit=${allow}>
      <input class="field" id="host-to-allow" name="host" aria-label="Host to allow" placeholder="api.example.com" autocomplete="off" maxlength="300" required />
      <button type="submit" class="small-button" ?disabled=${busy}>Allow</button>
    </form>
  </section>`;
}

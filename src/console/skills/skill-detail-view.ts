import { html, nothing, type TemplateResult } from "lit-html";
import { escapedInvisible } from "../../base/text/invisible-text.ts";
import type { SkillDetail } from "../../client/shapes.ts";
import { onSubmit } from "../page/form.ts";
import { fullTime } from "../page/relative-time.ts";
import type { Actions } from "../state/actions.ts";
import type { ConsoleState } from "../state/state.ts";
import type { RenderMarkdown } from "../thread/markdown.ts";
import { confirmControl } from "./confirm-control.ts";
import { disclosure } from "./disclosure.ts";
import { reviewBadges, reviewView } from "./review-view.ts";
import { serverView } from "./server-view.ts";
import { factsView, fileList, parameterList, problemList, toolList } from "./skill-facts-view.ts";
import { isReviewed } from "./skill-kinds.ts";
import { resetButton, skillEmoji, skillFacts, skillRow, skillSwitch } from "./skill-row.ts";
import { taughtView } from "./taught-view.ts";
import { trialView } from "./trial-view.ts";

/** One skill in full: its requirements, abilities, origin, and the review of its code. */
export function skillDetailView(
  state: ConsoleState,
  actions: Actions,
  markdown: RenderMarkdown,
): TemplateResult {
  const { detail, saving, servers, trial } = state.skills;
  if (detail === undefined) return html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>`;
  const busy = saving.has(detail.id);
  const server = servers?.find(({ skill_id }) => skill_id === detail.id);
  return html`<article class="skill-detail" data-skill=${detail.id}>
    <header>
      ${skillEmoji(detail)}
      <h3>${detail.name}</h3>
      ${skillSwitch(detail, busy, actions)}
    </header>
    <p>${detail.description}</p>
    ${detail.reasons.map((reason) => html`<p class="skill-reason">${reason}</p>`)}
    <p class="skill-facts">${skillFacts(detail)} ${resetButton(detail, busy, actions)}</p>
    ${server === undefined ? nothing : serverView(server, state, actions)} ${problemList(detail)}
    ${examples(detail, actions)} ${trialView(detail, trial, actions)} ${parts(detail, saving, actions)}
    ${review(state)} ${networkView(detail, busy, actions)} ${packageView(detail, state, actions)}
    ${taughtView(detail, state, actions)}
    ${parameterList(detail)} ${server === undefined ? toolList(detail) : nothing}
    ${
      detail.instructions.trim() === ""
        ? nothing
        : disclosure(
            "Guide for the agent",
            html`<div class="answer is-small">${markdown(detail.instructions)}</div>`,
          )
    }
    ${fileList(detail)} ${factsView(detail)}
  </article>`;
}

function examples({ examples: list }: SkillDetail, actions: Actions): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  const write = (prompt: string) => {
    actions.draft.write(prompt);
    document.getElementById("composer")?.focus();
  };
  return html`<section>
    <h4>Try</h4>
    <ul class="examples">
      ${list.map(
        ({ prompt }) =>
          html`<li><button type="button" class="suggestion" @click=${() => write(prompt)}>${prompt}</button></li>`,
      )}
    </ul>
  </section>`;
}

function parts(
  { parts: list }: SkillDetail,
  saving: ReadonlySet<string>,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<section>
    <h4>Parts</h4>
    <ul class="parts">
      ${list.map((listing) => html`<li>${skillRow(listing, saving.has(listing.id), actions)}</li>`)}
    </ul>
  </section>`;
}

/** Open from the start if the review found a danger. Takes its place at once, so that nothing moves when the result comes. */
function review({ skills: { detail, review: read } }: ConsoleState): TemplateResult | typeof nothing {
  if (detail === undefined || !isReviewed(detail)) return nothing;
  if (read === undefined)
    return html`<section aria-busy="true">
      ${disclosure(html`<h4>Review</h4> <span class="badges"><span class="badge">Reading its files …</span></span>`, html``)}
    </section>`;
  if (!read.ok)
    return html`<section>
      <h4>Review</h4>
      <p class="hint">${read.reason}</p>
    </section>`;
  const { value } = read;
  const danger = value.findings.some(({ severity }) => severity === "danger");
  return html`<section data-testid="skill-review">
    ${disclosure(html`<h4>Review</h4> ${reviewBadges(value)}`, reviewView(value), danger)}
  </section>`;
}

/** The source of an installed skill, whether its files changed, and the controls that update or remove it. */
function packageView(
  { id, parent, package: installed }: SkillDetail,
  state: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (installed === undefined) return nothing;
  const owner = parent ?? id;
  const busy = state.skills.saving.has(owner);
  const from = escapedInvisible(installed.from);
  return html`<section aria-label="Installation" data-testid="package">
    <h4>Installed</h4>
    <p class="installed-from">From <code>${from}</code> by ${installed.by}, ${fullTime(installed.installed_at)}</p>
    ${
      installed.changed
        ? html`<p class="skill-reason">Its files have changed since they were installed and reviewed. Update or remove it.</p>`
        : nothing
    }
    <div class="actions" aria-busy=${busy}>
      ${confirmControl(
        {
          key: `update-${owner}`,
          label: "Update",
          question: `Download it again from ${from}? If files have changed, it is turned off and reaches no host until somebody allows it again.`,
          busy,
          act: () => actions.upkeep.update(owner),
        },
        state,
        actions,
      )}
      ${confirmControl(
        {
          key: `remove-${owner}`,
          label: "Remove",
          question: `Remove ${owner} from all channels? Its files are deleted.`,
          busy,
          act: () => actions.upkeep.remove(owner),
        },
        state,
        actions,
      )}
    </div>
  </section>`;
}

/** The hosts that a skill's code may reach, with controls to revoke and add them. */
function networkView(
  { id, kind, parent, taught, network: { granted } }: SkillDetail,
  busy: boolean,
  actions: Actions,
): TemplateResult | typeof nothing {
  const hasCode = kind === "imported" || kind === "document" || kind === "config";
  if (parent !== undefined || taught !== undefined || (!hasCode && granted.length === 0)) return nothing;
  const allow = onSubmit((texts, { currentTarget: form }) => {
    const host = texts.get("host")?.trim();
    if (!host) return;
    void actions.upkeep.grantHost(id, host);
    if (form instanceof HTMLFormElement) form.reset();
  });
  const takeBack = (host: string) => {
    // The button disappears with the host; this keeps the focus here.
    document.getElementById("host-to-allow")?.focus();
    void actions.upkeep.revokeHost(id, host);
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

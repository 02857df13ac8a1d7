import { html, nothing, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { ref } from "lit-html/directives/ref.js";
import { counted } from "../../base/amounts.ts";
import { escapedInvisible } from "../../base/text/invisible-text.ts";
import type { PackageContent, PackageReview } from "../../client/shapes.ts";
import { onSubmit } from "../page/form.ts";
import { focusWhenShown, modal } from "../page/modal.ts";
import type { Actions } from "../state/actions.ts";
import { channelName, isDirect } from "../state/channels.ts";
import type { ConsoleState } from "../state/state.ts";
import { allowDrop, takeDropped } from "./dropped-file.ts";
import type { Installing, PackageChoice } from "./panel-state.ts";
import { reviewBadges, reviewView } from "./review-view.ts";
import { kindNames } from "./skill-kinds.ts";

/** Installs skills: choose, read the review, install. Nothing is active afterwards. */
export function installDialog(state: ConsoleState, actions: Actions): TemplateResult {
  const { installing } = state;
  const content = html`<div
    class="install"
    @dragover=${allowDrop}
    @drop=${(event: DragEvent) => takeDropped(event, actions)}
  >
    ${keyed(installing.stage, html`<h2 id="install-title" tabindex="-1" ${ref(focusWhenShown)}>${titles[installing.stage]}</h2>`)}
    <p class="problem" role="alert">${installing.problem ?? ""}</p>
    ${stageView(installing, state, actions)}
  </div>`;
  return modal({ labelledBy: "install-title", close: () => actions.page.show(undefined), content });
}

const titles = {
  choosing: "Install skills",
  reviewing: "Reading the package",
  reviewed: "Before you install",
  installing: "Installing",
  installed: "Installed",
} as const;

function stageView(installing: Installing, state: ConsoleState, actions: Actions): TemplateResult {
  switch (installing.stage) {
    case "choosing":
      return choosing(installing.address, actions);
    case "reviewing":
      return reviewing(installing, actions);
    case "reviewed":
    case "installing":
      return reviewed(installing, actions);
    case "installed":
      return installedView(installing, state, actions);
    default:
      return installing satisfies never;
  }
}

function choosing(address: string, actions: Actions): TemplateResult {
  const pick = (event: Event) => {
    const file = event.target instanceof HTMLInputElement ? event.target.files?.[0] : undefined;
    if (file !== undefined) actions.install.review({ kind: "file", file });
  };
  const submit = onSubmit((texts) => {
    const text = texts.get("address")?.trim();
    if (text) actions.install.review({ kind: "address", address: text });
  });
  return html`<p class="hint">Its files are read and reviewed first. Nothing runs, and nothing is on until you enable it.</p>
    <label class="drop-zone">
      <input type="file" class="visually-hidden" accept=".zip,.tar.gz,.tgz,.tar" @change=${pick} />
      <strong>Choose an archive</strong>
      <span>or drop it here: .zip or .tar.gz, up to 50 MB</span>
    </label>
    <form class="install-address" @submit=${submit}>
      <label for="package-address">Or from an address</label>
      <div class="inline-form">
        <input
          class="field"
          id="package-address"
          name="address"
          value=${address}
          placeholder="https://github.com/someone/skills, or someone/skills"
          autocomplete="off"
          spellcheck="false"
          maxlength="2000"
          required
        />
        <button type="submit" class="button">Review</button>
      </div>
    </form>`;
}

function reviewing(
  { choice, reviewed, skills }: Extract<Installing, { stage: "reviewing" }>,
  actions: Actions,
): TemplateResult {
  const progress = skills < 2 ? "" : ` ${reviewed} of ${skills} skills are reviewed.`;
  return html`<p role="status">${nameOf(choice)} is unpacked and read.${progress}</p>
    <div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>
    <div class="dialog-actions">
      <button type="button" class="button" @click=${actions.install.chooseAgain}>Cancel</button>
    </div>`;
}

function reviewed(
  { choice, content: { reviews, opinions = [], left_out: leftOut = [] }, chosen, stage }: Reviewed,
  actions: Actions,
): TemplateResult {
  const busy = stage === "installing";
  const wanted = reviews.filter(({ skill_id }) => chosen.has(skill_id));
  const danger = wanted.some(isDangerous);
  const gravest = reviews.toSorted((a, b) => Number(isDangerous(b)) - Number(isDangerous(a)));
  const what = reviews.length === 1 ? "" : ` ${counted(wanted.length, "skill")}`;
  return html`<p class="hint">From <code>${nameOf(choice)}</code>. Exactly these files are installed. If they change before then, nothing is installed.</p>
    ${danger ? html`<p class="warning-line">It can do harm. Read the findings before you continue.</p>` : nothing}
    ${reviews.length > 1 ? chooser(reviews, wanted.length, busy, actions) : nothing}
    <div class="reviews" tabindex="0" role="region" aria-label="Review">
      ${
        reviews.length === 1
          ? reviews.map((review) => reviewOf(review, opinions))
          : gravest.map((review) => choosable(review, opinions, chosen, busy, actions))
      }
      ${leftOut.length > 0 ? leftOutView(leftOut) : nothing}
    </div>
    <div class="dialog-actions" aria-busy=${busy}>
      <button type="button" class="button" ?disabled=${busy} @click=${actions.install.chooseAgain}>Back</button>
      <button
        type="button"
        class="button ${danger ? "is-danger" : "is-primary"}"
        ?disabled=${busy || wanted.length === 0}
        @click=${actions.install.install}
      >
        ${danger ? "Install anyway" : `Install${what}`}
      </button>
    </div>`;
}

function isDangerous({ findings }: PackageReview): boolean {
  return findings.some(({ severity }) => severity === "danger");
}

type Reviewed = Extract<Installing, { stage: "reviewed" | "installing" }>;

function chooser(
  reviews: readonly PackageReview[],
  count: number,
  busy: boolean,
  actions: Actions,
): TemplateResult {
  const all = reviews.map(({ skill_id }) => skill_id);
  const isAll = count === all.length;
  return html`<div class="choose-skills">
    <span role="status">${count} of ${all.length} skills chosen</span>
    <button type="button" class="small-button" ?disabled=${busy} @click=${() => actions.install.choose(all, !isAll)}>
      ${isAll ? "Choose none" : "Choose all"}
    </button>
  </div>`;
}

/** A skill of many: its review opens on request. */
function choosable(
  review: PackageReview,
  opinions: readonly string[],
  chosen: ReadonlySet<string>,
  busy: boolean,
  actions: Actions,
): TemplateResult {
  const { skill_id, name, description } = review;
  const toggle = (event: Event) => {
    if (event.target instanceof HTMLInputElement) actions.install.choose([skill_id], event.target.checked);
  };
  return html`<article class="reviewed-skill" data-skill=${skill_id}>
    <label class="choose-skill">
      <input type="checkbox" .checked=${chosen.has(skill_id)} ?disabled=${busy} @change=${toggle} />
      <strong>${escapedInvisible(name)}</strong> ${reviewBadges(review)}
    </label>
    <details>
      <summary>${escapedInvisible(description)}</summary>
      ${factsOf(review)} ${guideNote(review, opinions)} ${reviewView(review)}
    </details>
  </article>`;
}

function leftOutView(leftOut: NonNullable<PackageContent["left_out"]>): TemplateResult {
  return html`<details class="left-out" data-testid="left-out">
    <summary>Not installed: ${counted(leftOut.length, "part")} of the package</summary>
    <ul>
      ${leftOut.map(
        ({ path, message }) =>
          html`<li>${path === "" ? nothing : html`<code>${escapedInvisible(path)}</code> `}${escapedInvisible(message)}</li>`,
      )}
    </ul>
  </details>`;
}

function factsOf({ name, skill_id, version, kind }: PackageReview): TemplateResult {
  const facts = [kindNames[kind].one, skill_id === name ? "" : escapedInvisible(skill_id), version].filter(
    Boolean,
  );
  return html`<p class="skill-facts">${facts.join(" · ")}</p>`;
}

/** Who read the guide: the facts are about code, commands and files alone. */
function guideNote({ hash, findings }: PackageReview, opinions: readonly string[]): TemplateResult {
  const isRead = findings.some(({ code }) => code === "opinion");
  const nobody = "Nobody read its guide: these are facts about its code, commands and files.";
  const now = opinions.includes(hash) ? "A model reads its guide now; its opinion follows." : nobody;
  return html`<p class="hint" role="status">${isRead ? "A model read its guide; its opinion is the last finding." : now}</p>`;
}

function reviewOf(review: PackageReview, opinions: readonly string[]): TemplateResult {
  const { name, skill_id, description } = review;
  return html`<article class="reviewed-skill" data-skill=${skill_id}>
    <header>
      <h3>${escapedInvisible(name)}</h3>
      ${reviewBadges(review)}
    </header>
    ${factsOf(review)}
    <p class="reviewed-description">${escapedInvisible(description)}</p>
    ${guideNote(review, opinions)} ${reviewView(review)}
  </article>`;
}

function nameOf(choice: PackageChoice): string {
  return escapedInvisible(choice.kind === "file" ? choice.file.name : choice.address);
}

/** The installed skills, with buttons that enable them in the open channel. */
function installedView(
  { installed, enabled }: Extract<Installing, { stage: "installed" }>,
  { open, skills }: ConsoleState,
  actions: Actions,
): TemplateResult {
  const where = isDirect(open.namespace) ? "this direct message" : `#${channelName(open.namespace)}`;
  const isOn = (id: string) => {
    const listing = skills.skills?.find((skill) => skill.id === id);
    return enabled.get(id) === "on" || listing?.state === "pinned" || listing?.state === "active";
  };
  const control = (id: string) => {
    if (isOn(id)) return html`<span class="server-state is-running" role="status">On in ${where}</span>`;
    const saving = enabled.get(id) === "saving";
    return html`<button type="button" class="small-button" ?disabled=${saving} @click=${() => actions.install.enable(id)}>
      Enable here
    </button>`;
  };
  const wasOn = installed.some(({ skill_id }) => isOn(skill_id) && enabled.get(skill_id) === undefined);
  const show = (id: string) => {
    actions.page.show(undefined);
    actions.skills.showSkill(id);
  };
  return html`<p role="status">
      ${
        wasOn
          ? `Installed again. It is on where people had enabled the same files.`
          : `Off in every channel, and without access to any host. Enable it in ${where}, or later in any channel.`
      }
    </p>
    <ul class="installed">
      ${installed.map(
        ({ skill_id, review }) => html`<li data-skill=${skill_id}>
          <button type="button" class="skill-name" @click=${() => show(skill_id)}>${escapedInvisible(review.name)}</button>
          ${control(skill_id)}
        </li>`,
      )}
    </ul>
    <div class="dialog-actions">
      <button type="button" class="button" @click=${() => actions.page.show(undefined)}>Done</button>
    </div>`;
}

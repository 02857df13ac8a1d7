import { html, nothing, type TemplateResult } from "lit-html";
import type { ServerStatus, SkillListing } from "../../client/shapes.ts";
import type { Actions } from "../state/actions.ts";
import { serverState } from "./server-view.ts";
import { kindNames } from "./skill-kinds.ts";

const stateNames = {
  available: "Up to the agent",
  active: "Activated by the agent",
  pinned: "On for this channel",
  blocked: "Off for this channel",
} as const;

/** Names of the sources. */
const sourceNames: Readonly<Record<string, string>> = {
  managed: "installed",
  workspace: "your folder",
  extra: "a further folder",
};

/** One skill of a list, with its switch; its name opens it. `server` is the tool server of the skill. */
export function skillRow(
  skill: SkillListing,
  saving: boolean,
  actions: Actions,
  server?: ServerStatus,
): TemplateResult {
  return html`<article class="skill ${skill.eligible ? "" : "is-ineligible"}" data-skill=${skill.id}>
    ${skillEmoji(skill)}
    <div class="skill-text">
      <button type="button" class="skill-name" @click=${() => actions.skills.showSkill(skill.id)}>${skill.name}</button>
      <p class="skill-description">${skill.summary}</p>
      ${skill.reasons.map((reason) => html`<p class="skill-reason">${reason}</p>`)}
      <p class="skill-facts">
        ${server === undefined ? nothing : serverState(server)} ${skillFacts(skill)} ${resetButton(skill, saving, actions)}
      </p>
    </div>
    ${skillSwitch(skill, saving, actions)}
  </article>`;
}

/** `Built in · high risk · On for this channel`. */
export function skillFacts({ kind, source, risk, state }: SkillListing): string {
  const name = kindNames[kind].one;
  const origin = source === "bundled" || source === kind ? name : `${name}, ${sourceNames[source] ?? source}`;
  return [origin, risk === "low" ? "" : `${risk} risk`, stateNames[state]]
    .filter((fact) => fact !== "")
    .join(" · ");
}

/** Label and tooltip of a switch by state. The agent may activate a skill that nobody switched. */
const positions = {
  available: { label: "Auto", title: "The agent uses it when it fits. Click to keep it on." },
  active: { label: "Auto", title: "Activated by the agent. Click to switch it off." },
  pinned: { label: "On", title: "On for this channel. Click to switch it off." },
  blocked: { label: "Off", title: "Off for this channel. Click to switch it on." },
} as const;

/** On if pinned or active. Switching on pins the skill, switching off blocks it. */
export function skillSwitch(skill: SkillListing, saving: boolean, actions: Actions): TemplateResult {
  const on = skill.state === "pinned" || skill.state === "active";
  const { label, title } = positions[skill.state];
  const position = skill.state === "available" && !skill.eligible ? "blocked" : skill.state;
  return html`<button
    type="button"
    class="switch is-${position}"
    role="switch"
    title=${title}
    aria-checked=${on}
    aria-label=${skill.name}
    aria-description=${title}
    aria-busy=${saving}
    ?disabled=${saving}
    @click=${() => actions.skills.setSkill(skill.id, on ? "blocked" : "pinned")}
  >
    <span class="switch-track"><span></span></span>
    <span class="switch-label" aria-hidden="true">${position === "blocked" ? "Off" : label}</span>
  </button>`;
}

/** Leaves a skill to the agent again. */
export function resetButton(
  skill: SkillListing,
  saving: boolean,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (skill.state !== "pinned" && skill.state !== "blocked") return nothing;
  return html`<button
    type="button"
    class="quiet-button"
    ?disabled=${saving}
    title="Let the agent decide"
    aria-label="Reset ${skill.name}: let the agent decide"
    @click=${() => actions.skills.setSkill(skill.id, "available")}
  >
    Reset
  </button>`;
}

/** The emoji of a skill; its initial if it has none, or if emoji cannot be shown. */
export function skillEmoji({ emoji, name }: SkillListing): TemplateResult {
  const initial = name.slice(0, 1).toUpperCase();
  return html`<span class="skill-emoji" data-initial=${initial} aria-hidden="true"><span>${emoji ?? initial}</span></span>`;
}

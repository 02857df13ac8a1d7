import type { Catalogue } from "./catalogue.ts";
import { eligibility, type HostFacts, isSwitchedOff, needsEnabling } from "./eligibility.ts";
import { isPinFallen, type NamespaceState, stateOf } from "./namespace-state.ts";
import type { Offer, OfferedSkill } from "./offer.ts";
import { createOfferedTools } from "./offered-tools.ts";
import { isInstalled, type Skill } from "./skill.ts";
import { skillLines } from "./skill-line.ts";

/** Puts catalogue, host and namespace state together. Pure; called once per turn and again when the state changed. */
export function makeOffer(catalogue: Catalogue, state: NamespaceState, facts: HostFacts): Offer {
  const all = new Map<string, OfferedSkill>();
  const usable: OfferedSkill[] = [];
  const personOnly: OfferedSkill[] = [];
  const here = {
    blocked: Object.keys(state.blocked),
    allowed: state.settings.allowed_skills,
    hasSkill: (id: string) => catalogue.skills.has(id),
  };
  for (const skill of catalogue.skills.values()) {
    const offered: OfferedSkill = {
      skill,
      state: stateOf(skill, state),
      reasons: eligibility(skill, facts, here),
      ...(isSwitchedOff(skill, facts) ? { switched_off: true } : {}),
      ...(isPinFallen(skill, state) ? { notice: pinFallen(skill) } : {}),
    };
    all.set(skill.id, offered);
    const enabled = offered.state === "pinned" || !needsEnabling(skill, facts);
    if (!enabled || offered.reasons.length > 0 || offered.state === "blocked") continue;
    const isForModel = offered.state === "pinned" || skill.invocation?.by_model !== false;
    (isForModel ? usable : personOnly).push(offered);
  }
  return withProjections({ catalogue, all, usable, personOnly });
}

/** What a thread, or a turn of it, has made of the skills of its channel. Ids. */
export interface ThreadSkills {
  /** Activated by the agent. */
  active: ReadonlySet<string>;
  /** Active by themselves, and put away by the agent. */
  offloaded: ReadonlySet<string>;
  /** Named by the person, for this turn. */
  asked: readonly string[];
}

/**
 * The offer as a thread has it. What a person asked for by name is usable in that turn although it is kept from the model
 * otherwise. Installed skills have to be enabled all the same.
 */
export function forThread(offer: Offer, { active, offloaded, asked }: ThreadSkills): Offer {
  if (active.size + offloaded.size + asked.length === 0) return offer;
  const isAsked = ({ skill }: OfferedSkill) => asked.includes(skill.parent ?? skill.id);
  const isNamed = (ids: ReadonlySet<string>, { id, parent }: Skill) =>
    ids.has(id) || (parent !== undefined && ids.has(parent));
  const inThread = (offered: OfferedSkill): OfferedSkill => {
    const { skill, state } = offered;
    if (isInstalled(skill)) return offered;
    if (state === "available" && (isAsked(offered) || isNamed(active, skill)))
      return { ...offered, state: "active" };
    return state === "active" && isNamed(offloaded, skill) ? { ...offered, state: "available" } : offered;
  };
  const more = offer.personOnly.filter(isAsked);
  const usable = [...offer.usable, ...more].map(inThread);
  const all = new Map(offer.all);
  for (const offered of usable) all.set(offered.skill.id, offered);
  const personOnly = offer.personOnly.filter((offered) => !isAsked(offered));
  const inThreadOnly = { catalogue: offer.catalogue, all, usable, personOnly };
  if (more.length > 0) return withProjections(inThreadOnly);
  return { ...withProjections(inThreadOnly), tools: () => offer.tools(), lines: (open) => offer.lines(open) };
}

/** What is made of an offer when it is asked for, once. */
function withProjections(offer: Omit<Offer, "tools" | "lines" | "once">): Offer {
  const made = new Map<string, unknown>();
  const once = <T>(key: string, make: () => T): T => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key) as T;
  };
  return {
    ...offer,
    once,
    tools: () => once("tools", () => createOfferedTools(offer)),
    lines: (open) => once(`lines ${open.join(" ")}`, () => skillLines(offer.usable, new Set(open))),
  };
}

function pinFallen(skill: Skill): string {
  return `It was enabled here, and installed anew since; look at its review and enable it again with /skill enable ${skill.id}.`;
}

import type { Catalogue } from "./catalogue.ts";
import { eligibility, type HostFacts, isSwitchedOff, needsEnabling } from "./eligibility.ts";
import { isPinFallen, type NamespaceState, type SkillState, stateOf } from "./namespace-state.ts";
import { createOfferedTools, type OfferedTools } from "./offered-tools.ts";
import { isInstalled, type Skill } from "./skill.ts";
import { skillLines } from "./skill-line.ts";

/** A skill as one namespace has it. */
export interface OfferedSkill {
  skill: Skill;
  state: SkillState;
  /** Why it cannot be used here, in words for a person; empty when it can. */
  reasons: string[];
  /** Somebody switched it off on purpose, for every namespace. */
  switched_off?: true;
  /** Something a person should know although the skill can be used. */
  notice?: string;
}

/** What a namespace has of the catalogue. */
export interface Offer {
  readonly catalogue: Catalogue;
  /** Every skill, usable or not. */
  readonly all: ReadonlyMap<string, OfferedSkill>;
  /** What the agent may use: eligible, allowed, not blocked, and enabled where that is required; parts included. */
  readonly usable: readonly OfferedSkill[];
  /** Usable too, but by people alone: what is kept from the model until a person enables it or asks for it by name. */
  readonly personOnly: readonly OfferedSkill[];
  /** The tools of what is usable, under names that do not depend on which skills are active. */
  tools(): OfferedTools;
  /** How the list in the instructions shows what is usable: id → line. `open`: skills whose tools are there anyway. */
  lines(open: readonly string[]): ReadonlyMap<string, string>;
  /** What else is made of this offer is made once for each key, which says all that it depends on beside the offer. */
  once<T>(key: string, make: () => T): T;
}

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

/** Whether the skill's tools and guide are there without asking. */
export function isActive(offered: OfferedSkill): boolean {
  return offered.state === "active" || offered.state === "pinned";
}

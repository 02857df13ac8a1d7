import type { Catalogue } from "./catalogue.ts";
import { eligibility, type HostFacts, isSwitchedOff, needsEnabling } from "./eligibility.ts";
import { isPinFallen, type NamespaceState, type SkillState, stateOf } from "./namespace-state.ts";
import { isInstalled, type Skill } from "./skill.ts";

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
  return { catalogue, all, usable, personOnly };
}

/**
 * The offer with some skills active, as far as they can be used: what a person asked for by name counts for one turn. Installed
 * skills have to be enabled all the same.
 */
export function withAsked(offer: Offer, ids: readonly string[]): Offer {
  if (ids.length === 0) return offer;
  const isAsked = ({ skill }: OfferedSkill) => ids.includes(skill.parent ?? skill.id);
  const active = (offered: OfferedSkill): OfferedSkill =>
    isAsked(offered) && offered.state === "available" && !isInstalled(offered.skill)
      ? { ...offered, state: "active" }
      : offered;
  const usable = [...offer.usable, ...offer.personOnly.filter(isAsked)].map(active);
  const all = new Map(offer.all);
  for (const offered of usable) all.set(offered.skill.id, offered);
  return { ...offer, all, usable, personOnly: offer.personOnly.filter((offered) => !isAsked(offered)) };
}

function pinFallen(skill: Skill): string {
  return `It was enabled here, and installed anew since; look at its review and enable it again with /skill enable ${skill.id}.`;
}

/** Whether the skill's tools and guide are there without asking. */
export function isActive(offered: OfferedSkill): boolean {
  return offered.state === "active" || offered.state === "pinned";
}

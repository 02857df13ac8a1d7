import type { Catalogue } from "./catalogue.ts";
import { eligibility, type HostFacts, needsEnabling } from "./eligibility.ts";
import { type NamespaceState, type SkillState, stateOf } from "./namespace-state.ts";
import type { Skill } from "./skill.ts";

/** A skill as one namespace has it. */
export interface OfferedSkill {
  skill: Skill;
  state: SkillState;
  /** Why it cannot be used here, in words for a person; empty when it can. */
  reasons: string[];
}

/** What a namespace has of the catalogue. */
export interface Offer {
  readonly catalogue: Catalogue;
  /** Every skill, usable or not. */
  readonly all: ReadonlyMap<string, OfferedSkill>;
  /** What the agent may use: eligible, allowed, not blocked, and enabled where that is required; parts included. */
  readonly usable: readonly OfferedSkill[];
}

/** Puts catalogue, host and namespace state together. Pure; called once per turn and again when the state changed. */
export function makeOffer(catalogue: Catalogue, state: NamespaceState, facts: HostFacts): Offer {
  const all = new Map<string, OfferedSkill>();
  const usable: OfferedSkill[] = [];
  const here = {
    blocked: Object.keys(state.blocked),
    allowed: state.settings.allowed_skills,
    hasSkill: (id: string) => catalogue.skills.has(id),
  };
  for (const skill of catalogue.skills.values()) {
    const offered = { skill, state: stateOf(skill, state), reasons: eligibility(skill, facts, here) };
    all.set(skill.id, offered);
    const enabled = offered.state === "pinned" || !needsEnabling(skill, facts);
    if (enabled && offered.reasons.length === 0 && offered.state !== "blocked") usable.push(offered);
  }
  return { catalogue, all, usable };
}

/** Whether the skill's tools and guide are there without asking. */
export function isActive(offered: OfferedSkill): boolean {
  return offered.state === "active" || offered.state === "pinned";
}

import type { Profile } from "../values/profile.ts";
import type { Offer } from "./namespace-state.ts";
import { guide } from "./offered-tools.ts";
import type { Skill } from "./skill.ts";

/** Whether a skill is an agent in this channel, and no guide of its conversations. */
export function isAgentHere({ skill, state }: { skill: Pick<Skill, "agent">; state: string }): boolean {
  return skill.agent !== undefined && state === "pinned";
}

/** The agents that people enabled in a channel, without those whose names are taken. */
export function agentsHere(offer: Offer, taken: readonly Profile[]): Profile[] {
  return offer.once("agents", () => {
    const ids = new Set(taken.map(({ id }) => id));
    return offer.usable.filter(isAgentHere).flatMap(({ skill }): Profile[] => {
      const { id, description, agent } = skill;
      if (ids.has(id)) return [];
      return [{ id, description, prompt: guide(skill), tools: agent?.tools, skill: id }];
    });
  });
}

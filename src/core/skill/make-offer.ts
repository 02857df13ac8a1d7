import { type Profile, priorityOf } from "../values/profile.ts";
import type { Catalogue } from "./catalogue.ts";
import { deniesAction, deniesSkill } from "./denied-actions.ts";
import { eligibility, type HostFacts, isSwitchedOff, needsEnabling } from "./eligibility.ts";
import { isPinFallen, type NamespaceState, stateOf } from "./namespace-state.ts";
import type { Offer, OfferedSkill } from "./offer.ts";
import { createOfferedTools } from "./offered-tools.ts";
import { isInstalled, type Mean, type Skill } from "./skill.ts";
import { skillLines } from "./skill-line.ts";

/**
 * Puts catalogue, host and namespace state together. Pure; called once per turn and again when the state changed.
 *
 * @param lacking what turns of the channel have to do without
 */
export function makeOffer(
  catalogue: Catalogue,
  state: NamespaceState,
  facts: HostFacts,
  lacking: readonly Mean[] = [],
): Offer {
  const all = new Map<string, OfferedSkill>();
  const usable: OfferedSkill[] = [];
  const personOnly: OfferedSkill[] = [];
  const here = {
    blocked: Object.keys(state.blocked),
    allowed: state.settings.allowed_skills,
    lacking,
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
  return withProjections({ catalogue, all, usable, personOnly, lacking });
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
  const { catalogue, lacking, denies } = offer;
  const inThreadOnly = {
    catalogue,
    all,
    usable,
    personOnly,
    lacking,
    ...(denies === undefined ? {} : { denies }),
  };
  if (more.length > 0) return withProjections(inThreadOnly);
  return { ...withProjections(inThreadOnly), tools: () => offer.tools(), lines: (open) => offer.lines(open) };
}

/** The offer as an agent has it: what is not for it has a reason, and cannot be used while it has the turn. */
export function forAgent(offer: Offer, profile: Profile): Offer {
  const { id, tools, skills, black_tool_actions } = profile;
  if (tools === undefined && skills === undefined && black_tool_actions === undefined) return offer;
  return offer.once(`agent ${id}`, () => {
    const refused = (each: OfferedSkill) => notForAgent(each.skill, profile) !== undefined;
    const all = new Map(
      [...offer.all].map(([skillId, offered]): [string, OfferedSkill] => {
        const reason = notForAgent(offered.skill, profile);
        return [
          skillId,
          reason === undefined ? offered : { ...offered, reasons: [...offered.reasons, reason] },
        ];
      }),
    );
    return withProjections({
      catalogue: offer.catalogue,
      lacking: offer.lacking,
      all,
      usable: offer.usable.filter((offered) => !refused(offered)),
      personOnly: offer.personOnly.filter((offered) => !refused(offered)),
      denies: (tool) => deniesAction(profile, tool),
    });
  });
}

/** Why a skill is not for an agent, for people; undefined when it is. */
export function notForAgent(skill: Skill, profile: Profile): string | undefined {
  const { id, tools } = profile;
  if (tools !== undefined && !tools.includes(skill.tool_category))
    return `The agent ${id} has no tools of the category ${skill.tool_category} (/agent list shows the others).`;
  if (priorityOf(profile, skill) === false)
    return `It is not for the agent ${id} (/agent list shows the others).`;
  const isDenied =
    deniesSkill(profile, skill) ||
    (skill.tools.length > 0 && skill.tools.every((tool) => deniesAction(profile, tool)));
  return isDenied ? `The agent ${id} may not use it.` : undefined;
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

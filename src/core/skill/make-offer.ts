import type { Clock, KeyValue } from "../ports/storage.ts";
import { type Profile, priorityOf, type ToolCategory } from "../values/profile.ts";
import type { Catalogue } from "./catalogue.ts";
import { eligibility, type HostFacts, isSwitchedOff, needsEnabling } from "./eligibility.ts";
import {
  isPinFallen,
  type NamespaceState,
  type Offer,
  type OfferedSkill,
  type ReadNamespace,
  readNamespaceAgain,
  stateOf,
} from "./namespace-state.ts";
import { createOfferedTools, skillLines } from "./offered-tools.ts";
import { isInstalled, type Mean, type Skill } from "./skill.ts";
import { resolveSkillId } from "./skill-identifier.ts";

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

/** What `black_tool_actions` keeps an agent from, and which of the bot's own tools it has. */

/** A call as `black_tool_actions` looks at it. */
interface Action {
  name: string;
  skill_id: string;
  server?: { server: string; tool: string } | undefined;
}

/** Whether an agent may not call a tool at all; with an input, whether it may not call it so. */
export function deniesAction({ black_tool_actions = {} }: Profile, tool: Action, input?: unknown): boolean {
  const [root = "", part] = tool.skill_id.split("#");
  const owners = [tool.name, tool.skill_id, root, tool.server?.server ?? ""].filter(Boolean);
  const denied = Object.entries(black_tool_actions).flatMap(([owner, actions]) =>
    resolveSkillId(owner, owners).status === "found" ? actions : [],
  );
  if (denied.length === 0) return false;
  const names = ["*", tool.name, part, tool.server?.tool, ...actionsIn(input)];
  return denied.some((action) => names.includes(action));
}

/** Whether an agent may not use anything of a skill, its guide and scripts included. */
function deniesSkill(profile: Profile, { id, parent }: { id: string; parent?: string }): boolean {
  return deniesAction(profile, { name: parent === undefined ? id : "", skill_id: id });
}

/** Whether an agent has a tool of the bot's own; one without a category all have. */
export function hasOwnTool(
  profile: Profile,
  { name, category }: { name: string; category?: ToolCategory | undefined },
): boolean {
  if (category !== undefined && profile.tools?.includes(category) === false) return false;
  return !deniesAction(profile, { name, skill_id: "" });
}

function actionsIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  const { action, do: done } = input as { action?: unknown; do?: unknown };
  return [action, done].filter((value) => typeof value === "string");
}

/** The state of a namespace and what it makes of the catalogue. */
interface NamespaceOffer {
  readonly state: NamespaceState;
  readonly offer: Offer;
}

/** Reads namespaces; the very same object is answered while neither state nor catalogue has changed. */
export interface OfferReader {
  read(namespace: string, catalogue: Catalogue): Promise<NamespaceOffer>;
}

/** Namespaces whose offer is kept in memory. */
const remembered = 500;

/** How long an offer is kept, ms: a program installed meanwhile makes skills eligible. */
const maxAge = 10_000;

interface KnownOffer extends NamespaceOffer {
  catalogue: Catalogue;
  read: ReadNamespace;
  made_at: number;
}

/** @param lackingIn what turns of a channel in this state have to do without; nothing unless given */
export function createOfferReader(
  store: KeyValue,
  facts: HostFacts,
  clock: Pick<Clock, "now">,
  lackingIn?: (state: NamespaceState) => readonly Mean[],
): OfferReader {
  const known = new Map<string, KnownOffer>();
  const isFresh = (offer: KnownOffer) => clock.now() - offer.made_at < maxAge;
  return {
    async read(namespace, catalogue) {
      const before = known.get(namespace);
      const read = await readNamespaceAgain(store, namespace, before?.read);
      const isSame = before?.read === read && before.catalogue === catalogue && isFresh(before);
      if (isSame) return before;
      const offer = makeOffer(catalogue, read.state, facts, lackingIn?.(read.state));
      const made = { state: read.state, offer, catalogue, read, made_at: clock.now() };
      known.delete(namespace);
      known.set(namespace, made);
      const [oldest] = known.keys();
      if (known.size > remembered && oldest !== undefined) known.delete(oldest);
      return made;
    },
  };
}

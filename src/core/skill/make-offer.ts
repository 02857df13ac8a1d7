import type { Clock, KeyValue } from "../ports/storage.ts";
import { type Profile, priorityOf, type ToolCategory } from "../values/profile.ts";
import type { Catalogue } from "./catalogue.ts";
import { eligibility, type HostFacts, isSwitchedOff, needsEnabling } from "./eligibility.ts";
import {
  isPinFallen,
  isTaughtTo,
  type NamespaceState,
  type Offer,
  type OfferedSkill,
  readNamespace,
  stateOf,
} from "./namespace-state.ts";
import { createOfferedTools, skillLines } from "./offered-tools.ts";
import { isInstalled, type Mean, type Skill } from "./skill.ts";
import { resolveSkillId, toToolName } from "./skill-identifier.ts";

/**
 * Combines catalogue, host and namespace state. Pure. Called once per turn, and again when the state has changed.
 *
 * @param lacking services that turns of the channel lack
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
    taughtTo: (skill: Skill) => isTaughtTo(skill, state),
  };
  const known = [...catalogue.skills.values()].filter((skill) => isTaughtTo(skill, state) !== "no");
  for (const skill of known) {
    const offered: OfferedSkill = {
      skill,
      state: stateOf(skill, state),
      by_parent: (skill.parent !== undefined && state.pinned[skill.id] === undefined) || undefined,
      reasons: eligibility(skill, facts, here),
      switched_off: isSwitchedOff(skill, facts) || undefined,
      notice: isPinFallen(skill, state) ? pinFallen(skill) : undefined,
    };
    all.set(skill.id, offered);
    const enabled = offered.state === "pinned" || !needsEnabling(skill, facts);
    if (!enabled || offered.reasons.length > 0 || offered.state === "blocked") continue;
    const isForModel = offered.state === "pinned" || skill.invocation?.by_model !== false;
    (isForModel ? usable : personOnly).push(offered);
  }
  return withProjections({ catalogue, all, usable, personOnly, lacking });
}

/** The skills that a thread, or a turn in it, has changed. Ids. */
interface ThreadSkills {
  /** Activated by the agent. */
  active: ReadonlySet<string>;
  /** Active by default, and offloaded by the agent. */
  offloaded: ReadonlySet<string>;
  /** Named by the person, for this turn. */
  asked: readonly string[];
}

/**
 * The offer for a thread. A skill that the person requested by name is usable in that turn even if the model does not see it otherwise.
 * Installed skills still have to be enabled.
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
      return { ...(active.has(skill.id) ? withoutParent(offered) : offered), state: "active" };
    return state === "active" && isNamed(offloaded, skill) ? { ...offered, state: "available" } : offered;
  };
  const more = offer.personOnly.filter(isAsked);
  const usable = [...offer.usable, ...more].map(inThread);
  const all = new Map(offer.all);
  for (const offered of usable) all.set(offered.skill.id, offered);
  const personOnly = offer.personOnly.filter((offered) => !isAsked(offered));
  const inThreadOnly = withProjections({ ...offer, all, usable, personOnly });
  if (more.length > 0) return inThreadOnly;
  return { ...inThreadOnly, tools: () => offer.tools(), lines: (open) => offer.lines(open) };
}

function withoutParent({ by_parent: _, ...offered }: OfferedSkill): OfferedSkill {
  return offered;
}

/** The offer for an agent: skills that are not for it get a reason and cannot be used while it has the turn. */
export function forAgent(offer: Offer, profile: Profile): Offer {
  const { id, tools, skills, black_tool_actions } = profile;
  if (tools === undefined && skills === undefined && black_tool_actions === undefined) return offer;
  // A sub-run of the agent may be denied more than the agent.
  return offer.once(`agent ${id} ${JSON.stringify(black_tool_actions)}`, () => {
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
      ...offer,
      all,
      usable: offer.usable.filter((offered) => !refused(offered)),
      personOnly: offer.personOnly.filter((offered) => !refused(offered)),
      denies: (tool) => deniesAction(profile, tool),
    });
  });
}

/** Why a skill is not for an agent, for people; undefined if it is. */
export function notForAgent(skill: Skill, profile: Profile): string | undefined {
  const { id, tools } = profile;
  const isOther = tools !== undefined && !tools.includes(skill.tool_category);
  if (isOther || priorityOf(profile, skill) === false)
    return `This skill is not for the agent ${id}; /agent list shows the others, and /agent use chooses one.`;
  const isDenied =
    deniesSkill(profile, skill) ||
    (skill.tools.length > 0 && skill.tools.every((tool) => deniesAction(profile, tool)));
  return isDenied ? `The agent ${id} may not use it.` : undefined;
}

/** Adds the lists that are derived from an offer, each computed once on demand. */
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

/** The actions that `black_tool_actions` denies an agent, and the bot's own tools that an agent has. */

/** A call, as `black_tool_actions` describes it. */
interface Action {
  name: string;
  skill_id: string;
  server?: { server: string; tool: string } | undefined;
}

/** Whether an agent may not call a tool at all or, if an input is given, not with this input. */
export function deniesAction({ black_tool_actions = {} }: Profile, tool: Action, input?: unknown): boolean {
  const all = Object.entries(black_tool_actions);
  if (all.length === 0) return false;
  const [root = "", part] = tool.skill_id.split("#");
  const former = toToolName(tool.skill_id);
  const owners = [tool.name, tool.skill_id, root, former, tool.server?.server ?? ""].filter(Boolean);
  const denied = all.flatMap(([owner, actions]) =>
    resolveSkillId(owner, owners).status === "found" ? actions : [],
  );
  if (denied.length === 0) return false;
  const names = ["*", tool.name, part, former, tool.server?.tool, ...actionsIn(input)];
  return denied.some((action) => names.includes(action));
}

/** Whether an agent may use no part of a skill, including its guide and scripts. */
function deniesSkill(profile: Profile, { id, parent }: { id: string; parent?: string }): boolean {
  return deniesAction(profile, { name: parent === undefined ? id : "", skill_id: id });
}

/** Whether an agent has one of the bot's own tools. All agents have tools without a category. */
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

/** The state of a namespace, and its offer. */
export interface NamespaceOffer {
  readonly state: NamespaceState;
  readonly offer: Offer;
}

/** Reads namespaces. Returns the same object until state or catalogue changes. */
export interface OfferReader {
  read(namespace: string, catalogue: Catalogue): Promise<NamespaceOffer>;
}

/** Maximum namespaces whose offer is cached. */
const remembered = 500;

/** How long an offer is cached, ms: newly installed programs can make skills eligible. */
const maxAge = 10_000;

interface KnownOffer extends NamespaceOffer {
  catalogue: Catalogue;
  made_at: number;
}

/** @param lackingIn what turns of a channel in this state lack; none by default */
export function createOfferReader(
  store: KeyValue,
  facts: HostFacts,
  clock: Pick<Clock, "now">,
  lackingIn?: (state: NamespaceState, namespace: string) => Promise<readonly Mean[]>,
): OfferReader {
  const known = new Map<string, KnownOffer>();
  const isFresh = (offer: KnownOffer) => clock.now() - offer.made_at < maxAge;
  return {
    async read(namespace, catalogue) {
      const before = known.get(namespace);
      const state = await readNamespace(store, namespace);
      if (before?.state === state && before.catalogue === catalogue && isFresh(before)) return before;
      const offer = makeOffer(catalogue, state, facts, await lackingIn?.(state, namespace));
      const made = { state, offer, catalogue, made_at: clock.now() };
      known.delete(namespace);
      known.set(namespace, made);
      const [oldest] = known.keys();
      if (known.size > remembered && oldest !== undefined) known.delete(oldest);
      return made;
    },
  };
}

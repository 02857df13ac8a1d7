import type { Opening } from "../log/transcript.ts";
import { effortFor } from "../scope/chosen-model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { isAgentHere } from "../skill/agent-skill.ts";
import { forAgent, hasOwnTool } from "../skill/make-offer.ts";
import {
  hasManyTools,
  isActive,
  type Offer,
  type OfferedSkill,
  type OfferedTool,
  showsTools,
} from "../skill/namespace-state.ts";
import type { ToolDefinition } from "../values/message.ts";
import {
  buildInstructions,
  fitSkillList,
  helpersIn,
  namesPlace,
  type Profile,
  priorityOf,
} from "../values/profile.ts";
import type { Told } from "../values/told.ts";
import { guideFor, guidePrint, guideTokens, isGuideCut, promptFor } from "./guides.ts";

/**
 * The opening of a new transcript. It depends only on the skills, agent, settings and pinned facts of the channel, so that threads and
 * channels that are alike share the provider's cache (transcript-2). Secrets are removed. Returns the same object as long as the channel is
 * unchanged.
 */
export function makeOpening(scope: TurnScope, facts: readonly string[]): Opening {
  const { where, profile } = scope.turn;
  const { effort } = scope.namespace.settings;
  const { instructions } = scope.ports;
  const parts = [where, profile, facts, scope.ownDefinitions, effort, instructions, guideTokens(scope)];
  const key = JSON.stringify(["opening", ...parts]);
  return scope.namespaceOffer.once(key, () => buildOpening(scope, facts));
}

function buildOpening(scope: TurnScope, facts: readonly string[]): Opening {
  const { turn, ports, namespace } = scope;
  const offer = forAgent(scope.namespaceOffer, turn.profile);
  const effort = effortFor(ports, namespace.settings, turn.profile);
  const open = openSkills(offer, turn, ports);
  const active = activeSkills(offer);
  const enabled = new Set(active.map(({ skill }) => skill.id));
  const { limits } = turn;
  const rank = (id: string) => (enabled.has(id) ? enabledRank : priorityIn(offer, turn.profile, id));
  const list = fitSkillList(offer.lines(open), rank, limits.skill_list_tokens, ports.countTokens);
  const told: Told = {
    agent: turn.profile.id,
    place: namesPlace(ports.instructions) ? turn.where.place : "",
    ...list,
    open,
    active: guidesOf(offer),
    facts,
    agents: agentsOf(turn.profile, turn.profiles),
    effort,
  };
  const instructions = buildInstructions({
    template: ports.instructions,
    name: ports.name,
    where: turn.where,
    profile: promptFor(scope, turn.profile),
    told,
    guides: active.map(({ skill }) => guideFor(scope, skill)),
  });
  const tools = definitionsNow(scope, offer, { open, unlisted: list.unlisted }, turn.profile);
  return ports.redact({ instructions, tools, told });
}

/**
 * Ids of the bot's own skills whose tools are available from the opening: those that are open and those that the agent prefers, as many as
 * fit. Skills that people enabled are always available and do not count toward the limit.
 */
function openSkills(
  offer: Offer,
  { profile, limits }: Pick<TurnScope["turn"], "profile" | "limits">,
  { countTokens }: Pick<TurnScope["ports"], "countTokens">,
): string[] {
  const costs = new Map<string, number>();
  const rank = (id: string) =>
    (offer.all.get(id)?.skill.direct ? directRank : 0) + priorityIn(offer, profile, id);
  for (const { tool, definition, roots } of offer.tools().values()) {
    const [root] = roots;
    const offered = root === undefined ? undefined : offer.all.get(root);
    if (root === undefined || offered?.skill.origin.source !== "bundled" || offered.skill.kind === "mcp")
      continue;
    if (isActive(offered) || tool.listed === true || rank(root) <= 0) continue;
    costs.set(root, (costs.get(root) ?? 0) + countTokens(JSON.stringify(definition)));
  }
  let room = limits.open_tools_tokens;
  const inOrder = [...costs].toSorted(([one], [other]) => rank(other) - rank(one));
  return inOrder.flatMap(([id, cost]) => {
    if (cost > room) return [];
    room -= cost;
    return [id];
  });
}

/** Ranks skills that people enabled above those that an agent prefers. */
const enabledRank = 1e9;
/** Ranks direct tools above all others except those that an agent strongly prefers. */
const directRank = 100;

function priorityIn(offer: Offer, profile: Profile, id: string): number {
  const skill = offer.all.get(id)?.skill;
  return (skill === undefined ? 0 : priorityOf(profile, skill)) || 0;
}

/**
 * The definitions of the agent's own tools, followed by those of open or active skills, in a fixed order.
 *
 * @param known the tools that the conversation has: the agent's own ones stay
 */
export function definitionsNow(
  scope: TurnScope,
  offer: Offer,
  { open, unlisted }: Pick<Told, "open" | "unlisted">,
  profile: Profile,
  known: ReadonlyMap<string, ToolDefinition> = new Map(),
): ToolDefinition[] {
  const { models } = scope.ports;
  const ofSkills = offer.once(`shown ${open.join(" ")}`, () => {
    const isShown = ({ tool, roots }: OfferedTool) =>
      roots.some((root) => isShownIn(offer, root) || (open.includes(root) && tool.listed !== true));
    return [...offer.tools().values()].filter(isShown).map(({ definition }) => definition);
  });
  const many_tools = offer.usable.some(hasManyTools);
  const active = activeSkills(offer);
  const agent = offer.all.get(profile.skill ?? "");
  const guides = agent === undefined ? active : [...active, agent];
  const cut_guide = offer.once(`cut ${guideTokens(scope)} ${profile.skill}`, () =>
    guides.some(({ skill }) => isGuideCut(scope, skill)),
  );
  const now = { active, cut_guide, unlisted: unlisted.length, many_tools, models };
  const own = scope.ownDefinitions.filter(({ name }) => {
    const tool = scope.ownTools.get(name);
    if (tool === undefined || !hasOwnTool(profile, tool)) return false;
    return known.has(name) || tool.needed?.(now) !== false;
  });
  return [...own, ...ofSkills];
}

function isShownIn(offer: Offer, id: string): boolean {
  const offered = offer.all.get(id);
  return offered !== undefined && showsTools(offered);
}

/** Active root skills, by id, without those that are agents here. */
export function activeSkills(offer: Offer): OfferedSkill[] {
  return offer.usable
    .filter((offered) => offered.skill.parent === undefined && isActive(offered) && !isAgentHere(offered))
    .toSorted((a, b) => (a.skill.id < b.skill.id ? -1 : 1));
}

/** Fingerprints of the guides of active skills, by id. */
export function guidesOf(offer: Offer): Readonly<Record<string, string>> {
  return offer.once("guides", () =>
    Object.fromEntries(activeSkills(offer).map(({ skill }) => [skill.id, guidePrint(skill)])),
  );
}

/** The agents that an agent can ask, with their descriptions. */
export function agentsOf(profile: Profile, profiles: readonly Profile[]): Record<string, string> {
  if (!hasOwnTool(profile, { name: "handoff", category: "handoff" })) return {};
  return Object.fromEntries(helpersIn(profiles).map(({ id, description }) => [id, description]));
}

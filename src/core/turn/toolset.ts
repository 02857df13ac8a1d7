import type { TurnScope } from "../scope/turn-scope.ts";
import { forAgent, forThread, hasOwnTool } from "../skill/make-offer.ts";
import { isActive, type Offer, type OfferedTool } from "../skill/namespace-state.ts";
import { guide } from "../skill/offered-tools.ts";
import { resolveSkill } from "../skill/skill-identifier.ts";
import type { Tool } from "../skill/tool.ts";
import { guidePrint } from "../transcript/opening.ts";
import { currentProfile } from "../values/profile.ts";

/** Reads the namespace again, so that skills enabled or blocked in the meantime take effect. */
export async function refreshOffer(scope: TurnScope): Promise<void> {
  const { turn, ports } = scope;
  const { state, offer } = await ports.offers.read(turn.place.namespace, turn.catalogue);
  scope.namespace = state;
  scope.namespaceOffer = offer;
  scope.offer = threadOffer(scope);
}

/** The channel's offer, narrowed to the current agent and adjusted to the thread and the person's message. */
export function threadOffer(scope: TurnScope): Offer {
  const { turn, state, transcript, namespaceOffer } = scope;
  return forThread(forAgent(namespaceOffer, currentProfile(scope)), {
    active: new Set([...(transcript?.active ?? []), ...state.activated.keys()]),
    offloaded: new Set([...(transcript?.offloaded ?? [])].filter((id) => !state.activated.has(id))),
    asked: turn.asked ?? [],
  });
}

/** A tool named by a model's call. */
interface NamedTool {
  tool: Tool;
  /** The skill that the call activates, with its guide and tools; undefined when it is active already. */
  activates?: string;
}

/**
 * Finds the tool that a model means: one of the agent's own, or one of a skill that is usable here, active or not. Models also call a skill
 * with a single tool by the skill's id.
 */
export function findTool(scope: TurnScope, name: string): NamedTool | undefined {
  const own = scope.ownTools.get(name);
  if (own !== undefined && hasOwnTool(currentProfile(scope), own)) return { tool: own };
  const tools = scope.offer.tools();
  const named = tools.get(name) ?? onlyToolOf(scope.offer, name);
  if (named === undefined) return undefined;
  const root = named.roots.find((id) => isActiveHere(scope, id));
  const [first] = named.roots;
  return root !== undefined || first === undefined
    ? { tool: named.tool }
    : { tool: named.tool, activates: first };
}

function onlyToolOf(offer: Offer, name: string): OfferedTool | undefined {
  const own = toolsOf(offer, name);
  return own.length === 1 ? own[0]?.[1] : undefined;
}

/** The tools, by name, of the usable skill that a text names. */
function toolsOf(offer: Offer, text: string): [string, OfferedTool][] {
  const usable = offer.usable.map(({ skill }) => skill);
  const resolved = resolveSkill(text, usable);
  if (resolved.status !== "found") return [];
  return [...offer.tools()].filter(
    ([, { tool, roots }]) => tool.skill_id === resolved.id || roots.includes(resolved.id),
  );
}

/** The tool names of a skill, active or not, that a model called by its id. */
export function findParts({ offer }: TurnScope, name: string): string[] {
  return toolsOf(offer, name).map(([toolName]) => toolName);
}

function isActiveHere({ offer }: TurnScope, id: string): boolean {
  const offered = offer.all.get(id);
  return offered !== undefined && isActive(offered);
}

/** Activates a skill in this thread: its guide comes with the result of this call, and its tools follow. */
export async function activate(scope: TurnScope, skillId: string, callId: string): Promise<void> {
  if (scope.state.activated.has(skillId)) return;
  const skill = scope.offer.all.get(skillId)?.skill;
  if (skill === undefined) return;
  await scope.emit({
    type: "skill_activated",
    skill_id: skill.id,
    by: "agent",
    call_id: callId,
    guide: guidePrint(skill),
  });
}

/** The guides of the skills that this call has activated; empty when there are none. */
export function guidesWith({ state, offer }: TurnScope, callId: string): string {
  const activated = [...state.activated].filter(([, by]) => by === callId);
  return activated
    .flatMap(([id]) => offer.all.get(id)?.skill ?? [])
    .filter((skill) => `${skill.instructions}${skill.guide_note ?? ""}`.trim() !== "")
    .map(guide)
    .join("\n");
}

/** The id of the skill without tools that this name refers to. */
export function findGuide({ offer }: TurnScope, name: string): string | undefined {
  const resolved = resolveSkill(
    name,
    offer.usable.map(({ skill }) => skill),
  );
  if (resolved.status !== "found") return undefined;
  return offer.all.get(resolved.id)?.skill.tools.length === 0 ? resolved.id : undefined;
}

import { nearestNames } from "../../base/text/nearest-name.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { forAgent, forThread, hasOwnTool } from "../skill/make-offer.ts";
import { isActive, type Offer, type OfferedTool } from "../skill/namespace-state.ts";
import type { Skill } from "../skill/skill.ts";
import { resolveSkill } from "../skill/skill-identifier.ts";
import type { Tool } from "../skill/tool.ts";
import { guidePrint } from "../transcript/guides.ts";

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
  const { turn, conversation, transcript, namespaceOffer } = scope;
  return forThread(forAgent(namespaceOffer, scope.turn.profile), {
    active: new Set([...(transcript?.active ?? []), ...conversation.activated.keys()]),
    offloaded: new Set([...(transcript?.offloaded ?? [])].filter((id) => !conversation.activated.has(id))),
    asked: turn.asked ?? [],
  });
}

/** The active guides, the one activated last first: code of the thread sees their files. */
export function guidesOf({ offer, conversation, transcript }: TurnScope): Skill[] {
  const order = [...(transcript?.active ?? []), ...conversation.activated.keys()];
  return offer.usable
    .filter((offered) => isActive(offered) && offered.skill.kind === "document")
    .map(({ skill }) => skill)
    .sort((a, b) => order.lastIndexOf(b.id) - order.lastIndexOf(a.id));
}

/**
 * Finds the tool that a model means: one of the agent's own, or one of a skill that is usable here, active or not. A model may also call a
 * tool by a former name, a skill with a single tool by the skill's id, and put a name into a frame of its own format
 * (`functions.NAME:0`, `NAME<|channel|>commentary`).
 */
export function findTool(scope: TurnScope, name: string): Tool | undefined {
  const tool = toolNamed(scope, name);
  if (tool !== undefined) return tool;
  const inFrame = new Set(name.split(/[^\w-]+/).flatMap((part) => toolNamed(scope, part) ?? []));
  return inFrame.size === 1 ? [...inFrame][0] : undefined;
}

function toolNamed(scope: TurnScope, name: string): Tool | undefined {
  const own = scope.ownTools.get(name);
  if (own !== undefined && hasOwnTool(scope.turn.profile, own)) return own;
  const offered = scope.offer.tools().get(name) ?? onlyToolOf(scope.offer, name);
  return offered === undefined || offloadedWith(scope, offered) !== undefined ? undefined : offered.tool;
}

/** The skill that the agent offloaded in this thread, if the tool went with it and no active skill shows it. */
function offloadedWith(
  { transcript, conversation, offer }: TurnScope,
  { roots }: OfferedTool,
): string | undefined {
  const isOffloaded = (id: string) =>
    transcript?.offloaded.has(id) === true && !conversation.activated.has(id);
  const shows = (id: string) => {
    const offered = offer.all.get(id);
    return offered !== undefined && isActive(offered);
  };
  return roots.some(shows) ? undefined : roots.find(isOffloaded);
}

/** A hint at the tool that a model means by a name that no tool has. */
export function hintAtTool(scope: TurnScope, name: string): string {
  const { offer, ownTools } = scope;
  const offered = offer.tools().get(name) ?? onlyToolOf(offer, name);
  const offloaded = offered && offloadedWith(scope, offered);
  if (offloaded !== undefined)
    return `You offloaded the skill ${offloaded}, and its tools went with it; activate_skill(skill_name: "${offloaded}") brings them back.`;
  const named = usableNamed(offer, name);
  if (named?.tools.length === 0)
    return `${named.id} is a guide: call activate_skill(skill_name: "${named.id}") and work by what it returns.`;
  const parts = toolsOf(offer, name).map(([tool]) => tool);
  if (parts.length > 0)
    return `${name} is a skill with these tools, call the one that fits: ${parts.join(", ")}.`;
  const near = nearestNames(name, [...ownTools.keys(), ...offer.tools().keys()]).join(", ");
  return near === "" ? howToFindSkills(scope) : `Nearest tools: ${near}.`;
}

/** A hint at the skills there are, which names `list_skills` only if the conversation has it. */
export function howToFindSkills({ transcript }: TurnScope): string {
  return transcript?.tools.has("list_skills")
    ? "list_skills(query) finds what there is."
    : "The list of available skills has all there are.";
}

function onlyToolOf(offer: Offer, name: string): OfferedTool | undefined {
  const own = toolsOf(offer, name);
  return own.length === 1 ? own[0]?.[1] : undefined;
}

/** The tools, by name, of the usable skill that a text names, or of this name. */
function toolsOf(offer: Offer, text: string): [string, OfferedTool][] {
  const skill = usableNamed(offer, text);
  const isMeant = ({ tool, roots }: OfferedTool) =>
    skill === undefined ? text === tool.name : tool.skill_id === skill.id || roots.includes(skill.id);
  return [...offer.tools()].filter(([, offered]) => isMeant(offered));
}

/** The usable skill that a text names. */
function usableNamed({ usable, all }: Offer, text: string): Skill | undefined {
  const resolved = resolveSkill(
    text,
    usable.map(({ skill }) => skill),
  );
  return resolved.status === "found" ? all.get(resolved.id)?.skill : undefined;
}

/** Activates a skill in this thread: the result of this call has its guide, and its tools follow. */
export async function activate(scope: TurnScope, skillId: string, callId: string): Promise<void> {
  if (scope.conversation.activated.has(skillId)) return;
  const skill = scope.offer.all.get(skillId)?.skill;
  if (skill === undefined) return;
  await scope.emit({
    type: "skill_activated",
    skill_id: skill.id,
    by: "agent",
    call_id: callId,
    // A part comes with the guide of its skill.
    guide: skill.parent === undefined ? guidePrint(skill) : undefined,
  });
}

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

/** The skill that the agent offloaded in this thread together with the tool of this name. */
export function findOffloaded(scope: TurnScope, name: string): string | undefined {
  const offered = scope.offer.tools().get(name) ?? onlyToolOf(scope.offer, name);
  return offered && offloadedWith(scope, offered);
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
  const usable = offer.usable.map(({ skill }) => skill);
  const resolved = resolveSkill(text, usable);
  const isMeant = ({ tool, roots }: OfferedTool) =>
    resolved.status === "found"
      ? tool.skill_id === resolved.id || roots.includes(resolved.id)
      : text === tool.name;
  return [...offer.tools()].filter(([, offered]) => isMeant(offered));
}

/** The tool names of a skill, active or not, that a model called by its id. */
export function findParts({ offer }: TurnScope, name: string): string[] {
  return toolsOf(offer, name).map(([toolName]) => toolName);
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

/** The id of the skill without tools that this name refers to. */
export function findGuide({ offer }: TurnScope, name: string): string | undefined {
  const resolved = resolveSkill(
    name,
    offer.usable.map(({ skill }) => skill),
  );
  if (resolved.status !== "found") return undefined;
  return offer.all.get(resolved.id)?.skill.tools.length === 0 ? resolved.id : undefined;
}

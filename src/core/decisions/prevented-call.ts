import type { Turn, TurnPorts } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { deniesAction } from "../skill/make-offer.ts";
import type { Skill } from "../skill/skill.ts";
import {
  hasRights,
  needsPlatformRoles,
  type RightSubject,
  rightInWords,
  rightsOn,
} from "../skill/skill-identifier.ts";
import { failure, type Tool, type ToolResult } from "../skill/tool.ts";
import type { Json } from "../values/json.ts";
import { named } from "../values/label.ts";
import { isDirectMessage } from "../values/place.ts";

const stopped = failure("stopped", "The turn was stopped before this ran.");

/** Why a call may not run now, even if approved: the turn was stopped, or the channel, the agent or a right forbids it. */
export async function prevented(scope: TurnScope, tool: Tool, input: Json): Promise<ToolResult | undefined> {
  if (scope.turn.signal.aborted) return stopped;
  return (
    forbidden(scope, tool) ?? forbiddenToAgent(scope, tool, input) ?? (await withoutRight(scope, tool, input))
  );
}

/** Denied actions of the agent that has the turn, whatever the origin of the call. */
function forbiddenToAgent(scope: TurnScope, tool: Tool, input: Json): ToolResult | undefined {
  const profile = scope.turn.profile;
  if (!deniesAction(profile, tool, input)) return undefined;
  const message = `The agent ${profile.id} may not call ${tool.name} so.`;
  return failure("not_permitted", message, "Go on without it and say so.");
}

/** Rights of the person. Code that a call runs for a skill counts as that skill. */
async function withoutRight(scope: TurnScope, tool: Tool, input: Json): Promise<ToolResult | undefined> {
  const subject = { ...tool, skill_id: tool.runsCodeOf?.(input) ?? tool.skill_id };
  const refusal = await rightRefusal(scope, subject);
  if (refusal === undefined) return undefined;
  return failure("not_permitted", refusal, "Tell the person; do not look for another way.");
}

/** Skills that a person blocked since the model was asked, or that the channel does not allow. */
function forbidden(scope: TurnScope, tool: Tool): ToolResult | undefined {
  if (tool.skill_id === "") return undefined;
  const offered = scope.offer.all.get(tool.skill_id);
  const reason = offered?.state === "blocked" ? "It was disabled in this channel." : offered?.reasons[0];
  if (offered !== undefined && reason === undefined) return undefined;
  const message = `${tool.name} may not run. ${reason ?? "Its skill is gone."}`;
  return failure("not_permitted", message, "Go on without it and say so.");
}

/** The person whose rights are checked, and the sources of rights and roles. */
interface RightsAsker {
  turn: Pick<Turn, "author" | "place" | "cause">;
  ports: Pick<TurnPorts, "rights" | "rolesOf">;
}

/**
 * Why the person a turn is for may not use something, in words for them and the model; undefined if they may. People who caused a trigger
 * need the right too.
 */
export async function rightRefusal(
  { turn, ports }: RightsAsker,
  subject: RightSubject,
): Promise<string | undefined> {
  const rights = rightsOn(ports.rights, subject);
  if (rights.length === 0) return undefined;
  const { author, place, cause } = turn;
  const causers = (cause?.caused_by ?? []).map((id) => ({ id, trust: author.trust }));
  const people = [author, ...causers];
  for (const person of people) {
    const roles = () => ports.rolesOf(place, person.id);
    if (await hasRights(rights, person, roles)) continue;
    const who = rights.map(rightInWords).join("; and ");
    const name = named(person.id === author.id ? author.name : "", person.id);
    const refusal = `${name} may not use ${subject.skill_id || subject.name}: it is for ${who} (the operator's setting skills.rights).`;
    const isElsewhere = isDirectMessage(place.namespace) && needsPlatformRoles(rights);
    return isElsewhere
      ? `${refusal} Roles do not count in direct messages: who has one asks in a channel.`
      : refusal;
  }
  return undefined;
}

/**
 * Identifies a tool, or the code it runs, in its current form: permissions apply only to that form. Undefined for the agent's own tools.
 */
export function definitionOf(
  { server }: Pick<Tool, "server">,
  skill: Pick<Skill, "hash"> | undefined,
): string | undefined {
  return server?.definition ?? skill?.hash;
}

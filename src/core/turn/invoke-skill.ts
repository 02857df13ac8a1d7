import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { OfferedSkill } from "../skill/namespace-state.ts";
import { isInstalled, type Skill } from "../skill/skill.ts";
import { resolveSkill } from "../skill/skill-identifier.ts";
import { type ErrorResult, failure, type Tool, type ToolResult } from "../skill/tool.ts";
import { WaitingForPerson } from "../values/failure.ts";
import { type Json, toJson } from "../values/json.ts";
import { checkArguments } from "./check-call.ts";
import { howToFindSkills, refreshOffer } from "./toolset.ts";

/** Maximum nesting of skills that invoke each other. */
const maxDepth = 3;

/**
 * Runs a skill that is usable here; it need not be active. `callId` is the call's own id below its parent. It is the same on resume, so a
 * nested call that has finished is answered from the log.
 */
export async function invokeSkill(
  scope: TurnScope,
  parent: CallRequest,
  callId: string,
  skillId: string,
  params: Json,
): Promise<ToolResult> {
  if (parent.depth >= maxDepth) {
    return failure("too_deep", `Skills may invoke each other ${maxDepth} deep; this would be deeper.`);
  }
  // Only the call that the person wrote: a skill that it invokes acts on its own account.
  const by_person = parent.by_person === true && parent.depth === 0;
  await refreshOffer(scope);
  const found = findSkill(scope, skillId, by_person);
  if (found.status === "error") return found;
  const { tool } = found;
  const valid = await checkArguments(tool, params);
  if (!valid.ok) return invalidParameters(scope, tool, valid.message);
  const result = await scope.runCall({
    call: { id: callId, name: tool.name, arguments: JSON.stringify(params) },
    parent_call_id: parent.call.id,
    by_person,
    depth: parent.depth + 1,
    tool,
  });
  if (result === "waiting") throw new WaitingForPerson();
  return result;
}

/**
 * Finds a skill by its id, or a tool by its name. When the text is both, the more trusted skill wins, so an installed skill cannot capture
 * calls to a shipped tool by taking its name.
 */
function findSkill(
  scope: TurnScope,
  text: string,
  byPerson: boolean,
): { status: "ok"; tool: Tool } | ErrorResult {
  const { offer } = scope;
  const usable = byPerson ? [...offer.usable, ...offer.personOnly] : offer.usable;
  const resolved = resolveSkill(
    text,
    usable.map(({ skill }) => skill),
  );
  const id = resolved.status === "found" ? resolved.id : undefined;
  const offered = usable.find(({ skill }) => skill.id === id);
  const [owner] = usable
    .flatMap(({ skill }) => skill.tools.map((tool) => ({ skill, tool })))
    .filter(({ tool }) => text === tool.name)
    .sort((one, other) => trust(other.skill) - trust(one.skill));
  if (owner !== undefined && (offered === undefined || trust(owner.skill) > trust(offered.skill)))
    return { status: "ok", tool: owner.tool };
  if (offered === undefined) {
    const reason = whyNotUsable(offer, text);
    if (reason !== undefined) return failure("not_usable", reason);
    const near =
      resolved.status === "unknown" && resolved.nearest.length > 0
        ? `Nearest: ${resolved.nearest.join(", ")}. `
        : "";
    return failure("skill_not_found", "Skill not found", `${near}${howToFindSkills(scope)}`);
  }
  return onlyTool(offered);
}

/** Why an existing skill cannot be used, in words for people. */
function whyNotUsable({ all }: TurnScope["offer"], text: string): string | undefined {
  const resolved = resolveSkill(
    text,
    [...all.values()].map(({ skill }) => skill),
  );
  return resolved.status === "found" ? all.get(resolved.id)?.reasons[0] : undefined;
}

/** Trust in a skill's origin: 2 shipped, 1 added by an operator, 0 installed. */
function trust(skill: Skill): number {
  if (skill.origin.source === "bundled") return 2;
  return isInstalled(skill) ? 0 : 1;
}

function onlyTool({ skill }: OfferedSkill): { status: "ok"; tool: Tool } | ErrorResult {
  const [tool, ...others] = skill.tools;
  if (tool === undefined) {
    const message = `${skill.id} is a guide without a tool of its own.`;
    return failure("not_runnable", message, `Activate it with activate_skill and follow its guide.`);
  }
  if (others.length > 0) {
    const parts = skill.tools.map((each) => each.skill_id).join(", ");
    return failure("choose_part", `${skill.id} has several parts: ${parts}.`, "Invoke one of them.");
  }
  return { status: "ok", tool };
}

function invalidParameters(scope: TurnScope, tool: Tool, message: string): ToolResult {
  const expected = scope.turn.catalogue.skills.get(tool.skill_id)?.parameters ?? [];
  return {
    ...failure("invalid_parameters", `Invalid parameters: ${message}`),
    details: { expected_parameters: toJson(expected) },
  };
}

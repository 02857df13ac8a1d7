import { errorText } from "../../base/error-text.ts";
import { nearestNames } from "../../base/nearest-name.ts";
import { escapeRawControls } from "../../base/raw-controls.ts";
import { rightRefusal } from "../decisions/right-refusal.ts";
import { mayBeOf, startingOf } from "../scope/starting-skills.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { Tool, ToolResult, Validation } from "../skill/tool.ts";
import { type Json, parseJson } from "../values/json.ts";
import type { ToolCall } from "../values/message.ts";
import { fitArguments } from "./fit-arguments.ts";
import { activate, findGuide, findParts, findTool } from "./toolset.ts";

/** A call that can run, or what the model is told instead. */
export type CheckedCall =
  | { status: "ready"; tool: Tool; input: Json }
  | { status: "refused"; tool?: Tool; input: Json; result: ToolResult };

/** Looks the tool up. A call of a skill that is not active activates it: its guide comes with the result. */
export async function findAndCheck(scope: TurnScope, request: CallRequest): Promise<CheckedCall> {
  const { call, tool } = request;
  if (tool !== undefined) return checkCall(call, tool);
  const named = findTool(scope, call.name);
  if (named === undefined) return unknownTool(scope, call);
  const known = scope.state.calls.get(call.id);
  if (named.activates !== undefined && known?.finished === undefined) {
    // Nobody is shown the guide of what they may not use.
    const refusal = await rightRefusal(scope, { skill_id: named.activates });
    if (refusal === undefined) await activate(scope, named.activates, call.id);
  }
  return checkCall(call, named.tool);
}

/** A tool that is not there: what would be right instead. */
function unknownTool(scope: TurnScope, call: ToolCall): CheckedCall {
  const skills = [...scope.offer.all.values()].map(({ skill }) => skill);
  const starting = startingOf(skills).find((skill) => mayBeOf(call.name, skill));
  if (starting !== undefined) {
    const message = `${starting.name} is starting; ${call.name} is not there yet.`;
    const hint = "Go on without it, and tell the person to try again in a moment.";
    return refused(call.arguments, "skill_starting", message, { hint });
  }
  const message = `Function '${call.name}' not found.`;
  const guideSkill = findGuide(scope, call.name);
  if (guideSkill !== undefined) {
    const hint = `${guideSkill} is a guide: call activate_skill(skill_name: "${guideSkill}") and work by what it returns.`;
    return refused(call.arguments, "unknown_tool", message, { hint });
  }
  const parts = findParts(scope, call.name);
  if (parts.length > 0) {
    const hint = `${call.name} is a skill with these tools, call the one that fits: ${parts.join(", ")}.`;
    return refused(call.arguments, "unknown_tool", message, { hint });
  }
  const known = [...scope.ownTools.keys(), ...scope.offer.tools().keys()];
  const near = nearestNames(call.name, known).join(", ");
  const hint = near === "" ? "list_skills(query) finds what there is for it." : `Nearest tools: ${near}.`;
  return refused(call.arguments, "unknown_tool", message, { hint });
}

/** Broken JSON and invalid arguments are told to the model with what would be right. */
async function checkCall(call: ToolCall, tool: Tool): Promise<CheckedCall> {
  const schema = { expected_arguments: tool.parameters };
  let parsed: Json;
  try {
    parsed = call.arguments.trim() === "" ? {} : parseJson(escapeRawControls(call.arguments));
  } catch (error) {
    const reason = errorText(error);
    return refused(call.arguments, "invalid_json", `The arguments are not valid JSON: ${reason}`, schema);
  }
  const valid = await checkArguments(tool, parsed);
  if (!valid.ok) return refused(parsed, "invalid_arguments", `Invalid arguments: ${valid.message}`, schema);
  return { status: "ready", tool, input: valid.value };
}

/**
 * What a tool would run with: the arguments in the types of its schema, with its defaults, as its own check leaves them. A check that
 * throws refuses them: no arguments may end more than their own call.
 */
export async function checkArguments(
  tool: Pick<Tool, "parameters" | "validate">,
  input: unknown,
): Promise<Validation> {
  try {
    return await tool.validate(fitArguments(tool.parameters, input ?? {}));
  } catch (error) {
    return { ok: false, message: errorText(error) };
  }
}

function refused(
  input: Json,
  code: string,
  message: string,
  rest: { hint?: string; [key: string]: Json | undefined },
): CheckedCall {
  const { hint, ...details } = rest;
  const more = Object.fromEntries(
    Object.entries(details).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
  return {
    status: "refused",
    input,
    result: { status: "error", code, message, ...(hint ? { hint } : {}), details: more },
  };
}

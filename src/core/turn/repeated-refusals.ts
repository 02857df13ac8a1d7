import { isRecord } from "../../base/record.ts";
import type { CallState, TurnState } from "../log/turn-state.ts";
import type { ToolResult } from "../skill/tool.ts";
import { canonicalJson, type Json } from "../values/json.ts";

/** Codes of calls that cannot succeed however often they are made. */
const hopeless = new Set(["unknown_tool", "invalid_json", "invalid_arguments"]);

/** From this time on the very same call is answered with a plain word. */
const tellFrom = 3;
/** With this time the turn ends: a model that does not hear would use up every round. */
const endWith = 6;

/** The result of a model's call, with a plain word when it is a refusal the model has had for the very same call before. */
export function toldWhenRepeated(
  { calls }: TurnState,
  tool: string,
  input: Json,
  result: ToolResult,
): ToolResult {
  if (result.status === "ok" || !hopeless.has(result.code)) return result;
  const key = keyOf(tool, input);
  const times = 1 + refusedKeys(calls).filter((refused) => refused === key).length;
  if (times < tellFrom) return result;
  const message = `This very call was refused ${times} times for the same reason: ${result.message}`;
  const hint = "Do not make it again: change the arguments, or answer without the tool.";
  return { ...result, message, hint };
}

/** Why a turn ends whose model goes on making one hopeless call; undefined when it does not. */
export function repeatedTooOften({ calls }: TurnState): string | undefined {
  const times = new Map<string, number>();
  for (const key of refusedKeys(calls)) times.set(key, (times.get(key) ?? 0) + 1);
  const most = Math.max(0, ...times.values());
  return most < endWith ? undefined : `the same call of a tool was refused ${most} times`;
}

/** The model's own calls; those of skills answer to the skill. */
function refusedKeys(calls: TurnState["calls"]): string[] {
  return [...calls.values()].flatMap(({ started, finished }) => {
    if (started === undefined || started.parent_call_id !== undefined) return [];
    return isHopeless(finished) ? [keyOf(started.tool, started.input)] : [];
  });
}

function isHopeless(finished: CallState["finished"]): boolean {
  if (finished?.status !== "error") return false;
  const { output } = finished;
  if (!isRecord(output)) return false;
  return typeof output.code === "string" && hopeless.has(output.code);
}

function keyOf(tool: string, input: Json): string {
  return `${tool} ${canonicalJson(input)}`;
}

import { createEventChannel } from "./event-channel.ts";
import { invokeSkill } from "./invoke-skill.ts";
import type { Json } from "./json.ts";
import type { ToolResult } from "./tool.ts";
import type { Turn, TurnPorts } from "./turn.ts";
import type { TurnEventBody } from "./turn-event.ts";
import { openScope } from "./turn-opening.ts";
import type { CallRequest, MetaTool } from "./turn-scope.ts";

/**
 * Runs one skill for a person, without a model: the path of `invoke_skill`. Yields its events as a turn does; the
 * generator's value is the result.
 */
export async function* runSkill(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
  skillId: string,
  params: Json,
): AsyncGenerator<TurnEventBody, ToolResult> {
  const channel = createEventChannel<TurnEventBody>();
  const scope = await openScope(turn, ports, metaTools, channel.emit);
  const person: CallRequest = { call: { id: "run", name: "run", arguments: "" }, depth: 0 };
  let result: ToolResult = { status: "error", code: "failed", message: "The skill did not run." };
  const work = invokeSkill(scope, person, "run/1", skillId, params).then((value) => {
    result = value;
  });
  yield* channel.drain(work);
  return result;
}

import type { TurnEventBody } from "../log/turn-event.ts";
import type { Turn, TurnPorts } from "../scope/turn.ts";
import type { CallRequest, MetaTool } from "../scope/turn-scope.ts";
import type { ToolResult } from "../skill/tool.ts";
import type { Json } from "../values/json.ts";
import { WaitingForPerson } from "../values/waiting.ts";
import { createEventChannel } from "./event-channel.ts";
import { invokeSkill } from "./invoke-skill.ts";
import { waitUntil } from "./turn-loop.ts";
import { openScope } from "./turn-opening.ts";

/**
 * Runs one skill for a person, without a model: the path of `invoke_skill`. Yields its events as a turn does; the
 * generator's value is the result, or `waiting` after `turn_waiting`: then the turn is run again when a person has answered.
 */
export async function* runSkill(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
  skillId: string,
  params: Json,
): AsyncGenerator<TurnEventBody, ToolResult | "waiting"> {
  const channel = createEventChannel<TurnEventBody>();
  const scope = await openScope(turn, ports, metaTools, channel.emit);
  const person: CallRequest = {
    call: { id: "run", name: "run", arguments: "" },
    depth: 0,
    by_person: true,
  };
  let result: ToolResult | "waiting" = "waiting";
  const run = async () => {
    try {
      result = await invokeSkill(scope, person, "run/1", skillId, params);
    } catch (error) {
      if (!(error instanceof WaitingForPerson)) throw error;
      await scope.emit({ type: "turn_waiting", until: waitUntil(scope) });
    }
  };
  yield* channel.drain(run());
  return result;
}

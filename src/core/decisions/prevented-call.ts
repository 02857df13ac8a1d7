import type { TurnScope } from "../scope/turn-scope.ts";
import { deniesAction } from "../skill/denied-actions.ts";
import type { Tool, ToolResult } from "../skill/tool.ts";
import type { Json } from "../values/json.ts";
import { currentProfile } from "../values/profile.ts";
import { rightRefusal } from "./right-refusal.ts";

const stopped: ToolResult = {
  status: "error",
  code: "stopped",
  message: "The turn was stopped before this ran.",
};

/** Why a call does not run now, whoever approved it: the turn was stopped, or the channel, the agent or a right forbids it. */
export async function prevented(scope: TurnScope, tool: Tool, input: Json): Promise<ToolResult | undefined> {
  if (scope.turn.signal.aborted) return stopped;
  return (
    forbidden(scope, tool) ?? forbiddenToAgent(scope, tool, input) ?? (await withoutRight(scope, tool, input))
  );
}

/** What the agent that has the turn is never to do, however it came to call it. */
function forbiddenToAgent(scope: TurnScope, tool: Tool, input: Json): ToolResult | undefined {
  const profile = currentProfile(scope);
  if (!deniesAction(profile, tool, input)) return undefined;
  const message = `The agent ${profile.id} may not call ${tool.name} so.`;
  return { status: "error", code: "not_permitted", message, hint: "Go on without it and say so." };
}

/** What only some people may use; code that a call runs for a skill counts as that skill. */
async function withoutRight(scope: TurnScope, tool: Tool, input: Json): Promise<ToolResult | undefined> {
  const subject = { ...tool, skill_id: tool.runsCodeOf?.(input) ?? tool.skill_id };
  const refusal = await rightRefusal(scope, subject);
  if (refusal === undefined) return undefined;
  const hint = "Tell the person; do not look for another way.";
  return { status: "error", code: "not_permitted", message: refusal, hint };
}

/** What a person blocked since the model was asked, or what the channel never allowed, does not run. */
function forbidden(scope: TurnScope, tool: Tool): ToolResult | undefined {
  if (tool.skill_id === "") return undefined;
  const offered = scope.offer.all.get(tool.skill_id);
  const reason = offered?.state === "blocked" ? "It was disabled in this channel." : offered?.reasons[0];
  if (offered !== undefined && reason === undefined) return undefined;
  const message = `${tool.name} may not run. ${reason ?? "Its skill is gone."}`;
  return { status: "error", code: "not_permitted", message, hint: "Go on without it and say so." };
}

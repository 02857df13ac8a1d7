import type { ToolDefinition } from "./message.ts";
import { refreshToolset } from "./toolset.ts";
import type { Turn, TurnPorts } from "./turn.ts";
import { openScope, systemPrompt } from "./turn-opening.ts";
import type { MetaTool } from "./turn-scope.ts";

/** What the first model call of a turn would get. Nothing is recorded. */
export async function previewTurn(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
): Promise<{ system: string; tools: ToolDefinition[]; tokens: number }> {
  const scope = await openScope(turn, ports, metaTools, async () => {});
  const system = await systemPrompt(scope);
  refreshToolset(scope);
  const tools = [...scope.toolset.definitions];
  return { system, tools, tokens: ports.countTokens(system) + ports.countTokens(JSON.stringify(tools)) };
}

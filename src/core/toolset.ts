import type { Json } from "./json.ts";
import { isActive, withAsked } from "./offer.ts";
import { openedTools } from "./opened-tools.ts";
import { uniqueToolNames } from "./skill-identifier.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";
import type { MetaTool, Toolset, TurnScope } from "./turn-scope.ts";

/** Reads the namespace again; what a person pinned or blocked meanwhile counts from now on. */
export async function refreshOffer(scope: TurnScope): Promise<void> {
  const { turn, ports } = scope;
  const { state, offer } = await ports.offers.read(turn.place.namespace, turn.catalogue);
  scope.namespace = state;
  if (offer === scope.namespaceOffer) return;
  scope.namespaceOffer = offer;
  scope.offer = withAsked(offer, turn.asked ?? []);
}

/** Catalogue × namespace: what the model is offered in its next call. */
export function refreshToolset(scope: TurnScope): void {
  const { offer, toolset } = scope;
  const own = scope.metaTools.filter((tool) => tool.offered(scope));
  const isSame =
    toolset.offer === offer &&
    own.length === toolset.own.length &&
    own.every((tool, at) => tool === toolset.own[at]);
  if (!isSame) scope.toolset = makeToolset(scope, own);
}

function makeToolset(scope: TurnScope, own: readonly MetaTool[]): Toolset {
  const ownTools = own.map(
    (tool): Tool => ({
      ...tool,
      approval: (input) => tool.approval?.(input, scope),
      run: (input, context) => runOwn(tool, input, context, scope),
    }),
  );
  const tools = [...ownTools, ...skillTools(scope, ownTools)];
  return {
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    definitions: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    offer: scope.offer,
    own,
  };
}

function runOwn(tool: MetaTool, input: Json, context: ToolContext, scope: TurnScope): Promise<ToolResult> {
  const call = { id: context.call_id, name: tool.name, arguments: "" };
  return tool.run(input, context, scope, { call, depth: 0 });
}

function skillTools(scope: TurnScope, own: readonly Tool[]): Tool[] {
  const reserved = new Set(own.map((tool) => tool.name));
  const usable = new Set(scope.offer.usable.map((offered) => offered.skill.id));
  const tools = new Map<string, { tool: Tool; source: string }>();
  for (const offered of scope.offer.usable) {
    if (!isActive(offered)) continue;
    for (const tool of offered.skill.tools) {
      if (!usable.has(tool.skill_id)) continue;
      tools.set(`${tool.skill_id} ${tool.name}`, { tool, source: offered.skill.origin.source });
    }
    for (const opened of openedTools(scope.offer, offered)) {
      tools.set(`${opened.tool.skill_id} ${opened.tool.name}`, opened);
    }
  }
  return uniqueToolNames([...tools.values()], reserved);
}

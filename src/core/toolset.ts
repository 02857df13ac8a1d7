import type { ToolDefinition } from "./model.ts";
import { readNamespace } from "./namespace-state.ts";
import { isActive, makeOffer } from "./offer.ts";
import { uniqueToolNames } from "./skill-identifier.ts";
import type { Tool } from "./tool.ts";
import type { TurnScope } from "./turn-scope.ts";

/** The tools of one model call, by name: the agent's own and those of active skills. */
export type Toolset = ReadonlyMap<string, Tool>;

/** Reads the namespace again; what a person pinned or blocked meanwhile counts from now on. */
export async function refreshOffer(scope: TurnScope): Promise<void> {
  const { turn, ports } = scope;
  const latest = await readNamespace(ports.store, turn.place.namespace);
  if (JSON.stringify(latest) === JSON.stringify(scope.namespace)) return;
  scope.namespace = latest;
  scope.offer = makeOffer(turn.catalogue, latest, ports.facts);
}

/** Catalogue × namespace: what the model is offered in its next call. */
export function makeToolset(scope: TurnScope): Toolset {
  const own = scope.metaTools
    .filter((tool) => tool.offered(scope))
    .map(
      (tool): Tool => ({
        ...tool,
        run: (input, context) =>
          tool.run(input, context, scope, {
            call: { id: context.call_id, name: tool.name, arguments: "" },
            depth: 0,
          }),
      }),
    );
  return new Map([...own, ...skillTools(scope, own)].map((tool) => [tool.name, tool]));
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
  }
  return uniqueToolNames([...tools.values()], reserved);
}

/** The tools as a model sees them. */
export function definitionsOf(toolset: Toolset): ToolDefinition[] {
  return [...toolset.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
}

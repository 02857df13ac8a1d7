import { type KeyValue, scopeKeyValue } from "../../src/core/ports/storage.ts";
import type { Web } from "../../src/core/ports/web.ts";
import { createCatalogueLoader } from "../../src/core/skill/catalogue.ts";
import { makeOffer } from "../../src/core/skill/make-offer.ts";
import { namespaceStateSchema } from "../../src/core/skill/namespace-state.ts";
import type { SkillSource } from "../../src/core/skill/skill.ts";
import type { Tool, ToolContext } from "../../src/core/skill/tool.ts";
import type { Json } from "../../src/core/values/json.ts";
import { createMiniSearchIndex } from "../../src/search/minisearch-index.ts";
import { createHostFacts } from "../../src/skills/host-facts.ts";
import { createMemoryKeyValue } from "../../src/storage/memory-key-value.ts";
import { asker, namespace } from "../bench-app.ts";
import { currentInput, currentTool } from "./current-tools.ts";
import frozen from "./frozen-tools.json" with { type: "json" };
import type { PlainTool } from "./plain-loop.ts";

/**
 * The tools of the plain loop, with the definitions that are frozen in `frozen-tools.json`: a lighter description in Knack does not make
 * the baseline lighter. Today's tools run the calls as in a bot, but ask no model.
 */
export async function plainTools(sources: readonly SkillSource[], web: Web): Promise<PlainTool[]> {
  const catalogue = await createCatalogueLoader(sources, createMiniSearchIndex).current();
  const facts = createHostFacts({ env: process.env, config: {}, capabilities: [] });
  const offer = makeOffer(catalogue, namespaceStateSchema.parse({}), facts);
  const store = createMemoryKeyValue();
  const offered = offer.tools();
  return frozen.tools.map((definition) => ({
    ...definition,
    async run(input) {
      const { name } = currentTool(definition.name);
      const tool = offered.get(name)?.tool;
      if (tool === undefined) throw new Error(`No tool ${name} runs the calls of ${definition.name}`);
      return runTool(tool, currentInput(definition.name, input), store, web);
    },
  }));
}

async function runTool(tool: Tool, input: Json, store: KeyValue, web: Web): Promise<string> {
  const valid = await tool.validate(input);
  if (!valid.ok) throw new Error(`The script calls ${tool.name} wrongly: ${valid.message}`);
  const [root = tool.skill_id] = tool.skill_id.split("#");
  const result = await tool.run(valid.value, contextOf(scopeKeyValue(store, `${root}:`), web));
  if (result.status === "error") throw new Error(`${tool.name} failed: ${result.message}`);
  return typeof result.output === "string" ? result.output : JSON.stringify(result.output);
}

let calls = 0;

/** The part of a turn that the tools of these tasks use. */
function contextOf(store: KeyValue, web: Web): ToolContext {
  calls += 1;
  const context: Partial<ToolContext> = {
    call_id: `call-${calls}`,
    turn_id: `turn-${calls}`,
    agent: "plain",
    place: { namespace, thread: "plain" },
    user: asker,
    permissions: [],
    env: {},
    signal: new AbortController().signal,
    now: () => Date.now(),
    progress: () => {},
    step: async (_name, work) => work(),
    generative: false,
    stands: () => false,
    file: async ({ name }) => name,
    store,
    web,
    searchPast: async () => ({ exchanges: [], looked_at: 0 }),
  };
  return context as ToolContext;
}

import {
  parametersOf,
  type Skill,
  type SkillSource,
  skillMetadataSchema,
} from "../../../src/core/skill/skill.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/core/skill/tool.ts";
import type { ToolEffect } from "../../../src/core/values/inbound.ts";
import type { Json } from "../../../src/core/values/json.ts";

export interface TestTool extends Partial<Omit<Tool, "effect" | "run">> {
  name: string;
  effect?: ToolEffect;
  run?: (input: Json, context: ToolContext) => Promise<ToolResult | Json> | ToolResult | Json;
}

/** A skill made of plain functions, open where the bot has room for its tools. A tool without `run` echoes its input. */
export function testSkill(id: string, tools: TestTool[] = [], more: Partial<Skill> = {}): Skill {
  const skillTools = tools.map((tool) => testTool(id, tool));
  return {
    ...skillMetadataSchema.parse({ id, name: id, description: more.description ?? `Does ${id}.` }),
    direct: true,
    kind: tools.length === 0 ? "document" : "builtin",
    origin: { source: "bundled", precedence: 2, path: `/skills/${id}` },
    hash: `hash of ${id}`,
    instructions: `Guide of ${id}.`,
    parameters: parametersOf(skillTools[0]?.parameters ?? {}),
    ...more,
    tools: skillTools,
  };
}

function testTool(
  skillId: string,
  { effect = "read_only", run = (input) => input, ...rest }: TestTool,
): Tool {
  return {
    title: `Running ${rest.name}`,
    description: `The tool ${rest.name}.`,
    parameters: { type: "object", properties: { text: { type: "string" } } },
    skill_id: skillId,
    validate: (input) => ({ ok: true, value: input as Json }),
    max_execution_ms: 5_000,
    max_iterations: 10,
    max_output_bytes: 100_000,
    ...rest,
    effect: () => effect,
    async run(input, context) {
      const result = await run(input, context);
      const isResult = typeof result === "object" && result !== null && "status" in result;
      return isResult ? (result as ToolResult) : { status: "ok", output: result as Json };
    },
  };
}

/** A source of skills that a test changes by assigning `skills`. */
export function testSource(skills: readonly Skill[]): SkillSource & { skills: readonly Skill[] } {
  let loaded = { skills, diagnostics: [] };
  return {
    id: "test",
    get skills() {
      return loaded.skills;
    },
    set skills(next) {
      loaded = { skills: next, diagnostics: [] };
    },
    load: async () => loaded,
  };
}

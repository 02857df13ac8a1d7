import { hash } from "node:crypto";
import { type Skill, type SkillOrigin, skillMetadataSchema } from "../core/skill.ts";
import { toToolName } from "../core/skill-identifier.ts";
import type { Tool, ToolEffect } from "../core/tool.ts";
import type { Flow } from "./flow-file.ts";
import { flowAlias, flowId } from "./flow-id.ts";
import { runFlow } from "./run-flow.ts";
import { parametersOfVariables, schemaOfVariables, validateArguments } from "./variables.ts";

/** Bytes of JSON a flow may answer; its results stand there twice. */
const largestOutput = 2_000_000;

export interface FlowOrigin {
  origin: SkillOrigin;
  /** The name of the file, which is the flow's UUID in AnythingLLM. */
  fileName: string;
  /** Its text. */
  text: string;
}

/** A flow as a skill of one tool. */
export function createFlowSkill(flow: Flow, { origin, fileName, text }: FlowOrigin): Skill {
  const id = flowId(flow.name, fileName);
  const metadata = skillMetadataSchema.parse({
    id,
    name: flow.name,
    description: flow.description,
    parameters: parametersOfVariables(flow.variables),
    enabled: flow.active,
    max_iterations: flow.steps.length,
    tags: ["flow"],
  });
  return {
    ...metadata,
    kind: "flow",
    aliases: [flowAlias(fileName)],
    origin,
    hash: hash("sha256", text, "hex"),
    instructions: guideOf(flow),
    tools: [createTool(id, flow, metadata.max_execution_seconds * 1000)],
  };
}

function createTool(id: string, flow: Flow, max_execution_ms: number): Tool {
  const effect: ToolEffect = flow.steps.some((step) => step.effect === "side_effect")
    ? "side_effect"
    : "read_only";
  return {
    name: toToolName(id),
    title: `Running ${flow.name}`,
    description: flow.description,
    parameters: schemaOfVariables(flow.variables),
    skill_id: id,
    effect: () => effect,
    validate: (input) => validateArguments(flow.variables, input),
    run: (input, context) => runFlow(flow, input, context),
    max_execution_ms,
    max_iterations: flow.steps.length,
    max_output_bytes: largestOutput,
  };
}

/** Its steps, as people and models read them. */
function guideOf({ steps }: Flow): string {
  const lines = steps.map(({ summary, variable, direct }, at) => {
    const goes = direct ? ", which is the answer" : variable === undefined ? "" : `, kept as ${variable}`;
    return `${at + 1}. ${summary}${goes}`;
  });
  return `Its steps, in this order:\n\n${lines.join("\n")}`;
}

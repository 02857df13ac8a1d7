import { hash } from "node:crypto";
import { isInstalled, type Skill, type SkillOrigin, skillMetadataSchema } from "../core/skill/skill.ts";
import { toToolName } from "../core/skill/skill-identifier.ts";
import type { Tool } from "../core/skill/tool.ts";
import type { ToolEffect } from "../core/values/inbound.ts";
import type { FlowStep } from "./block.ts";
import { dryRunFlow } from "./dry-run.ts";
import { allSteps, type Flow } from "./flow-file.ts";
import { flowAlias, flowId } from "./flow-id.ts";
import { type FlowPorts, runFlow } from "./run-flow.ts";
import { parametersOfVariables, schemaOfVariables, validateArguments } from "./variables.ts";

/** Bytes of JSON a flow may answer: its results, its variables, and what is said about them. */
const maxOutput = 5_000_000;

export interface FlowOrigin {
  origin: SkillOrigin;
  /** The name of the file, which is the flow's UUID in AnythingLLM. */
  fileName: string;
  /** Its text. */
  text: string;
  /** Its id; made from its name unless given. */
  id?: string;
}

/** A flow as a skill of one tool. */
export function createFlowSkill(
  flow: Flow,
  { origin, fileName, text, id = flowId(flow.name, fileName) }: FlowOrigin,
  ports: FlowPorts,
): Skill {
  const { name, description, active, risk, max_iterations, max_execution_seconds } = flow;
  const metadata = skillMetadataSchema.parse({
    id,
    name,
    description,
    parameters: parametersOfVariables(flow.variables),
    enabled: active,
    risk,
    max_iterations,
    ...(max_execution_seconds === undefined ? {} : { max_execution_seconds }),
    tags: ["flow"],
    // One within a branch may never be reached.
    requires: { means: flow.steps.some(({ type }) => type === "llmInstruction") ? ["model"] : [] },
  });
  const tools: Tool[] = [];
  const skill: Skill = {
    ...metadata,
    kind: "flow",
    ...(allSteps(flow.steps).some(({ type }) => type === "code") ? { code: { runs: "tools" as const } } : {}),
    aliases: [flowAlias(fileName)],
    origin,
    hash: hash("sha256", text, "hex"),
    instructions: `Its steps, in this order:\n\n${guideOf(flow.steps, "").join("\n")}`,
    tools,
  };
  tools.push(createTool(flow, skill, ports));
  return skill;
}

function createTool(flow: Flow, skill: Skill, ports: FlowPorts): Tool {
  const effect = effectOf(flow);
  return {
    name: toToolName(skill.id),
    title: `Running ${flow.name}`,
    description: flow.description,
    parameters: schemaOfVariables(flow.variables),
    skill_id: skill.id,
    effect: () => effect,
    acts: isInstalled(skill) ? allSteps(flow.steps).some(acts) : actsUnasked(flow.steps),
    validate: (input) => validateArguments(flow.variables, input),
    run: (input, context) => runFlow({ flow, skill, ports }, input, context),
    dryRun: async (input) => dryRunFlow(flow, input),
    max_execution_ms: skill.max_execution_seconds * 1000,
    max_iterations: skill.max_iterations,
    max_output_bytes: maxOutput,
  };
}

/** Whether a step itself changes something. */
function acts({ effect, delegates }: FlowStep): boolean {
  return effect !== "read_only" && !delegates;
}

/** Whether a step changes something before the flow's author lets people allow it: an `approval` guards the rest of its list. */
function actsUnasked(steps: readonly FlowStep[]): boolean {
  const guard = steps.findIndex(({ type }) => type === "approval");
  const open = guard < 0 ? steps : steps.slice(0, guard + 1);
  return open.some((step) => acts(step) || [...step.branches.values()].some(actsUnasked));
}

/** That of its gravest step. */
function effectOf({ steps }: Flow): ToolEffect {
  const effects = new Set(allSteps(steps).map(({ effect }) => effect));
  const order: ToolEffect[] = ["side_effect", "idempotent"];
  return order.find((effect) => effects.has(effect)) ?? "read_only";
}

/** Its steps, as people and models read them. */
function guideOf(steps: readonly FlowStep[], indent: string): string[] {
  return steps.flatMap(({ at, name, summary, variable, direct, branches }) => {
    const goes = direct ? ", which is the answer" : variable === undefined ? "" : `, kept as ${variable}`;
    const inner = [...branches].flatMap(([branch, list]) =>
      list.length === 0 ? [] : [`${indent}   - ${branch}:`, ...guideOf(list, `${indent}     `)],
    );
    return [`${indent}${at}. ${name ?? summary}${goes}`, ...inner];
  });
}

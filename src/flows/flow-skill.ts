import { hash } from "node:crypto";
import { SkillFailure } from "../core/skill/define-skill.ts";
import { isInstalled, type Skill, type SkillOrigin, skillMetadataSchema } from "../core/skill/skill.ts";
import { toToolName } from "../core/skill/skill-identifier.ts";
import type { Tool } from "../core/skill/tool.ts";
import type { ToolEffect } from "../core/values/inbound.ts";
import type { Json } from "../core/values/json.ts";
import type { DryScope, FlowStep } from "./block.ts";
import { allSteps, type Flow } from "./flow-file.ts";
import { type FlowPorts, runFlow } from "./run-flow.ts";
import {
  fixedNames,
  parametersOfVariables,
  schemaOfVariables,
  startingValues,
  validateArguments,
} from "./variables.ts";

/** Maximum bytes of a flow's output as JSON: results, variables and details, with up to three bytes for a character. */
const maxOutput = 15_000_000;

export interface FlowOrigin {
  origin: SkillOrigin;
  /** The name of the file, which is the UUID of the flow in AnythingLLM. */
  fileName: string;
  /** Its text. */
  text: string;
  /** Its id; made from its name by default. */
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
    max_execution_seconds,
    tags: ["flow"],
    // A step within a branch may never run.
    requires: { means: flow.steps.some(({ type }) => type === "llmInstruction") ? ["model"] : [] },
  });
  const tools: Tool[] = [];
  const skill: Skill = {
    ...metadata,
    kind: "flow",
    code: allSteps(flow.steps).some(({ type }) => type === "code") ? { runs: "tools" } : undefined,
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

/** Whether a step itself has an effect. */
function acts({ effect, delegates }: FlowStep): boolean {
  return effect !== "read_only" && !delegates;
}

/** Whether a step has an effect without approval: an `approval` block guards the rest of its list. */
function actsUnasked(steps: readonly FlowStep[]): boolean {
  const guard = steps.findIndex(({ type }) => type === "approval");
  const open = guard < 0 ? steps : steps.slice(0, guard + 1);
  return open.some((step) => acts(step) || [...step.branches.values()].some(actsUnasked));
}

/** The most severe effect of its steps. */
function effectOf({ steps }: Flow): ToolEffect {
  const effects = new Set(allSteps(steps).map(({ effect }) => effect));
  const order: ToolEffect[] = ["side_effect", "idempotent"];
  return order.find((effect) => effects.has(effect)) ?? "read_only";
}

/** Its steps for people and models. */
function guideOf(steps: readonly FlowStep[], indent: string): string[] {
  return steps.flatMap(({ at, name, summary, variable, direct, branches }) => {
    const goes = direct ? ", which is the answer" : variable === undefined ? "" : `, kept as ${variable}`;
    const inner = [...branches].flatMap(([branch, list]) =>
      list.length === 0 ? [] : [`${indent}   - ${branch}:`, ...guideOf(list, `${indent}     `)],
    );
    return [`${indent}${at}. ${name ?? summary}${goes}`, ...inner];
  });
}

/**
 * Describes a run with this input step by step, without running it: requests as they would be sent, with masked secrets. Values that are
 * only known at run time, and fixed values, appear as `${name}`.
 */
function dryRunFlow(flow: Flow, input: Json): Json {
  const later = fixedNames(flow.variables);
  const { values: variables, own } = startingValues(flow.variables, input);
  for (const name of later) variables.delete(name);
  const known: Known = { variables, later, own };
  return {
    flow: flow.name,
    steps: describeSteps(flow.steps, known),
    note: "Nothing was sent. What stands in dollar sign and braces is only known when it runs, or is fixed by the flow.",
  };
}

interface Known extends DryScope {
  variables: Map<string, Json>;
  later: Set<string>;
  own: Set<string>;
}

function describeSteps(steps: readonly FlowStep[], known: Known): Json[] {
  return steps.map((step) => {
    const described = describeStep(step, known);
    if (step.variable !== undefined) forget(known, [step.variable]);
    return described;
  });
}

function describeStep(step: FlowStep, known: Known): Json {
  const { path, type, name, summary, variable, direct, branches, turns, sets } = step;
  const inner = [...branches.values()].flat();
  const changed = allSteps(inner).flatMap((each) => each.variable ?? []);
  const about = {
    step: path,
    type,
    ...(name === undefined ? {} : { name }),
    does: summary,
    ...details(step, known),
  };
  const before = copyOf(known);
  // An iteration of a loop also sees the changes of the one before it.
  if (turns > 1) forget(before, [...changed, ...sets]);
  const described = [...branches]
    .filter(([, list]) => list.length > 0)
    .map(([branch, list]): [string, Json] => [branch, describeSteps(list, copyOf(before))]);
  forget(known, changed);
  return {
    ...about,
    ...Object.fromEntries(described),
    ...(variable === undefined ? {} : { result_goes_to: variable }),
    ...(direct ? { is_the_answer: true } : {}),
  };
}

/** The description of a step, or the failure that the given values would cause. */
function details(step: FlowStep, known: Known): { [key: string]: Json } {
  try {
    return step.describe(known);
  } catch (error) {
    if (error instanceof SkillFailure) return { would_fail: error.message };
    throw error;
  }
}

function copyOf({ variables, later, own }: Known): Known {
  return { variables: new Map(variables), later: new Set(later), own: new Set(own) };
}

function forget({ variables, later, own }: Known, names: readonly string[]): void {
  for (const name of names) {
    variables.delete(name);
    own.delete(name);
    later.add(name);
  }
}

/**
 * The id of a flow, made from its name as AnythingLLM makes tool names: `Daily Report!` becomes `daily_report`. A name without a
 * Latin letter or digit becomes `flow_` and the file's name, which is the flow's UUID there.
 */
export function flowId(name: string, fileName: string): string {
  const sanitised = name
    .toLowerCase()
    .trim()
    .replace(/\s+/g, "_")
    .replace(/[^a-z0-9_-]/g, "")
    .replace(/_+/g, "_")
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, "")
    .slice(0, 64);
  return sanitised === "" ? flowAlias(fileName) : sanitised;
}

/** The name of a flow in hubs and exports: `flow_UUID`. */
function flowAlias(fileName: string): string {
  return `flow_${fileName.replace(/\.json$/i, "")}`;
}

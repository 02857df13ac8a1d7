import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { foreignDocument } from "../base/foreign-document.ts";
import { readJson } from "../base/json-reader.ts";
import { nearestNames } from "../base/text/nearest-name.ts";
import { sizeProblem } from "../core/values/json.ts";
import type { FlowStep, PreparedBlock, ReadSteps } from "./block.ts";
import { blocks } from "./blocks/registry.ts";
import { startConfigSchema } from "./blocks/start.ts";
import { nameIn, type Placeholder, placeholdersIn } from "./substitute.ts";
import type { FlowVariable } from "./variables.ts";

/** Maximum depth of nested steps. */
const maxDepth = 6;
/** Maximum timeout of a step, ms. */
const maxTimeout = 600_000;
const maxRetries = 5;
/** Default timeout of code, ms. */
const codeTimeout = 10_000;

/** A step in a file. */
const rawStepSchema = z.object({
  type: z.string(),
  config: z.record(z.string(), z.unknown()).nullish(),
});

const commonSchema = z.object({
  name: z.string().trim().max(100).nullish().catch(undefined),
  resultVariable: z.string().nullish(),
  responseVariable: z.string().nullish(),
  directOutput: z.unknown().optional(),
  timeout_ms: z.number().int().min(1).max(maxTimeout).nullish(),
  retries: z.number().int().min(0).max(maxRetries).nullish(),
});

/** Blocks of AnythingLLM's editor, which do nothing. */
const editorBlocks = new Set(["flowInfo", "finish"]);

/** Reads the steps of a flow or a branch. `problem` names the step and its fault. */
function readList(raw: readonly unknown[], prefix: string, depth: number): ReadSteps {
  if (depth > maxDepth) return refuseStep(`Steps may be nested ${maxDepth} deep; ${prefix}1 is deeper.`);
  const listed = z.array(rawStepSchema).safeParse(raw);
  if (!listed.success) return refuseStep(`${prefix}: it is not a list of steps with a type and a config.`);
  const steps: FlowStep[] = [];
  for (const { type, config } of listed.data.filter((step) => !editorBlocks.has(step.type))) {
    const at = steps.length + 1;
    const read = readStep({ type, config: config ?? {}, path: `${prefix}${at}`, at, depth });
    if (!read.ok) return read;
    steps.push(read.step);
  }
  return { ok: true, steps };
}

interface Place {
  type: string;
  config: Record<string, unknown>;
  path: string;
  at: number;
  depth: number;
}

function readStep({ type, config, path, at, depth }: Place) {
  const prepare = Object.hasOwn(blocks, type) ? blocks[type] : undefined;
  if (prepare === undefined) {
    const known = Object.keys(blocks).join(", ");
    const problem = `Step ${path} is a ${type} block, which is not supported. There are ${known}.`;
    return refuseStep(problem, "unsupported_block");
  }
  if (type === "start" && depth > 1)
    return refuseStep(`Step ${path} is a start block; only the first step is.`);
  let inner: (ReadSteps & { ok: false }) | undefined;
  let isMain = true;
  const below = new Set<unknown>();
  const prepared = prepare(config, (name, steps) => {
    for (const step of steps) below.add(step);
    const read = readList(steps, isMain ? `${path}.` : `${path}.${name}.`, depth + 1);
    isMain = false;
    if (!read.ok) inner = read;
    return read;
  });
  if (inner !== undefined) return inner;
  const common = commonSchema.safeParse(config);
  const problem = prepared.ok
    ? common.success
      ? limitProblem(prepared.block, common.data)
      : `${common.error.issues[0]?.path.join(".")}: ${common.error.issues[0]?.message}`
    : prepared.problem;
  if (!prepared.ok || !common.success || problem !== undefined) {
    return refuseStep(`Step ${path} (${type}): ${problem}.`);
  }
  // In code a placeholder is JavaScript, and the values of a start block are not filled in.
  const own =
    type === "code" || type === "start"
      ? ""
      : JSON.stringify(config, (_key, item) => (below.has(item) ? null : item));
  const uses = placeholdersIn(own);
  return {
    ok: true as const,
    step: { ...prepared.block, ...commonOf(type, common.data), type, path, at, uses },
  };
}

function commonOf(type: string, common: z.infer<typeof commonSchema>) {
  const { name, resultVariable, responseVariable, directOutput, timeout_ms, retries } = common;
  return {
    name: name || undefined,
    variable: resultVariable?.trim() || responseVariable?.trim() || undefined,
    direct: Boolean(directOutput),
    timeout_ms: timeout_ms ?? (type === "code" ? codeTimeout : undefined),
    retries: retries ?? 0,
  };
}

function limitProblem(
  { kind, repeatable }: PreparedBlock,
  { timeout_ms, retries }: z.infer<typeof commonSchema>,
): string | undefined {
  if (kind === "control" && timeout_ms) {
    return "timeout_ms: what it leads to has time limits of its own; set it there";
  }
  if (!repeatable && retries) {
    return "retries: it is not safe to repeat; a request that is says so with idempotent: true";
  }
  return undefined;
}

function refuseStep(problem: string, code = "invalid_step") {
  return { ok: false as const, code, problem };
}

/** A flow file, read. Format: AnythingLLM's agent flows, as of 1.16, and our additions in flows/README.md. */
export interface Flow {
  name: string;
  description: string;
  active: boolean;
  variables: FlowVariable[];
  steps: FlowStep[];
  risk: "low" | "medium" | "high";
  /** Maximum steps of one run, counting each iteration of a loop. */
  max_iterations: number;
  max_execution_seconds: number | undefined;
  /** Problems that do not prevent a run. */
  warnings: string[];
}

/** Maximum steps of a file, including nested steps. */
const maxSteps = 200;
/** Maximum steps of one run, whatever a file says. */
const maxIterations = 10_000;
const maxWarnings = 20;

const flowSchema = z.object({
  name: z.string().trim().min(1, "it is missing").max(200),
  description: z.string().nullish(),
  active: z.boolean().nullish(),
  steps: z.array(rawStepSchema).max(maxSteps),
  risk: z.enum(["low", "medium", "high"]).nullish(),
  max_iterations: z.number().int().positive().max(maxIterations).nullish(),
  max_execution_seconds: z.number().positive().max(3_600).nullish(),
});

export type ReadFlow = { ok: true; flow: Flow } | { ok: false; code: string; message: string };

/** Reads the text of a flow file, which may be JSON with comments, trailing commas and the like. Never throws. */
export function readFlow(text: string): ReadFlow {
  const json = readJson(text, jsonrepair);
  if (!json.ok) return refuse("invalid_json", "It is not JSON. Export the flow again.");
  const problem = sizeProblem(text);
  if (problem !== undefined) return refuse("too_deep", `It cannot be read: ${problem}`);
  const parsed = flowSchema.safeParse(json.value);
  if (!parsed.success) {
    const foreign = foreignDocument(json.value);
    if (foreign !== undefined) return refuse("other_format", foreign);
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "the file";
    const rule = "A flow has a name and a list of steps.";
    return refuse("invalid_flow", `It is not a flow: ${where}: ${issue?.message}. ${rule}`);
  }
  const read = readList(parsed.data.steps, "", 1);
  if (!read.ok) return refuse(read.code, read.problem);
  if (read.steps.length === 0) return refuse("no_steps", "It has no steps. Add one.");
  if (allSteps(read.steps).length > maxSteps) {
    return refuse(
      "too_many_steps",
      `It has more than ${maxSteps} steps. Split it into flows that call flows.`,
    );
  }
  return { ok: true, flow: flowOf(parsed.data, read.steps) };
}

function flowOf(data: z.infer<typeof flowSchema>, steps: FlowStep[]): Flow {
  const variables = variablesOf(data.steps);
  const { name, description, active, risk, max_iterations, max_execution_seconds } = data;
  return {
    name,
    description: description?.trim() || `Execute agent flow: ${name}`,
    active: active !== false,
    variables,
    steps,
    risk: risk ?? "low",
    max_iterations: max_iterations ?? Math.min(maxIterations, maxStepsOf(steps)),
    max_execution_seconds: max_execution_seconds ?? undefined,
    warnings: strayPlaceholders(variables, allSteps(steps)),
  };
}

/** Warnings for placeholders that are never filled in: no step sets their variable, or they have the syntax of another program. */
function strayPlaceholders(variables: readonly FlowVariable[], steps: readonly FlowStep[]): string[] {
  const set = steps.flatMap(({ variable, sets }) => [...(variable === undefined ? [] : [variable]), ...sets]);
  const known = new Set([...variables.map(({ name }) => name), ...set]);
  const warnings = steps.flatMap(({ uses, path, type }) =>
    uses
      .filter((used) => used.path === undefined || !known.has(nameIn(used.path)))
      .map((used) => `Step ${path} (${type}): ${whyUnfilled(used, known)}`),
  );
  return [...new Set(warnings)].slice(0, maxWarnings);
}

function whyUnfilled({ written, path }: Placeholder, known: ReadonlySet<string>): string {
  const shown = written.slice(0, 100);
  const name = nameIn(path ?? written.slice(2, -2).trim());
  const near = known.has(name) ? name : nearestNames(name, known)[0];
  const advice = near === undefined ? "" : ` Did you mean \${${near}}?`;
  if (path !== undefined) return `No step sets the variable of ${shown}, so it is left unchanged.${advice}`;
  return `${shown} is not a placeholder, so it is left unchanged.${advice}`;
}

/** The steps and all steps within them. */
export function allSteps(steps: readonly FlowStep[]): FlowStep[] {
  return steps.flatMap((step) => [step, ...[...step.branches.values()].flatMap(allSteps)]);
}

/** The number of steps of a run in which every loop has its maximum of iterations. */
function maxStepsOf(steps: readonly FlowStep[]): number {
  const all = steps.map(({ branches, turns }) => {
    const maxInner = Math.max(0, ...[...branches.values()].map(maxStepsOf));
    return 1 + turns * maxInner;
  });
  return all.reduce((sum, each) => sum + each, 0);
}

/** The variables of all start blocks. Of several variables with one name, the last counts. */
function variablesOf(steps: readonly { type: string; config?: unknown }[]): FlowVariable[] {
  const all = steps
    .filter(({ type }) => type === "start")
    .flatMap(({ config }) => startConfigSchema.safeParse(config ?? {}).data?.variables ?? []);
  return [...new Map(all.map((variable) => [variable.name, variable])).values()];
}

function refuse(code: string, message: string): ReadFlow {
  return { ok: false, code, message };
}

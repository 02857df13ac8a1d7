import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import type { PreparedBlock } from "./block.ts";
import { blocks } from "./blocks/registry.ts";
import { startConfigSchema } from "./blocks/start.ts";
import type { FlowVariable } from "./variables.ts";

/** A step with what every kind of step has. */
export interface FlowStep extends PreparedBlock {
  type: string;
  /** The variable its result goes to, if any. */
  variable: string | undefined;
  /** Its result is the answer, and the flow ends with it. */
  direct: boolean;
}

/** A flow file, read. Format: AnythingLLM's agent flows, as of 1.16. */
export interface Flow {
  name: string;
  description: string;
  active: boolean;
  variables: FlowVariable[];
  steps: FlowStep[];
}

const flowSchema = z.object({
  name: z.string().trim().min(1, "it is missing"),
  description: z.string().nullish(),
  active: z.boolean().nullish(),
  steps: z
    .array(z.object({ type: z.string(), config: z.record(z.string(), z.unknown()).nullish() }))
    .max(200),
});

const commonSchema = z.object({
  resultVariable: z.string().nullish(),
  responseVariable: z.string().nullish(),
  directOutput: z.unknown().optional(),
});

/** Only their editor knows these; they do nothing. */
const editorBlocks = new Set(["flowInfo", "finish"]);

export type ReadFlow = { ok: true; flow: Flow } | { ok: false; code: string; message: string };

/** Reads the text of a flow file. JSON with comments, trailing commas and the like is read too. */
export function readFlow(text: string): ReadFlow {
  const json = parseLenient(text);
  if (json === undefined) {
    return { ok: false, code: "invalid_json", message: "It is not JSON. Export the flow again." };
  }
  const parsed = flowSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "the file";
    const message = `It is no flow: ${where}: ${issue?.message}. A flow has a name and a list of steps.`;
    return { ok: false, code: "invalid_flow", message };
  }
  const { name, description, active, steps } = parsed.data;
  const real = steps.filter(({ type }) => !editorBlocks.has(type));
  if (real.length === 0) return { ok: false, code: "no_steps", message: "It has no steps. Add one." };
  const read = real.map(({ type, config }, at) => readStep(type, config ?? {}, at + 1));
  const refused = read.find((step) => !step.ok);
  if (refused !== undefined && !refused.ok) return refused;
  return {
    ok: true,
    flow: {
      name,
      description: description?.trim() || `Execute agent flow: ${name}`,
      active: active !== false,
      variables: variablesOf(real),
      steps: read.flatMap((step) => (step.ok ? [step.step] : [])),
    },
  };
}

type ReadStep = { ok: true; step: FlowStep } | { ok: false; code: string; message: string };

function readStep(type: string, config: Record<string, unknown>, number: number): ReadStep {
  const prepare = blocks.get(type);
  if (prepare === undefined) {
    const message = `Step ${number} is a ${type} block, which is not supported. There are ${[...blocks.keys()].join(", ")}.`;
    return { ok: false, code: "unsupported_block", message };
  }
  const prepared = prepare(config);
  const common = commonSchema.safeParse(config);
  if (!prepared.ok || !common.success) {
    const problem = prepared.ok ? "resultVariable or responseVariable is no text" : prepared.problem;
    return { ok: false, code: "invalid_step", message: `Step ${number} (${type}): ${problem}.` };
  }
  const { resultVariable, responseVariable, directOutput } = common.data;
  const variable = resultVariable?.trim() || responseVariable?.trim() || undefined;
  return { ok: true, step: { ...prepared.block, type, variable, direct: Boolean(directOutput) } };
}

/** The variables of all start blocks; of several with one name the last counts. */
function variablesOf(steps: readonly { type: string; config?: unknown }[]): FlowVariable[] {
  const all = steps
    .filter(({ type }) => type === "start")
    .flatMap(({ config }) => startConfigSchema.safeParse(config ?? {}).data?.variables ?? []);
  return [...new Map(all.map((variable) => [variable.name, variable])).values()];
}

function parseLenient(text: string): unknown {
  for (const read of [JSON.parse, (json: string) => JSON.parse(jsonrepair(json))]) {
    try {
      return read(text);
    } catch {
      // The next reader is more lenient; undefined after the last.
    }
  }
  return undefined;
}

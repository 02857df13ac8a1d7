import { z } from "zod";
import type { FlowStep, PreparedBlock, ReadSteps } from "./block.ts";
import { blocks } from "./blocks/registry.ts";
import { placeholdersIn } from "./substitute.ts";

/** Steps within steps within steps: deeper than this is refused. */
const deepest = 6;
/** Milliseconds. */
const maxTimeout = 600_000;
const maxRetries = 5;

/** A step as it stands in a file. */
export const rawStepSchema = z.object({
  type: z.string(),
  config: z.record(z.string(), z.unknown()).nullish(),
});
type RawStep = z.infer<typeof rawStepSchema>;

const commonSchema = z.object({
  name: z.string().trim().max(100).nullish().catch(undefined),
  resultVariable: z.string().nullish(),
  responseVariable: z.string().nullish(),
  directOutput: z.unknown().optional(),
  timeout_ms: z.number().int().min(1).max(maxTimeout).nullish(),
  retries: z.number().int().min(0).max(maxRetries).nullish(),
});

/** Only AnythingLLM's editor knows these; they do nothing. */
const editorBlocks = new Set(["flowInfo", "finish"]);

/** Reads the steps of a flow. `problem` names the step and what is wrong with it. */
export function readSteps(steps: readonly RawStep[]): ReadSteps {
  return readList(steps, "", 1);
}

function readList(raw: readonly unknown[], prefix: string, depth: number): ReadSteps {
  if (depth > deepest) return refuse(`Steps may stand in steps ${deepest} deep; ${prefix}1 is deeper.`);
  const listed = z.array(rawStepSchema).safeParse(raw);
  if (!listed.success) return refuse(`${prefix}: it is no list of steps with a type and a config.`);
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
    return refuse(problem, "unsupported_block");
  }
  if (type === "start" && depth > 1) return refuse(`Step ${path} is a start block; only the first step is.`);
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
    return refuse(`Step ${path} (${type}): ${problem}.`);
  }
  // What looks like a placeholder in code is JavaScript, and the values of a start block are not looked at again.
  const own =
    type === "code" || type === "start"
      ? ""
      : JSON.stringify(config, (_key, item) => (below.has(item) ? null : item));
  const uses = placeholdersIn(own);
  return { ok: true as const, step: { ...prepared.block, ...commonOf(common.data), type, path, at, uses } };
}

function commonOf(common: z.infer<typeof commonSchema>) {
  const { name, resultVariable, responseVariable, directOutput, timeout_ms, retries } = common;
  return {
    name: name || undefined,
    variable: resultVariable?.trim() || responseVariable?.trim() || undefined,
    direct: Boolean(directOutput),
    timeout_ms: timeout_ms ?? undefined,
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

function refuse(problem: string, code = "invalid_step") {
  return { ok: false as const, code, problem };
}

import { z } from "zod";
import { parseExactly } from "../base/exact-number.ts";
import { isRecord } from "../base/record.ts";
import { ModelError } from "../core/ports/model.ts";
import {
  type SkillDefinition,
  SkillFailure,
  type SkillModule,
  toJsonSchema,
} from "../core/skill/define-skill.ts";
import type { SkillMetadata } from "../core/skill/skill.ts";
import { toToolName } from "../core/skill/skill-identifier.ts";
import { failure, type Tool, type ToolResult } from "../core/skill/tool.ts";
import type { Json } from "../core/values/json.ts";
import { describeIssues } from "./document/describe-issues.ts";

/** Maximum bytes of JSON of a result: room for a long text in any script. */
const maxOutput = 3_000_000;

/**
 * The tools of a built-in skill, one for each part. A part's `skill_id` is `skill#part`.
 * @throws when a zod type of the definition has no JSON Schema.
 */
export function createSkillTools(
  skill: Pick<SkillMetadata, "id" | "description" | "max_execution_seconds" | "max_iterations">,
  module: SkillModule,
): Tool[] {
  if (module.kind === "single") return [createTool(skill.id, skill, module.definition)];
  return Object.entries(module.parts).map(([part, definition]) =>
    createTool(partId(skill.id, part), skill, definition),
  );
}

/** The id of a part of a skill. */
export function partId(skillId: string, part: string): string {
  return `${skillId}#${part}`;
}

function createTool(
  id: string,
  skill: Pick<SkillMetadata, "description" | "max_execution_seconds" | "max_iterations">,
  definition: SkillDefinition,
): Tool {
  const { name, description, effect, approval, run: _, output: __, readable: ___, ...same } = definition;
  // Created once: zod compiles a schema at its first use.
  const parameters = definition.parameters.strict();
  const schema = toJsonSchema(parameters);
  return {
    ...same,
    name: name ?? toToolName(id),
    description: description ?? skill.description,
    parameters: schema,
    skill_id: id,
    effect: typeof effect === "function" ? effect : () => effect,
    validate: (input) => validate(parameters, input, Object.keys(schema.properties ?? {})),
    run: (input, context) => run(id, definition, input, context),
    ...(approval && { approval: typeof approval === "function" ? approval : () => approval }),
    max_execution_ms: skill.max_execution_seconds * 1000,
    max_iterations: skill.max_iterations,
    max_output_bytes: maxOutput,
  };
}

function validate(
  parameters: SkillDefinition["parameters"],
  input: unknown,
  known: readonly string[],
): ReturnType<Tool["validate"]> {
  const given = withOwnNames(parameters.shape, input ?? {});
  const exact = parameters.safeParse(given);
  // For arithmetic, numbers become the nearest doubles.
  const parsed = exact.success ? exact : parameters.safeParse(JSON.parse(JSON.stringify(given)));
  if (parsed.success) return { ok: true, value: parsed.data as Json };
  return { ok: false, message: describeIssues(exact.error ?? parsed.error, given, known) };
}

/** The arguments in which each other name of a parameter is replaced, unless the parameter itself is there too. */
function withOwnNames(shape: z.ZodRawShape, given: unknown): unknown {
  if (!isRecord(given)) return given;
  const named = Object.entries(given).map(([name, value]): [string, unknown] => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const { stands_for } = field instanceof z.ZodType ? (field.meta() ?? {}) : {};
    return [typeof stands_for === "string" && !Object.hasOwn(given, stands_for) ? stands_for : name, value];
  });
  return Object.fromEntries(named);
}

async function run(
  id: string,
  definition: SkillDefinition,
  ...call: Parameters<Tool["run"]>
): Promise<ToolResult> {
  let output: unknown;
  try {
    output = await definition.run(...call);
  } catch (error) {
    return expectedFailure(error);
  }
  const parsed = definition.output.safeParse(output);
  if (!parsed.success) return invalidOutput(id, describeIssues(parsed.error, output, []));
  const json = toJson(parsed.data);
  if (json === undefined) return invalidOutput(id, "it is not JSON");
  const readable = definition.readable?.(parsed.data as never);
  return { status: "ok", output: json, ...(readable === undefined ? {} : { readable }) };
}

function invalidOutput(id: string, reason: string): ToolResult {
  const hint = "This is a fault of the skill, not of the arguments. Tell the person and go on without it.";
  return failure("invalid_output", `${id} answered something else than it promises: ${reason}.`, hint);
}

/** @throws any error that is no expected failure */
function expectedFailure(error: unknown): ToolResult {
  if (error instanceof SkillFailure) return failure(error.code, error.message, error.hint);
  if (error instanceof ModelError) return failure(error.code, error.message);
  throw error;
}

/** The value after conversion to JSON and back, because the log stores it; undefined if it has no JSON. */
function toJson(value: unknown): Json | undefined {
  try {
    const text = JSON.stringify(value ?? null);
    return text === undefined ? undefined : (parseExactly(text) as Json);
  } catch {
    return undefined;
  }
}

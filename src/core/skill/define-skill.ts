import { z } from "zod";
import { ExpectedFailure } from "../values/failure.ts";
import type { ApprovalNeed, Approver, ToolEffect } from "../values/inbound.ts";
import type { Json, JsonSchema } from "../values/json.ts";
import type { Tool, ToolContext } from "./tool.ts";

/**
 * The code of a built-in skill, beside its SKILL.md. `parameters` and `output` are zod objects; `run` is ordinary code
 * whose work stands in named steps (`context.step`). Throwing a `SkillFailure` tells the model what went wrong.
 */
export interface SkillDefinition {
  parameters: z.ZodObject;
  output: z.ZodType;
  /** What running does to the world; `read_only` unless told. */
  effect: ToolEffect | ((input: Json) => ToolEffect);
  /** What progress shows while it runs, e.g. `Reading the page`. */
  title: string;
  /** The tool's description; the skill's own unless told. */
  description?: string;
  /** Of a part: names of skills whose work it does now. */
  aliases?: readonly string[];
  /**
   * Who has to approve a call before it runs, and best also why; nobody unless told: say `asker` where something leaves the channel
   * or cannot be undone by one command. `risk: high` in SKILL.md asks operators by itself.
   */
  approval?: Approver | ApprovalNeed | ((input: Json) => Approver | ApprovalNeed | undefined);
  /** Web addresses the call sends something to; needed by every skill that fetches. As for `Tool`, like `finds` and `open`. */
  addresses?(input: Json): readonly string[];
  finds?: Tool["finds"];
  /** As for `Tool`: of every skill that keeps or posts something. */
  shares?: Tool["shares"];
  open?: Tool["open"];
  repeatable?: boolean;
  once_per_turn?: boolean;
  cooldown_ms?: number;
  run(input: unknown, context: ToolContext): Promise<unknown>;
}

/** A built-in skill of one tool, or of several parts addressed `skill#part`. */
export type SkillModule =
  | { kind: "single"; definition: SkillDefinition }
  | { kind: "parts"; parts: Record<string, SkillDefinition> };

interface DefinitionInput<Parameters extends z.ZodObject, Output extends z.ZodType>
  extends Omit<SkillDefinition, "parameters" | "output" | "effect" | "run"> {
  parameters: Parameters;
  output: Output;
  effect?: SkillDefinition["effect"];
  run(input: z.output<Parameters>, context: ToolContext): Promise<z.input<Output>>;
}

/** Types the definition of a skill, or of one part of it. */
export function definePart<Parameters extends z.ZodObject, Output extends z.ZodType>(
  definition: DefinitionInput<Parameters, Output>,
): SkillDefinition {
  const run: SkillDefinition["run"] = (input, context) =>
    definition.run(input as z.output<Parameters>, context);
  return { effect: "read_only", ...definition, run };
}

/** A skill of one tool: `export default`-free, `skill.ts` exports it as `skill`. */
export function defineSkill<Parameters extends z.ZodObject, Output extends z.ZodType>(
  definition: DefinitionInput<Parameters, Output>,
): SkillModule {
  return { kind: "single", definition: definePart(definition) };
}

/** A skill of several parts, each switched on and off by itself as `skill#part`. */
export function defineSkillParts(parts: Record<string, SkillDefinition>): SkillModule {
  return { kind: "parts", parts };
}

/** An expected failure of a skill: becomes an error result the model reads. */
export class SkillFailure extends ExpectedFailure {
  /** @param hint what to try instead */
  constructor(code: string, message: string, hint?: string) {
    super(code, message, { hint });
  }
}

/** @throws SkillFailure `no_model` where no model can write; `work`: what needs one, as the beginning of a sentence */
export function requireModel(
  { generative }: Pick<ToolContext, "generative">,
  work: string,
  hint = "Say so.",
) {
  if (!generative) throw new SkillFailure("no_model", `${work} a language model, and none is set up.`, hint);
}

/**
 * The JSON Schema a model is shown for a zod type. What tells a model nothing is left out, as each request pays for it: the bounds
 * zod gives every integer, parameters that are deprecated, that a text is not empty or shorter than anybody would make it, that what is left out is empty, that a record
 * has names of any kind and values of any, and that others are refused: who gives them hears it.
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
      if ((jsonSchema.maxLength ?? 0) >= longText) delete jsonSchema.maxLength;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (isEmpty(jsonSchema.default)) delete jsonSchema.default;
      leaveOutDeprecated(jsonSchema);
      if (isAnything(jsonSchema.additionalProperties)) {
        delete jsonSchema.additionalProperties;
        delete jsonSchema.propertyNames;
      }
    },
  }) as JsonSchema;
  return rest;
}

/** What is still taken from callers who know it is told to nobody. */
function leaveOutDeprecated({ properties = {} }: { properties?: Record<string, unknown> }): void {
  for (const [name, property] of Object.entries(properties))
    if (typeof property === "object" && property !== null && "deprecated" in property)
      delete properties[name];
}

/** Characters from which a bound tells a model nothing: what it writes there is shorter anyway. */
const longText = 100;

function isEmpty(preset: unknown): boolean {
  if (preset === "") return true;
  return typeof preset === "object" && preset !== null && Object.keys(preset).length === 0;
}

function isAnything(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}

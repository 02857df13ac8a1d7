import { z } from "zod";
import { ExpectedFailure } from "../values/failure.ts";
import type { ApprovalNeed, Approver, ToolEffect } from "../values/inbound.ts";
import type { Json, JsonSchema } from "../values/json.ts";
import type { Mean } from "./skill.ts";
import type { Tool, ToolContext } from "./tool.ts";

/**
 * The code of a built-in skill, next to its SKILL.md. `parameters` and `output` are zod objects; `run` is ordinary code that does its work
 * in named steps (`context.step`). It throws a `SkillFailure` to tell the model about an expected failure. Members of `Tool` mean the same
 * here: a skill whose calls may need approval sets `says`, one that fetches `addresses`, one that stores or posts something `shares`;
 * `listed` is for parts.
 */
export interface SkillDefinition extends Partial<Pick<Tool, ToolTraits>> {
  /**
   * A parameter with `.meta({ deprecated: true })` is accepted and not shown to models. With `stands_for`, it is another name of that
   * parameter, as other programs have it.
   */
  parameters: z.ZodObject;
  output: z.ZodType;
  /** The effect of a call outside the bot; `read_only` by default. */
  effect: ToolEffect | ((input: Json) => ToolEffect);
  /** Progress text during a call, e.g. `Reading the page`. */
  title: string;
  /** The tool's name for models, e.g. `web_read`; by default it is made of the skill's id. */
  name?: string;
  /** The tool's description; by default the skill's own. */
  description?: string;
  /** For a part: the means it needs, in addition to those of the skill. It is not offered where one is lacking. */
  means?: readonly Mean[];
  /** For a part: names of earlier skills that it replaces. */
  aliases?: readonly string[];
  /**
   * Who has to approve a call before it runs, preferably with a reason; nobody by default. Use `asker` for calls that send something out of
   * the channel or that no single command can undo. `risk: high` in SKILL.md requires an operator's approval in any case.
   */
  approval?: Approver | ApprovalNeed | ((input: Json) => Approver | ApprovalNeed | undefined);
  /** The output in words, for a model, where its JSON says things twice. Programs and flows use the output. */
  readable?(output: never): string;
  run(input: unknown, context: ToolContext): Promise<unknown>;
}

type ToolTraits =
  | "says"
  | "addresses"
  | "finds"
  | "listed"
  | "shares"
  | "open"
  | "repeatable"
  | "once_per_turn"
  | "cooldown_ms";

/** A built-in skill with one tool, or with several parts addressed as `skill#part`. */
export type SkillModule =
  | { kind: "single"; definition: SkillDefinition }
  | { kind: "parts"; parts: Record<string, SkillDefinition> };

interface DefinitionInput<Parameters extends z.ZodObject, Output extends z.ZodType>
  extends Omit<SkillDefinition, "parameters" | "output" | "effect" | "readable" | "run"> {
  parameters: Parameters;
  output: Output;
  readable?(output: z.output<Output>): string;
  effect?: SkillDefinition["effect"];
  run(input: z.output<Parameters>, context: ToolContext): Promise<z.input<Output>>;
}

/** Types the definition of a skill, or of one of its parts. */
export function definePart<Parameters extends z.ZodObject, Output extends z.ZodType>(
  definition: DefinitionInput<Parameters, Output>,
): SkillDefinition {
  const run: SkillDefinition["run"] = (input, context) =>
    definition.run(input as z.output<Parameters>, context);
  return { effect: "read_only", ...definition, run };
}

/** A skill with one tool. `skill.ts` exports it as `skill`, not as a default export. */
export function defineSkill<Parameters extends z.ZodObject, Output extends z.ZodType>(
  definition: DefinitionInput<Parameters, Output>,
): SkillModule {
  return { kind: "single", definition: definePart(definition) };
}

/** A skill with several parts, each of which can be enabled and disabled separately as `skill#part`. */
export function defineSkillParts(parts: Record<string, SkillDefinition>): SkillModule {
  return { kind: "parts", parts };
}

/** An expected failure of a skill. The model gets it as an error result. */
export class SkillFailure extends ExpectedFailure {
  /** @param hint what to try instead */
  constructor(code: string, message: string, hint?: string) {
    super(code, message, { hint });
  }
}

/** @throws SkillFailure `no_model` if no model can write; `work` is the beginning of the message, e.g. “Translating needs” */
export function requireModel(
  { generative }: Pick<ToolContext, "generative">,
  work: string,
  hint = "Say so.",
) {
  if (!generative) throw new SkillFailure("no_model", `${work} a language model, and none is set up.`, hint);
}

/**
 * Leaves a text to the model that made the call, which has it in front of it: another model would be paid to read it again.
 * @throws SkillFailure `in_conversation` if all of these texts stand in the conversation; `what` names them
 */
export function leaveToCaller(
  { isInFront }: Pick<ToolContext, "isInFront">,
  texts: readonly string[],
  what: string,
  hint: string,
): void {
  if (texts.length === 0 || !texts.every(isInFront)) return;
  throw new SkillFailure("in_conversation", `You have all of ${what} in this conversation.`, hint);
}

/**
 * The JSON Schema for a zod type, as models see it. Parts without information for a model are omitted, because every request pays for them:
 * zod's default bounds of integers, deprecated parameters, minimum lengths, patterns, large maximum lengths, empty defaults, unconstrained
 * names and values of records, and the refusal of additional properties. A call that violates an omitted rule still gets an error.
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      leaveOutLimits(jsonSchema);
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

/** Removes limits that an argument keeps in any case. */
function leaveOutLimits(
  schema: { [key in "minLength" | "maxLength" | "maxItems" | "pattern"]?: unknown },
): void {
  delete schema.minLength;
  delete schema.pattern;
  if (Number(schema.maxLength ?? 0) >= longText) delete schema.maxLength;
  if (Number(schema.maxItems ?? 0) >= longList) delete schema.maxItems;
}

/** Removes deprecated parameters. Callers that know them may still use them. */
function leaveOutDeprecated({ properties = {} }: { properties?: Record<string, unknown> }): void {
  for (const [name, property] of Object.entries(properties))
    if (typeof property === "object" && property !== null && "deprecated" in property)
      delete properties[name];
}

/** Characters and items from which on a maximum tells a model nothing, because its argument is shorter in any case. */
const longText = 20;
const longList = 10;

function isEmpty(preset: unknown): boolean {
  if (preset === "") return true;
  return typeof preset === "object" && preset !== null && Object.keys(preset).length === 0;
}

function isAnything(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}

import { z } from "zod";
import type { CallRequest, MetaTool, TurnScope } from "../scope/turn-scope.ts";
import { toJsonSchema } from "../skill/define-skill.ts";
import type { ToolContext, ToolResult, Validation } from "../skill/tool.ts";
import type { ApprovalNeed, Approver, ToolEffect } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type { Redact } from "../values/redact.ts";

/** A tool of the agent itself, with typed parameters. What it does not say has a default. */
interface MetaToolInput<Parameters extends z.ZodObject>
  extends Pick<MetaTool, "name" | "description" | "offered">,
    Partial<Pick<MetaTool, "shown" | "shares" | "says" | "category" | "needed" | "describe">> {
  title: string | ((input: z.output<Parameters>) => string);
  parameters: Parameters;
  effect: ToolEffect;
  /** Who has to approve a call before it runs; nobody by default. */
  approval?(input: z.output<Parameters>, scope: TurnScope): Approver | ApprovalNeed | undefined;
  /** The id of the skill whose code a call runs. */
  runsCodeOf?(input: z.output<Parameters>, scope: TurnScope): string | undefined;
  /** Time limit; five minutes by default. */
  max_execution_ms?: number;
  run(
    input: z.output<Parameters>,
    context: ToolContext,
    scope: TurnScope,
    request: CallRequest,
  ): Promise<ToolResult>;
}

/**
 * Maximum bytes of an output. Above three times what code may print: each invalid byte that it prints becomes a replacement character of
 * three bytes.
 */
const maxOutput = 3_000_000;

/** Types a meta tool. Called once per tool, when the bot is wired. */
export function defineMetaTool<Parameters extends z.ZodObject>(
  definition: MetaToolInput<Parameters>,
): MetaTool {
  const { effect, title, approval, runsCodeOf, run, ...rest } = definition;
  const parameters = definition.parameters.strict();
  return {
    max_execution_ms: 300_000,
    ...rest,
    title: typeof title === "string" ? title : (input) => title(input as z.output<Parameters>),
    parameters: toJsonSchema(definition.parameters),
    skill_id: "",
    effect: () => effect,
    approval: (input, scope) => approval?.(input as z.output<Parameters>, scope),
    runsCodeOf: (input, scope) => runsCodeOf?.(input as z.output<Parameters>, scope),
    validate: (input) => validateWith(parameters, input),
    run: (input, context, scope, request) => run(input as z.output<Parameters>, context, scope, request),
    max_iterations: 10,
    max_output_bytes: maxOutput,
  };
}

function validateWith(schema: z.ZodObject, input: unknown): Validation {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data as Json };
  return { ok: false, message: z.prettifyError(parsed.error) };
}

export function ok(output: Json): ToolResult {
  return { status: "ok", output };
}

/** Minimum interval between two lines that are shown, ms: code may print a million of them. */
const minPause = 200;

/** Shows the output of code as progress, at a readable pace. Lines are redacted before they are cut. */
export function printedLines(
  { progress, now }: Pick<ToolContext, "progress" | "now">,
  redact: Redact = (line) => line,
) {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (line: string): void => {
    if (now() - shownAt < minPause) return;
    shownAt = now();
    progress(redact(line).slice(0, 200));
  };
}

import { SkillFailure } from "../core/define-skill.ts";
import type { Json } from "../core/json.ts";
import { ModelError } from "../core/model.ts";
import type { ToolContext, ToolResult } from "../core/tool.ts";
import { WebError } from "../core/web.ts";
import type { Flow, FlowStep } from "./flow-file.ts";
import { startingValues } from "./variables.ts";

/** Characters from which on a fixed value is taken for a secret and kept out of error messages. */
const shortestSecret = 8;

/**
 * Runs the steps in order until one fails, answers directly, or all are done. The output is `{success, results, variables,
 * directOutput}`, or what the step with direct output answered, empty and false values too. An error names step, kind and cause, and
 * tells what the steps before it did. Static variables are in no output.
 */
export async function runFlow(flow: Flow, input: Json, context: ToolContext): Promise<ToolResult> {
  const variables = startingValues(flow.variables, input);
  const fixed = new Map(
    flow.variables.filter(({ category }) => category === "static").map(({ name, value }) => [name, value]),
  );
  const results: Json[] = [];
  const visible = () => Object.fromEntries([...variables].filter(([name]) => !fixed.has(name)));
  for (const [at, step] of flow.steps.entries()) {
    context.progress(step.summary, at + 1, flow.steps.length);
    let result: Json;
    try {
      result = await context.step(`${at + 1} ${step.type}`, () => step.run({ variables, context }));
    } catch (error) {
      if (!isExpected(error)) throw error;
      const message = withoutSecrets(error.message, [...fixed.values()]);
      results.push({ success: false, error: message });
      const done = { success: false, results, variables: visible(), directOutput: null };
      return failed(flow, at, step, { error, message, done });
    }
    if (step.direct) return { status: "ok", output: result, direct: true };
    results.push({ success: true, result });
    if (step.variable !== undefined) {
      variables.set(step.variable, result);
      fixed.delete(step.variable);
    }
  }
  const output = { success: true, results, variables: visible(), directOutput: null };
  return { status: "ok", output };
}

type ExpectedError = SkillFailure | WebError | ModelError;

function isExpected(error: unknown): error is ExpectedError {
  return error instanceof SkillFailure || error instanceof WebError || error instanceof ModelError;
}

function withoutSecrets(message: string, values: readonly Json[]): string {
  return values
    .filter((value) => typeof value === "string")
    .filter((value) => value.length >= shortestSecret)
    .reduce((text, secret) => text.replaceAll(secret, "[…]"), message);
}

function failed(
  flow: Flow,
  at: number,
  step: FlowStep,
  { error, message, done }: { error: ExpectedError; message: string; done: { [key: string]: Json } },
): ToolResult {
  const hint = error instanceof SkillFailure ? error.hint : undefined;
  return {
    status: "error",
    code: error.code,
    message: `Flow ${flow.name} stopped at step ${at + 1} of ${flow.steps.length} (${step.type}): ${message}`,
    ...(hint === undefined ? {} : { hint }),
    details: { step: at + 1, type: step.type, ...done },
  };
}

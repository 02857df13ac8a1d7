import { setTimeout as sleepFor } from "node:timers/promises";
import type { Clock } from "../core/ports/storage.ts";
import type { ProgramRunner } from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import { failure, type ToolContext, type ToolResult } from "../core/skill/tool.ts";
import type { Json } from "../core/values/json.ts";
import type { FlowStep } from "./block.ts";
import { createCodeRunner } from "./code-runner.ts";
import { allSteps, type Flow } from "./flow-file.ts";
import { type FlowRun, runStep, StepStopped } from "./run-steps.ts";
import { fixedNames, startingValues } from "./variables.ts";

/** Services of flows besides the context of their call. */
export interface FlowPorts {
  /** Runs code blocks, which fail without it. */
  programs?: ProgramRunner | undefined;
  /** The clock for delays between attempts; the system's by default. */
  clock?: Pick<Clock, "sleep">;
}

/** Minimum length of a fixed value that is treated as a secret and kept out of error messages. */
const minSecret = 8;

/** Maximum characters of all results in an output as JSON, and of all variables. */
const maxShown = 2_000_000;

const systemSleep = (ms: number, signal: AbortSignal): Promise<void> => sleepFor(ms, undefined, { signal });

/**
 * Runs the steps in order until one fails, one answers directly, or all are done. The output is `{success, results, variables,
 * directOutput}`, with placeholders without a value as `unfilled`. If a step answers directly, its result is the output, even an empty or
 * false one, and `results` and `variables` are details. An error names step, kind and cause; its details have the same four fields, where
 * the failed step has its `error`, and each value of the others once. No output contains static variables.
 */
export async function runFlow(
  { flow, skill, ports }: { flow: Flow; skill: Skill; ports: FlowPorts },
  input: Json,
  context: ToolContext,
): Promise<ToolResult> {
  const { values, own } = startingValues(flow.variables, input);
  const run: FlowRun = {
    flow: flow.name,
    context,
    steps: flow.steps.length,
    variables: values,
    fixed: fixedNames(flow.variables),
    own,
    code: createCodeRunner(ports.programs, skill),
    sleep: (ms, signal) => (ports.clock?.sleep ?? systemSleep)(ms, signal),
    given: new Set([...values.keys()].filter((name) => !own.has(name))),
    origins: new Set(),
    unfilled: new Set(),
    gathered: 0,
  };
  return await runAll(flow, run);
}

async function runAll(flow: Flow, run: FlowRun): Promise<ToolResult> {
  const results: Json[] = [];
  const fitResult = createOutputBudget(maxShown);
  const output = (success: boolean, isShown: (name: string) => boolean = () => true) => {
    const shown = createOutputBudget(maxShown);
    const variables = [...run.variables]
      .filter(([name]) => !run.fixed.has(name) && isShown(name))
      .map(([name, value]) => [name, shown(value)] as const);
    const unfilled = run.unfilled.size === 0 ? {} : { unfilled: [...run.unfilled].slice(0, 20) };
    return { success, results, variables: Object.fromEntries(variables), directOutput: null, ...unfilled };
  };
  const made = new Set(allSteps(flow.steps).map(({ variable }) => variable));
  for (const step of flow.steps) {
    const from = run.context.now();
    const about = () => ({ ...aboutStep(step), duration_ms: Math.max(0, run.context.now() - from) });
    try {
      const ran = await runStep(run, step, []);
      if (ran.kind === "direct") {
        results.push({ success: true, result: fitResult(ran.output), ...about() });
        const { success: _, directOutput: __, ...details } = output(true);
        return { status: "ok", output: ran.output, direct: true, details };
      }
      results.push({ success: true, result: fitResult(ran.result), ...about() });
      if (ran.kind === "skip") break;
    } catch (error) {
      if (!(error instanceof StepStopped)) throw error;
      const message = withoutSecrets(error.message, flow);
      results.push({ success: false, error: message, ...about() });
      // The results have the values that steps put into variables.
      return failed(flow, step, {
        stopped: error,
        message,
        output: output(false, (name) => !made.has(name)),
      });
    }
  }
  return { status: "ok", output: output(true) };
}

function aboutStep({ at, type, name }: FlowStep) {
  return { step: at, type, ...(name === undefined ? {} : { name }) };
}

/** Removes secrets as they are, and as they appear in URLs and JSON. */
function withoutSecrets(message: string, { variables }: Flow): string {
  return variables
    .filter(({ category }) => category === "static")
    .flatMap(({ value }) => (typeof value === "string" && value.length >= minSecret ? [value] : []))
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
    ])
    .reduce((text, secret) => text.replaceAll(secret, "[…]"), message);
}

function failed(
  flow: Flow,
  { at, type: kind }: FlowStep,
  {
    stopped: { step, position, reason },
    message,
    output,
  }: { stopped: StepStopped; message: string; output: { [key: string]: Json } },
): ToolResult {
  const where = position === String(at) ? `${at} of ${flow.steps.length}` : position;
  const what = step.name === undefined ? step.type : `${step.type} "${step.name}"`;
  const text = `Flow ${flow.name} stopped at step ${where} (${what}): ${message}`;
  const details = { step: at, type: kind, position, ...output };
  return { ...failure(reason.code, text, reason.hint), details };
}

/**
 * Returns values as long as their total fits into a number of characters of JSON, and a note in place of a value that does not fit. A
 * flow that did its work does not fail because its results are large.
 */
function createOutputBudget(characters: number): (value: Json) => Json {
  let left = characters;
  return (value) => {
    const size = typeof value === "string" ? value.length : JSON.stringify(value).length;
    if (size > left) return `[left out: ${size} characters]`;
    left -= size;
    return value;
  };
}

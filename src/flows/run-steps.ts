import { withTimeLimit } from "../base/time-limit.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";
import type { ToolContext } from "../core/skill/tool.ts";
import { ExpectedFailure } from "../core/values/failure.ts";
import type { Json } from "../core/values/json.ts";
import type { BlockScope, ControlScope, FlowStep, Ran, Target } from "./block.ts";
import type { RunCode } from "./code-runner.ts";
import { waitBeforeRetry } from "./http-failure.ts";
import { isFilled } from "./substitute.ts";

/** Maximum total characters of the results of one run. */
const maxGathered = 30_000_000;

/** One run of a flow. */
export interface FlowRun {
  /** The name of the flow. */
  flow: string;
  context: ToolContext;
  /** The number of steps in the flow's top-level list. */
  steps: number;
  variables: Map<string, Json>;
  /** Names of variables with a fixed value. */
  fixed: Set<string>;
  /** Names of variables that still have the text from the flow's file, including fixed ones. */
  own: Set<string>;
  code: RunCode;
  /** Resolves after ms, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Names of variables that still have their argument of the call. */
  given: Set<string>;
  /** Origins that the flow itself has named so far. */
  origins: Set<string>;
  /** Placeholders without a value, which were left unchanged. */
  unfilled: Set<string>;
  /** Characters of results so far. */
  gathered: number;
}

/** A flow stopped at a step. */
export class StepStopped extends Error {
  readonly code = "step_stopped";
  readonly step: FlowStep;
  /** The path with the iterations of loops: `4.2[3]`. */
  readonly position: string;
  readonly reason: ExpectedFailure;
  constructor(step: FlowStep, position: string, reason: ExpectedFailure) {
    super(reason.message, { cause: reason });
    this.step = step;
    this.position = position;
    this.reason = reason;
  }
}

/** Runs steps in order until one ends the list. `turns`: the iterations of the surrounding loops, outermost first. */
async function runSteps(run: FlowRun, steps: readonly FlowStep[], turns: readonly number[]): Promise<Ran> {
  let latest: Ran = { kind: "result", result: null };
  for (const step of steps) {
    latest = await runStep(run, step, turns);
    if (latest.kind !== "result") return latest;
  }
  return latest;
}

/** Runs a step and stores its result in its variable. Its name in the journal is the same in every run. @throws StepStopped */
export async function runStep(run: FlowRun, step: FlowStep, turns: readonly number[]): Promise<Ran> {
  const position = turns.length === 0 ? step.path : `${step.path}[${turns.join(",")}]`;
  const { context } = run;
  const isTop = step.path === String(step.at);
  context.progress(step.name ?? step.summary, ...(isTop ? [step.at, run.steps] : []));
  for (const used of step.kind === "work" ? step.uses : [])
    if (!isFilled(used, run.variables)) run.unfilled.add(used.written);
  try {
    const ran = await runBlock(run, step, position, turns);
    if (ran.kind === "direct") return ran;
    gather(run, step, ran.result);
    if (step.variable !== undefined) {
      run.variables.set(step.variable, ran.result);
      run.fixed.delete(step.variable);
      run.own.delete(step.variable);
      run.given.delete(step.variable);
    }
    return step.direct && ran.kind === "result" ? { kind: "direct", output: ran.result } : ran;
  } catch (error) {
    if (error instanceof ExpectedFailure) throw new StepStopped(step, position, error);
    throw error;
  }
}

async function runBlock(
  run: FlowRun,
  step: FlowStep,
  position: string,
  turns: readonly number[],
): Promise<Ran> {
  const name = `${position} ${step.name ?? step.type}`;
  const scope: BlockScope = {
    variables: run.variables,
    shown: new Map([...run.variables].filter(([variable]) => !run.fixed.has(variable))),
    own: run.own,
    context: run.context,
    code: run.code,
  };
  if (step.kind === "control") return runControl(run, step, { scope, name, turns });
  const target = step.target?.(scope);
  if (target !== undefined) await allowTarget(run, target);
  const result = await run.context.step(name, () => attempts(run, step, scope));
  return { kind: "result", result };
}

/**
 * Allows requests to hosts that the flow names. An address that comes entirely from elsewhere is checked as if the model had chosen it,
 * and secrets of the flow are never sent to an origin that it does not name.
 * @throws SkillFailure `address_refused`; WaitingForPerson
 */
async function allowTarget({ context, origins, given }: FlowRun, target: Target): Promise<void> {
  const origin = URL.parse(target.url)?.origin;
  if (origin === undefined) return;
  const isOwn = origins.has(origin);
  const { chosen_by: name } = target;
  if (name === undefined) origins.add(origin);
  if (name === undefined || (isOwn && target.effect === "read_only")) return;
  if (target.secrets && !isOwn) {
    const message = `The variable ${name} leads to ${origin}, and the headers or fixed values of this step go only to hosts that the flow names itself. Nothing was sent.`;
    throw new SkillFailure("address_refused", message, "Write the host into the flow.");
  }
  if (await context.reach(target.url, { foreign: !given.has(name) })) return;
  const message = `Nobody allowed a request to ${origin}, which the flow does not name itself.`;
  throw new SkillFailure("address_refused", message, "Go on without it and say so.");
}

interface Around {
  scope: BlockScope;
  /** The name of the step in the journal. */
  name: string;
  turns: readonly number[];
}

/** Runs a control block outside a journal step, because it may wait for a person. A failure is recorded in the journal. */
async function runControl(run: FlowRun, step: FlowStep & { kind: "control" }, around: Around): Promise<Ran> {
  let recorded = false;
  const record = async (result: Json) => {
    await run.context.step(around.name, () => result);
    recorded = true;
  };
  try {
    return await step.run(controlScope(run, step, around, record));
  } catch (error) {
    if (!recorded && error instanceof ExpectedFailure)
      await run.context.step(around.name, () => Promise.reject(error));
    throw error;
  }
}

function controlScope(
  run: FlowRun,
  step: FlowStep,
  { scope, turns }: Around,
  record: ControlScope["record"],
): ControlScope {
  return {
    ...scope,
    title: step.name === undefined ? run.flow : `${run.flow}: ${step.name}`,
    record,
    async run(branch, { turn, set } = { turn: 0, set: new Map<string, Json>() }) {
      const before = [...set.keys()].map((variable) => [variable, run.variables.get(variable)] as const);
      const own = [...set.keys()].filter((variable) => run.own.delete(variable));
      const given = [...set.keys()].filter((variable) => run.given.delete(variable));
      for (const [variable, value] of set) run.variables.set(variable, value);
      const inner = turn === 0 ? turns : [...turns, turn];
      const ran = await runSteps(run, step.branches.get(branch) ?? [], inner);
      for (const [variable, value] of before) {
        if (value === undefined) run.variables.delete(variable);
        else run.variables.set(variable, value);
      }
      for (const variable of own) run.own.add(variable);
      for (const variable of given) run.given.add(variable);
      return ran.kind === "skip" ? { kind: "result", result: ran.result } : ran;
    },
  };
}

/** Retries a step after transient failures, as often as it says. */
async function attempts(
  { context, sleep }: FlowRun,
  step: FlowStep & { kind: "work" },
  scope: BlockScope,
): Promise<Json> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTime(step, context.signal, (signal) =>
        step.run({ ...scope, context: { ...context, signal } }),
      );
    } catch (error) {
      const wait = tries > step.retries ? undefined : waitBeforeRetry(error, tries);
      if (wait === undefined || context.signal.aborted) throw error;
      context.progress(`That did not work. Trying again (${tries} of ${step.retries}).`);
      await sleep(wait, context.signal);
    }
  }
}

/** @throws SkillFailure `step_timed_out`; the signal's reason; errors of the work */
function inTime<T>(
  { timeout_ms: ms }: Pick<FlowStep, "timeout_ms">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return work(signal);
  const late = () => {
    const hint = "Try again later, or raise the step's timeout_ms.";
    return new SkillFailure("step_timed_out", `It took longer than ${ms} ms.`, hint);
  };
  return withTimeLimit({ ms, timer, signal, late }, work);
}

const timer = {
  after(ms: number, callback: () => void) {
    const timeout = setTimeout(callback, ms);
    return () => clearTimeout(timeout);
  },
};

/** Limits the total of results: loops over large results would fill the memory. */
function gather(run: FlowRun, { kind }: FlowStep, result: Json): void {
  if (kind === "control" && typeof result === "object") return;
  run.gathered += typeof result === "string" ? result.length : JSON.stringify(result).length;
  if (run.gathered <= maxGathered) return;
  const message = `The steps gathered more than ${maxGathered / 1_000_000} MB of results.`;
  throw new SkillFailure("too_much_data", message, "Let the flow ask for less at once.");
}

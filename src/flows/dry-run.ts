import { SkillFailure } from "../core/skill/define-skill.ts";
import type { Json } from "../core/values/json.ts";
import type { DryScope, FlowStep } from "./block.ts";
import { allSteps, type Flow } from "./flow-file.ts";
import { ownNames, startingValues } from "./variables.ts";

/**
 * What a run with this input would do, step by step, without doing any of it: requests as they would be sent, secrets masked. Values that
 * are only known when the flow runs, and those it fixes itself, stand as `${name}`.
 */
export function dryRunFlow(flow: Flow, input: Json): Json {
  const fixed = flow.variables.filter(({ category }) => category === "static").map(({ name }) => name);
  const variables = startingValues(flow.variables, input);
  for (const name of fixed) variables.delete(name);
  const known: Known = { variables, later: new Set(fixed), own: new Set(ownNames(flow.variables, input)) };
  return {
    flow: flow.name,
    steps: describeSteps(flow.steps, known),
    note: "Nothing was sent. What stands in dollar sign and braces is only known when it runs, or is fixed by the flow.",
  };
}

interface Known extends DryScope {
  variables: Map<string, Json>;
  later: Set<string>;
  own: Set<string>;
}

function describeSteps(steps: readonly FlowStep[], known: Known): Json[] {
  return steps.map((step) => {
    const described = describeStep(step, known);
    if (step.variable !== undefined) forget(known, [step.variable]);
    return described;
  });
}

function describeStep(step: FlowStep, known: Known): Json {
  const { path, type, name, summary, variable, direct, branches, turns, sets } = step;
  const inner = [...branches.values()].flat();
  const changed = allSteps(inner).flatMap((each) => each.variable ?? []);
  const about = {
    step: path,
    type,
    ...(name === undefined ? {} : { name }),
    does: summary,
    ...details(step, known),
  };
  const before = copyOf(known);
  // A turn of a loop also sees what the turn before it changed.
  if (turns > 1) forget(before, [...changed, ...sets]);
  const described = [...branches]
    .filter(([, list]) => list.length > 0)
    .map(([branch, list]): [string, Json] => [branch, describeSteps(list, copyOf(before))]);
  forget(known, changed);
  return {
    ...about,
    ...Object.fromEntries(described),
    ...(variable === undefined ? {} : { result_goes_to: variable }),
    ...(direct ? { is_the_answer: true } : {}),
  };
}

/** What would fail with the values given is told in its place. */
function details(step: FlowStep, known: Known): { [key: string]: Json } {
  try {
    return step.describe(known);
  } catch (error) {
    if (error instanceof SkillFailure) return { would_fail: error.message };
    throw error;
  }
}

function copyOf({ variables, later, own }: Known): Known {
  return { variables: new Map(variables), later: new Set(later), own: new Set(own) };
}

function forget({ variables, later, own }: Known, names: readonly string[]): void {
  for (const name of names) {
    variables.delete(name);
    own.delete(name);
    later.add(name);
  }
}

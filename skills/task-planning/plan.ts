import { z } from "zod";

const stepSchema = z.object({
  id: z.number().int().positive().describe("1, 2, 3, … in working order"),
  title: z.string().min(1).max(200).describe("what to do, beginning with a verb"),
  description: z.string().max(1_000).default("").describe("how, in one to three sentences"),
  depends_on: z.array(z.number().int()).default([]).describe("ids of steps that must be done before"),
  complexity: z.enum(["low", "medium", "high"]).default("medium"),
  success_criteria: z.string().max(500).default("").describe("how one sees that it is done"),
});
export type PlanStep = z.infer<typeof stepSchema>;

export const planSchema = z.object({
  title: z.string().min(1).max(200),
  steps: z.array(stepSchema).min(1).max(60),
  risks: z.array(z.string().max(500)).max(10).default([]),
  questions: z.array(z.string().max(500)).max(10).default([]).describe("what to ask the person, if anything"),
});
export type Plan = z.infer<typeof planSchema>;

/** Flaws of a plan that its schema does not catch, in words for the model that wrote it. Empty for a workable plan. */
export function findFlaws(plan: Plan, maxSteps: number): string[] {
  const ids = plan.steps.map((step) => step.id);
  const known = new Set(ids);
  const flaws: string[] = [];
  if (known.size < ids.length) flaws.push("Two steps have the same id.");
  if (ids.length > maxSteps)
    flaws.push(`There are ${ids.length} steps; at most ${maxSteps} are allowed. Merge the smallest.`);
  for (const { id, depends_on } of plan.steps) {
    const unknown = depends_on.filter((other) => !known.has(other));
    if (unknown.length > 0) flaws.push(`Step ${id} depends on ${unknown.join(", ")}, which is no step.`);
    if (depends_on.includes(id)) flaws.push(`Step ${id} depends on itself.`);
  }
  const { circular } = order(plan.steps);
  if (circular.length > 0) flaws.push(`Steps ${circular.join(", ")} wait for each other in a circle.`);
  return flaws;
}

/**
 * The plan without flaws: steps in working order and numbered from 1, without impossible dependencies and excess steps. `notes`
 * describe the changes.
 */
export function repairPlan(plan: Plan, maxSteps: number): { plan: Plan; notes: string[] } {
  const notes: string[] = [];
  const unique = plan.steps.filter((step, at, all) => all.findIndex((other) => other.id === step.id) === at);
  if (unique.length < plan.steps.length) notes.push("Steps with a duplicate id were left out.");
  const kept = unique.slice(0, maxSteps);
  if (kept.length < unique.length) notes.push(`Steps after the ${maxSteps}th were left out.`);
  const known = new Set(kept.map((step) => step.id));
  const possible = kept.map((step) => ({
    ...step,
    depends_on: [...new Set(step.depends_on)].filter((other) => known.has(other) && other !== step.id),
  }));
  const { sorted, circular } = order(possible);
  if (circular.length > 0)
    notes.push(`Steps that depend on each other in a circle were left in the order they were written.`);
  const numbers = new Map(sorted.map((step, index) => [step.id, index + 1]));
  const steps = sorted.map((step) => {
    const id = numbers.get(step.id) ?? 0;
    const before = step.depends_on.flatMap((other) => numbers.get(other) ?? []).filter((other) => other < id);
    return { ...step, id, depends_on: before.sort((a, b) => a - b) };
  });
  return { plan: { ...plan, steps }, notes };
}

/**
 * Sorts steps after their dependencies, otherwise in the order given; `circular` lists the steps for which this is impossible. A
 * circle is broken at its first step.
 */
function order(steps: readonly PlanStep[]): { sorted: PlanStep[]; circular: number[] } {
  const known = new Set(steps.map((step) => step.id));
  const sorted: PlanStep[] = [];
  const circular: number[] = [];
  const done = new Set<number>();
  let rest = [...steps];
  while (rest.length > 0) {
    const ready = rest.find((step) => step.depends_on.every((id) => done.has(id) || !known.has(id)));
    const next = ready ?? rest[0];
    if (next === undefined) break;
    if (ready === undefined) circular.push(next.id);
    sorted.push(next);
    done.add(next.id);
    rest = rest.filter((step) => step !== next);
  }
  return { sorted, circular };
}

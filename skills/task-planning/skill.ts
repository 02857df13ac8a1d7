import { z } from "zod";
import { defineSkill } from "../../src/core/define-skill.ts";
import { draftPlan } from "./draft-plan.ts";
import { listSteps } from "./list-steps.ts";
import { planSchema } from "./plan.ts";
import { renderPlan } from "./render-plan.ts";

/** An ordered plan of a task: by the language model, or without one a checklist of the person's own words. */
export const skill = defineSkill({
  title: "Planning",
  parameters: z.object({
    task_description: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .describe("the goal, and all that is known about it"),
    context: z.string().trim().max(20_000).optional().describe("people, deadlines, what exists already"),
    constraints: z
      .array(z.string().max(500))
      .max(20)
      .default([])
      .describe("what must or must not be, one each"),
    max_steps: z.number().int().min(1).max(50).default(10).describe("at most this many steps"),
  }),
  output: planSchema.extend({
    summary: z.string(),
    text: z.string().describe("the plan as a Markdown checklist"),
    made_by: z.enum(["model", "rules"]),
    notes: z.array(z.string()),
  }),
  async run(request, context) {
    const { plan, notes } = context.generative
      ? await draftPlan(request, context)
      : await context.step("list the steps", () => listSteps(request.task_description, request.max_steps));
    const made_by: "model" | "rules" = context.generative ? "model" : "rules";
    const honest = context.generative ? [] : [ruleNote(plan.steps.length)];
    const text = [renderPlan(plan), ...[...honest, ...notes].map((note) => `_${note}_`)].join("\n\n");
    return { ...plan, summary: summarise(plan.steps, made_by), text, made_by, notes: [...honest, ...notes] };
  },
});

function ruleNote(steps: number): string {
  const advice = "With a language model configured the task is broken down, ordered and checked for risks.";
  return steps > 1
    ? `Made by rule from your own words, in your order; nothing was added. ${advice}`
    : `No separate steps were found in your words, and nothing can be added by rule: write one step a line. ${advice}`;
}

function summarise(steps: readonly { depends_on: number[] }[], madeBy: "model" | "rules"): string {
  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  if (madeBy === "rules") return `A checklist of ${count}, made by rule from the description.`;
  const free = steps.flatMap((step, index) => (step.depends_on.length === 0 ? [index + 1] : []));
  return `A plan of ${count}; it can begin with ${free.length === 1 ? "step" : "steps"} ${free.join(", ")}.`;
}

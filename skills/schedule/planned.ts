import type { z } from "zod";
import { type PlannedView, plannedViewSchema } from "../../src/core/ports/schedule.ts";
import type { Plan, Wish } from "../../src/core/ports/schedules.ts";
import { SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { PlanningContext, ToolContext } from "../../src/core/skill/tool.ts";
import type { Outcome } from "../../src/core/values/failure.ts";
import { toJson } from "../../src/core/values/json.ts";

/** What the model is shown of a plan. */
export const shownPlanSchema = plannedViewSchema.omit({ next_at: true });

export function show({ next_at: _, ...shown }: PlannedView): z.output<typeof shownPlanSchema> {
  return shown;
}

/** The means to plan. @throws SkillFailure where there are none */
export function planning({ schedules }: ToolContext): PlanningContext {
  if (schedules !== undefined) return schedules;
  throw new SkillFailure("not_here", "Nothing can be planned with this bot.");
}

/** @throws SkillFailure with what is wrong, in words for the person */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new SkillFailure(
    "not_planned",
    outcome.message,
    "Tell the person, or correct it if it is your slip.",
  );
}

/** Plans a wish; the person is asked first where the plan says so. Answers what was planned. */
export async function planned(context: ToolContext, wish: Wish): Promise<PlannedView> {
  const schedules = planning(context);
  // Kept: what people agree to is what is stored, whatever changes while they think.
  const kept = await context.step("plan", async () => toJson(unwrap(await schedules.plan(wish))));
  const plan = kept as unknown as Plan;
  if (plan.asks) {
    const { question, shown: input } = plan;
    const decision = await context.approve({
      action: "schedule",
      question,
      input,
      approver: "asker",
      key: "plan",
    });
    if (!decision.approved)
      throw new SkillFailure(
        "refused",
        "The person did not agree, so nothing was planned.",
        "Do not try it again.",
      );
  }
  return unwrap(await schedules.add(plan));
}

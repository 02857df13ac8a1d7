import { z } from "zod";
import { definePart } from "../../src/core/skill/define-skill.ts";
import { planning, show, shownPlanSchema } from "./planned.ts";

/** What comes back by itself in this channel. */
export const list = definePart({
  title: "Looking at what is planned",
  description: "Lists what is planned here: reminders, tasks and triggers, with ids and next times.",
  parameters: z.object({}),
  output: z.object({ summary: z.string(), planned: z.array(shownPlanSchema) }),
  repeatable: true,
  async run(_input, context) {
    const plans = await planning(context).list();
    const summary = plans.length === 0 ? "Nothing is planned here." : `${plans.length} planned here.`;
    return { summary, planned: plans.map(show) };
  },
});

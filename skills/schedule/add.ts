import { z } from "zod";
import { definePart } from "../../src/core/define-skill.ts";
import { planned, show, shownPlanSchema } from "./planned.ts";

/** Plans a reminder or a task. The same call plans it once, however often it is run. */
export const add = definePart({
  title: "Planning",
  description: "Plans a reminder or a task: once (`at`) or again and again (`cron`). Answers the next times.",
  parameters: z.object({
    what: z.enum(["reminder", "task"]),
    text: z.string().trim().min(1).max(4_000).describe("what is said, or to be done"),
    at: z.string().max(40).optional().describe("2026-11-26T09:00, in the zone"),
    cron: z.string().max(100).optional().describe("five fields: 0 9 * * 1-5"),
    time_zone: z.string().max(64).optional().describe("IANA; the person's own unless given"),
    tools: z.array(z.string().max(64)).max(20).optional().describe("that a task will need and that ask"),
  }),
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  effect: "idempotent",
  async run(wish, context) {
    const view = await planned(context, wish);
    const times = view.next.length === 0 ? "" : ` Next: ${view.next.join(", ")}.`;
    return { summary: `Planned ${view.when}.${times}`, planned: show(view) };
  },
});

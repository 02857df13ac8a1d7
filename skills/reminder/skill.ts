import { z } from "zod";
import { defineSkill } from "../../src/core/define-skill.ts";
import { planned, planning, show, shownPlanSchema, unwrap } from "../schedule/planned.ts";

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
/** Five fields; months and weekdays may have names. */
const cron = /^(?:[\d*/,-]+\s+){3}(?:[\d*/,-]|[a-z]{3}\b)+\s+(?:[\d*/,-]|[a-z]{3}\b)+$/i;

/** A reminder in the thread, or in the channel. The same call plans it once, however often it is run. */
export const skill = defineSkill({
  title: "Setting a reminder",
  effect: "idempotent",
  parameters: z.object({
    text: z.string().trim().min(1).max(2_000).describe("what is posted"),
    when: z.string().trim().min(1).max(100).describe("tomorrow at 9; every weekday at 9; 2026-11-26T09:00"),
  }),
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  async run({ text, when }, context) {
    const time = await context.step("read the time", async () => {
      if (isoTime.test(when)) return { at: when };
      return cron.test(when) ? { cron: when } : { ...unwrap(await planning(context).timeOf(when)) };
    });
    const view = await planned(context, { what: "reminder", text, ...time });
    const times = view.next.length === 0 ? "" : ` Next: ${view.next.join(", ")}.`;
    return { summary: `I remind ${view.when}.${times}`, planned: show(view) };
  },
});

import { z } from "zod";
import type { Wish } from "../../src/core/ports/schedules.ts";
import { definePart } from "../../src/core/skill/define-skill.ts";
import type { PlanningContext, ToolContext } from "../../src/core/skill/tool.ts";
import type { Json } from "../../src/core/values/json.ts";
import { planned, planning, show, shownPlanSchema, unwrap } from "./planned.ts";

const parameters = z.object({
  text: z.string().trim().min(1).max(4_000).describe("what is posted, or to be done"),
  when: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("tomorrow at 9; every weekday at 9; 2026-11-26T09:00; cron: 0 9 * * 1-5. Else `text` says it"),
  what: z.enum(["reminder", "task"]).optional().describe("reminder unless given"),
  time_zone: z.string().max(64).optional().describe("IANA; the person's own unless given"),
  tools: z.array(z.string().max(64)).max(20).optional().describe("that a task will need and that ask"),
  at: z.string().max(40).optional().meta({ deprecated: true }),
  cron: z.string().max(100).optional().meta({ deprecated: true }),
});

type Asked = z.output<typeof parameters>;

/** Plans a reminder or a task. The same call plans it once, however often it is run. */
export const add = definePart({
  title: "Planning",
  description: "Plans a reminder or a task, once or again and again. Answers the next times.",
  aliases: ["reminder"],
  parameters,
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  effect: "idempotent",
  async run(asked, context) {
    // Kept: "in 20 minutes" is the same moment after a crash.
    const wish = await context.step(
      "read the time",
      async () => (await wishOf(asked, context)) as unknown as Json,
    );
    const view = await planned(context, wish as unknown as Wish);
    const times = view.next.length === 0 ? "" : ` Next: ${view.next.join(", ")}.`;
    const does = view.what === "reminder" ? "I remind" : "Planned";
    return { summary: `${does} ${view.when}.${times}`, planned: show(view) };
  },
});

/** @throws SkillFailure with what is wrong about the time */
async function wishOf({ at, cron, when, ...rest }: Asked, context: ToolContext): Promise<Wish> {
  const what = rest.what ?? "reminder";
  if (at !== undefined || cron !== undefined) return given({ ...rest, what, at, cron });
  const schedules = planning(context);
  if (when === undefined) return given(await readWhole(schedules, rest));
  const time = unwrap(await schedules.timeOf(when, rest.time_zone));
  return given({ ...rest, what, ...time });
}

/** When and what, from one sentence: `remind me tomorrow at 9 to call the bank`. */
async function readWhole(schedules: PlanningContext, { text, what, time_zone, tools }: Asked): Promise<Wish> {
  const wish = unwrap(await schedules.read(text, time_zone));
  return wish.what === "trigger" ? wish : { ...wish, what: what ?? wish.what, tools };
}

/** Without what is undefined, as it is kept. */
function given(wish: Wish): Wish {
  return Object.fromEntries(
    Object.entries(wish).filter(([, value]) => value !== undefined),
  ) as unknown as Wish;
}

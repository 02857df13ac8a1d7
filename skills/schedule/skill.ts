import { z } from "zod";
import { notApproved } from "../../src/core/decisions/not-approved.ts";
import {
  hookKinds,
  type PlannedView,
  plannedViewSchema,
  type TriggerCondition,
} from "../../src/core/ports/schedule.ts";
import type { Plan, Wish } from "../../src/core/ports/schedules.ts";
import { definePart, defineSkillParts, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { PlanningContext, ToolContext } from "../../src/core/skill/tool.ts";
import type { Outcome } from "../../src/core/values/failure.ts";
import { objectOf, toJson } from "../../src/core/values/json.ts";

/** The part of a plan that is shown to the model. */
const shownPlanSchema = plannedViewSchema.omit({ next_at: true });

type Shown = z.output<typeof shownPlanSchema>;

function show({ next_at: _, ...shown }: PlannedView): Shown {
  return shown;
}

/** A result in words. Of a single time, the next one is the time itself. */
function told({ summary, planned }: { summary: string; planned: Shown }): string {
  const { id, what, text, when, next, tools, address, for: whom } = planned;
  const times = next.length > 1 ? ` Next: ${next.join(", ")}.` : "";
  return [
    what === "trigger"
      ? `${summary} Its id is ${id}.`
      : `Planned as ${id}, ${what}${whom === undefined ? "" : ` for ${whom}, who agreed,`} ${when}: ${text.slice(0, 100)}.${times}`,
    ...(tools.length === 0 ? [] : [`It may use ${tools.join(", ")} unasked.`]),
    ...(address === undefined ? [] : [`Requests go to ${address}`]),
  ].join(" ");
}

/** The scheduler. @throws SkillFailure if the bot has none */
function planning({ schedules }: ToolContext): PlanningContext {
  if (schedules !== undefined) return schedules;
  throw new SkillFailure("not_here", "This bot cannot schedule anything.");
}

/** @throws SkillFailure with a message for the person */
function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new SkillFailure(
    "not_planned",
    outcome.message,
    "Tell the person, or correct it if it is your slip.",
  );
}

/** Schedules a wish, after the person has agreed if the plan requires it. Returns the schedule. */
async function planned(context: ToolContext, wish: Wish, whom?: string): Promise<PlannedView> {
  const schedules = planning(context);
  // A step, so that the plan people agree to is the plan that is stored.
  const kept = await context.step("plan", async () => toJson(unwrap(await schedules.plan(wish, whom))));
  const plan = kept as unknown as Plan;
  if (plan.asks) {
    const { question, shown: input } = plan;
    const decision = await context.approve({
      action: "schedule",
      question,
      says: { deed: "plan this", names: Object.keys(objectOf(input)) },
      input,
      approver: "asker",
      key: "plan",
    });
    if (!decision.approved) throw notApproved(decision, { so: "nothing was planned" });
  }
  return unwrap(await schedules.add(plan));
}

const parameters = z.object({
  text: z
    .string()
    .trim()
    .min(1)
    .max(4_000)
    .describe("as posted, to the person; a task such that it can be done without this conversation"),
  when: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("tomorrow at 9; every weekday at 9; 2026-11-26T09:00; cron: 0 9 * * 1-5"),
  what: z.enum(["reminder", "task"]).optional().describe("reminder unless given"),
  for: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("whom to remind, if it is somebody else: name or id"),
  time_zone: z.string().max(64).optional().describe("IANA; the person's own unless given"),
  tools: z.array(z.string().max(64)).max(20).optional().describe("that a task needs and that ask"),
  at: z.string().max(40).optional().meta({ deprecated: true }),
  cron: z.string().max(100).optional().meta({ deprecated: true }),
});

type Asked = Omit<z.output<typeof parameters>, "for">;

/** Schedules a reminder or a task. Running the same call again does not schedule it twice. */
const planWish = definePart({
  title: "Planning",
  description: "Comes back by itself: a reminder, or a task for you, once or again and again.",
  aliases: ["reminder"],
  parameters,
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  readable: told,
  effect: "idempotent",
  says: (input) => ({
    deed: objectOf(input).what === "task" ? "plan a task" : "plan a reminder",
    quotes: "text",
  }),
  async run({ for: whom, ...asked }, context) {
    // A step, so that "in 20 minutes" is the same moment after a crash.
    const wish = await context.step("read the time", async () => toJson(await wishOf(asked, context)));
    const view = await planned(context, wish as unknown as Wish, whom);
    const times = view.next.length === 0 ? "" : ` Next: ${view.next.join(", ")}.`;
    const does = view.what === "reminder" ? "I remind" : "Planned";
    return { summary: `${does} ${view.when}.${times}`, planned: show(view) };
  },
});

/** @throws SkillFailure if the time is invalid */
async function wishOf({ at, cron, when, ...rest }: Asked, context: ToolContext): Promise<Wish> {
  const what = rest.what ?? "reminder";
  if (at !== undefined || cron !== undefined) return { ...rest, what, at, cron };
  const schedules = planning(context);
  if (when === undefined) return readWhole(schedules, rest);
  const time = unwrap(await schedules.timeOf(when, rest.time_zone));
  return { ...rest, what, ...time };
}

/** Reads time and text from one sentence: `remind me tomorrow at 9 to call the bank`. */
async function readWhole(schedules: PlanningContext, { text, what, time_zone, tools }: Asked): Promise<Wish> {
  const wish = unwrap(await schedules.read(text, time_zone));
  return wish.what === "trigger" ? wish : { ...wish, what: what ?? wish.what, tools };
}

const triggerParameters = z.object({
  on: z.enum(["message", "reaction", "quiet", "webhook"]),
  text: z.string().trim().min(1).max(4_000).describe("what is to be done then"),
  words: z.string().max(300).optional().describe('of a message: "deploy failed" or deploy*'),
  emoji: z.string().max(100).optional().describe("name and character: eyes 👀"),
  by_me: z.boolean().optional().describe("only reactions of the person who asks"),
  hours: z.number().min(0.25).max(336).optional().describe("without an answer"),
  here: z.boolean().optional().describe("quiet: this thread only, once"),
  kind: z.enum(hookKinds).optional().describe("of a webhook: who sends it"),
});

/** Creates a trigger. */
const planTrigger = definePart({
  title: "Setting a trigger",
  description:
    "Does something whenever a message or reaction comes here, a thread stays without an answer, or a webhook is called.",
  parameters: triggerParameters,
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  readable: told,
  listed: true,
  effect: "idempotent",
  says: () => ({ deed: "make a trigger", quotes: "text" }),
  async run({ text, ...asked }, context) {
    const condition = conditionOf(asked, context.user.id);
    const view = await planned(context, { what: "trigger", text, condition });
    const secret =
      view.address === undefined
        ? ""
        : " Its secret was sent to the person alone, or is made with `knack schedule secret` where nobody can be written to alone.";
    return { summary: `Set: ${view.when}.${secret}`, planned: show(view) };
  },
});

/** @throws SkillFailure if a parameter is missing */
function conditionOf(asked: Omit<z.output<typeof triggerParameters>, "text">, me: string): TriggerCondition {
  const { on, words = "", emoji = "", by_me, hours, here = false, kind } = asked;
  switch (on) {
    case "webhook":
      return { on, kind };
    case "message":
      return { on, words: filled(words, "words") };
    case "reaction":
      return { on, emoji: filled(emoji, "emoji"), ...(by_me ? { by: me } : {}) };
    case "quiet":
      if (hours === undefined) throw missing("hours");
      return { on, hours, here };
    default:
      return on satisfies never;
  }
}

function filled(text: string, name: string): string {
  if (text.trim() === "") throw missing(name);
  return text.trim();
}

function missing(name: string): SkillFailure {
  return new SkillFailure("missing", `This trigger needs \`${name}\`.`);
}

/** Lists the schedules and triggers of this channel. */
const listPlans = definePart({
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

const changed = { pause: "Paused", resume: "Goes on", remove: "Removed" } as const;

/** Pauses, resumes or removes a schedule; only its creator and managers may. */
const changePlan = definePart({
  title: "Changing what is planned",
  description: "Pauses, resumes or removes (stops, cancels) one that is planned here, by its id.",
  parameters: z.object({
    id: z.string().min(1).max(40),
    to: z.enum(["pause", "resume", "remove"]),
  }),
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  readable: ({ summary }) => summary,
  effect: "idempotent",
  says: (input) => ({ deed: `${String(objectOf(input).to)} what is planned here`, names: ["to"] }),
  async run({ id, to }, context) {
    const view = unwrap(await planning(context).change(id, to));
    const next = to === "resume" && view.next.length > 0 ? ` Next: ${view.next.join(", ")}.` : "";
    return { summary: `${changed[to]}: ${view.text}.${next}`, planned: show(view) };
  },
});

export const skill = defineSkillParts({
  add: planWish,
  add_trigger: planTrigger,
  list: listPlans,
  change: changePlan,
});

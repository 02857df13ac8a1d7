import { z } from "zod";
import { notApproved } from "../../src/core/decisions/not-approved.ts";
import { whenFields, whenShape } from "../../src/core/ports/plan-times.ts";
import {
  conditionSchema,
  hookKinds,
  type PlannedView,
  type Proposal,
  plannedViewSchema,
  type Wish,
} from "../../src/core/ports/schedules.ts";
import { definePart, defineSkillParts, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import type { PlanningContext } from "../../src/core/skill/work-context.ts";
import type { Outcome } from "../../src/core/values/failure.ts";
import { objectOf, toJson } from "../../src/core/values/json.ts";
import { labelOf } from "../../src/core/values/label.ts";

/** The part of a plan that is shown to the model. */
const shownPlanSchema = plannedViewSchema.omit({ next_at: true });

const result = z.object({ summary: z.string(), planned: shownPlanSchema });

function nextTimes({ next }: Pick<PlannedView, "next">): string {
  return next.length === 0 ? "" : ` Next: ${next.join(", ")}.`;
}

/** A result in words. */
function inWords({ summary, planned }: z.output<typeof result>): string {
  const { id, what, text, when, next, tools, address, for: whom } = planned;
  return [
    what === "trigger"
      ? `${summary} Its id is ${id}.`
      : `Planned as ${id}, ${what}${whom === undefined ? "" : ` for ${labelOf(whom)}, who agreed,`} ${when}: ${text.slice(0, 100)}.${nextTimes({ next })}`,
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

/** Plans a wish, and stores the plan after the person has agreed if it requires that. Returns the plan as people read it. */
async function planned(context: ToolContext, wish: Wish, whom?: string): Promise<PlannedView> {
  const schedules = planning(context);
  // A step, so that the plan people agree to is the plan that is stored, and "in 20 minutes" the same moment after a crash.
  const kept = await context.step("plan", async () => toJson(unwrap(await schedules.plan(wish, whom))));
  const ready = kept as unknown as Proposal;
  if (ready.asks) {
    const { question, shown: input } = ready;
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
  return unwrap(await schedules.add(ready));
}

const filled = z.string().trim().min(1);

/** Schedules a reminder or a task. Running the same call again does not schedule it twice. */
const planWish = definePart({
  title: "Planning",
  description:
    "Comes back by itself: a reminder, or a task for you, once (at or in) or again and again (cron).",
  aliases: ["reminder"],
  // Exact, so that a time in a field of another name is refused and not lost.
  parameters: z.strictObject({
    text: filled
      .max(4_000)
      .describe(
        "as posted, in the person's own words; a task such that it can be done without this conversation",
      ),
    what: z.enum(["reminder", "task"]).default("reminder"),
    ...whenShape,
    for: filled.max(200).optional().describe("whom to remind, if it is somebody else: name or id"),
    tools: z.array(z.string().max(64)).max(20).optional().describe("that a task needs and that ask"),
  }),
  output: result,
  readable: inWords,
  effect: "idempotent",
  says: (input) => ({
    deed: objectOf(input).what === "task" ? "plan a task" : "plan a reminder",
    quotes: "text",
  }),
  async run({ for: whom, ...wish }, context) {
    const view = await planned(context, wish, whom);
    const does = view.what === "reminder" ? "I remind" : "Planned";
    return { summary: `${does} ${view.when}.${nextTimes(view)}`, planned: view };
  },
});

/** Creates a trigger. */
const planTrigger = definePart({
  title: "Setting a trigger",
  description:
    "Does something whenever a message or reaction comes here, a thread stays without an answer, or a webhook is called.",
  parameters: z.object({
    on: z.enum(["message", "reaction", "quiet", "webhook"]),
    text: filled.max(4_000).describe("what is to be done then"),
    words: z.string().max(300).optional().describe('of a message: "deploy failed" or deploy*'),
    emoji: z.string().max(100).optional().describe("name and character: eyes 👀"),
    by_me: z.boolean().optional().describe("only reactions of the person who asks"),
    hours: z.number().min(0.25).max(336).optional().describe("without an answer"),
    here: z.boolean().optional().describe("quiet: this thread only, once"),
    kind: z.enum(hookKinds).optional().describe("of a webhook: who sends it"),
  }),
  output: result,
  readable: inWords,
  listed: true,
  effect: "idempotent",
  says: () => ({ deed: "make a trigger", quotes: "text" }),
  async run({ text, by_me, ...asked }, context) {
    const read = conditionSchema.safeParse({ ...asked, by: by_me ? context.user.id : undefined });
    if (!read.success)
      throw new SkillFailure("missing", `This trigger needs \`${read.error.issues[0]?.path.join(".")}\`.`);
    const view = await planned(context, { what: "trigger", text, condition: read.data });
    const secret =
      view.address === undefined
        ? ""
        : " Its secret was sent to the person alone, or is made with `knack schedule secret` where nobody can be written to alone.";
    return { summary: `Set: ${view.when}.${secret}`, planned: view };
  },
});

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
    return { summary, planned: plans };
  },
});

const changed = { pause: "Paused", resume: "Goes on", remove: "Removed" } as const;

/** Pauses, resumes or removes a schedule, or gives it other times; only its creator and managers may. */
const changePlan = definePart({
  title: "Changing what is planned",
  description:
    "Pauses, resumes or removes (stops, cancels) one that is planned here, by its id, or gives it other times.",
  parameters: z.strictObject({
    id: z.string().min(1).max(40),
    to: z.enum(["pause", "resume", "remove"]).optional(),
    ...whenFields,
  }),
  output: result,
  readable: ({ summary }) => summary,
  effect: "idempotent",
  says(input) {
    const { to = "change the times of" } = objectOf(input);
    return { deed: `${String(to)} what is planned here`, names: ["to"] };
  },
  async run({ id, to, ...when }, context) {
    const isRetimed = Object.values(when).some((value) => value !== undefined);
    if (isRetimed === (to !== undefined))
      throw new SkillFailure(
        "missing",
        "Give either `to`, or new times: at, in, cron, or bounds of the cron.",
      );
    if (to === undefined) {
      const view = await planned(context, { what: "change", id, ...when });
      return { summary: `Changed: ${view.text}, ${view.when}.${nextTimes(view)}`, planned: view };
    }
    const view = unwrap(await planning(context).change(id, to));
    const next = to === "resume" ? nextTimes(view) : "";
    return { summary: `${changed[to]}: ${view.text}.${next}`, planned: view };
  },
});

export const skill = defineSkillParts({
  add: planWish,
  add_trigger: planTrigger,
  list: listPlans,
  change: changePlan,
});

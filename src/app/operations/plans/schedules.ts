import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import {
  type PlanChange,
  type PlannedView,
  type Planner,
  plannedViewSchema,
} from "../../../core/ports/schedules.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import type { Author } from "../../../core/values/inbound.ts";
import { channelName } from "../../services/shapes.ts";
import { auditNote, type OperationCall, operation, refused, shown } from "../operation.ts";
import type { CommandOption } from "../services.ts";

const family =
  "Add one with `/agent schedule add at 2026-12-24 09:00 …`, and change one with `/agent schedule pause <id>`, `resume`, `change`, `remove` or `secret`.";

export const planId = z.string().min(1).max(40).describe("as the list shows it");

/** Plans are completed without what only their makers see. */
const reader: Author = { id: "", name: "", trust: "guest" };

/** The option of a command that changes a plan. */
export const planOption: CommandOption = {
  name: "id",
  description: "The id of the reminder, schedule or trigger, as the list shows it",
  required: true,
  complete: async ({ schedules }, namespace) =>
    (await schedules.list(namespace, reader)).map(({ id: text, when, text: what }) => ({
      text,
      description: oneLine(`${when}: ${what}`, 100),
    })),
};

/** A plan in a list, on one line. */
function lineOf({ id: known, what, text, when, next, by, for: whom, paused, address }: PlannedView): string {
  const kind = { reminder: "⏰ reminder", task: "task", trigger: "trigger" }[what];
  const times = next.length === 0 ? "" : ` Next: ${next.join(", ")}.`;
  const who = whom === undefined ? by : `${by} for ${whom}`;
  const off = paused === undefined ? "" : ` **Paused**: ${escapeMarkdown(paused)}`;
  const where = address === undefined ? "" : ` \`${address}\``;
  return `- \`${known}\` ${kind} ${escapeMarkdown(when)}: ${escapeMarkdown(oneLine(text, 200))} (${escapeMarkdown(who)})${where}.${times}${off}`;
}

export const listSchedules = operation({
  name: "schedule.list",
  input: z.object({ namespace: channelName }),
  output: z.object({ schedules: z.array(plannedViewSchema) }),
  who: "anyone",
  http: {
    route: "GET /schedules",
    summary: "Schedules, reminders and triggers of a channel",
    answers: "them, in the order they were made",
  },
  chat: {
    command: "agent schedule list",
    description: "Shows the reminders, schedules and triggers of this channel",
    alsoAlone: true,
    read: (words, place) => (words === "" ? { namespace: place.namespace } : undefined),
    missing: family,
  },
  commandLine: { command: "schedule list" },
  text: ({ schedules }) =>
    [...(schedules.length === 0 ? ["Nothing is planned here."] : schedules.map(lineOf)), "", family].join(
      "\n",
    ),
  async run({ input, asker, services }) {
    return { ok: true, value: { schedules: await services.schedules.list(input.namespace, asker.by) } };
  },
});

/** Route, verb and its past form. */
const changes = {
  pause: ["POST /schedules/{id}/pause", "Pause", "Paused"],
  resume: ["POST /schedules/{id}/resume", "Resume", "Resumed"],
  remove: ["DELETE /schedules/{id}", "Remove", "Removed"],
} as const;

function changeOperation<const Name extends string>(name: Name, to: PlanChange) {
  const [route, verb, done] = changes[to];
  const did = done.toLowerCase();
  return operation({
    name,
    input: z.object({ id: planId, namespace: channelName }),
    output: plannedViewSchema,
    who: { decide: mayChange },
    http: { route, summary: `${verb} a schedule or trigger`, answers: "it, as it is now" },
    chat: {
      command: `agent schedule ${to}`,
      public: true,
      description: `${verb}s a schedule or trigger of this channel`,
      options: [planOption],
      read: (words, place) => (words === "" ? undefined : { id: idIn(words), namespace: place.namespace }),
      missing: `Which one? \`/agent schedule ${to} <id>\`; \`/agent schedule list\` shows the ids.`,
    },
    commandLine: { command: `schedule ${to} <id>` },
    text({ id: known, text, next }) {
      const times = to === "resume" && next.length > 0 ? ` Next: ${next.join(", ")}.` : "";
      return `${done}: \`${known}\` ${escapeMarkdown(oneLine(text, 200))}.${times}`;
    },
    run: (call) => call.services.schedules.change(plannerOf(call, call.input.namespace), call.input.id, to),
    audit: ({ id: known, what, by }) =>
      auditNote(`schedule_${did}`, known, `${did} the ${what} **${known}** of ${escapeMarkdown(by)}`),
  });
}

export const pauseSchedule = changeOperation("schedule.pause", "pause");
export const resumeSchedule = changeOperation("schedule.resume", "resume");
export const removeSchedule = changeOperation("schedule.remove", "remove");

export const renewScheduleSecret = operation({
  name: "schedule.secret",
  input: z.object({
    id: planId,
    namespace: channelName,
    set: z
      .string()
      .min(16)
      .max(500)
      .optional()
      .describe("the secret that the sender made; made here unless given"),
  }),
  output: z.object({
    secret: z.string().optional().describe("absent when it was sent to the person on their platform"),
  }),
  who: { decide: mayChange },
  http: {
    route: "POST /schedules/{id}/secret",
    summary: "A new secret for a webhook; the previous one is no longer valid",
    answers: "the secret, which is shown only now",
  },
  chat: {
    command: "agent schedule secret",
    description: "Makes a new secret for a webhook; the previous one is no longer valid",
    options: [{ ...planOption, description: "The id of the trigger, as the list shows it" }],
    read: (words, place) => (words === "" ? undefined : { id: idIn(words), namespace: place.namespace }),
    missing: "Of which webhook? `/agent schedule secret <id>`; `/agent schedule list` shows the ids.",
    // Answers of commands are stored in the log, where a secret does not belong.
    say: ({ secret }) =>
      secret === undefined
        ? shown("A new secret was sent to you alone; the previous one is no longer valid.")
        : refused(
            "The secret is not shown in a conversation. `knack schedule secret <id>` prints a new one.",
          ),
  },
  commandLine: { command: "schedule secret <id>", options: ["--set <secret>"] },
  text: ({ secret = "It was sent to you on your platform." }, { set }) =>
    set === undefined ? escapeMarkdown(secret) : "The secret is set.",
  async run(call) {
    const { namespace: where, id: known, set } = call.input;
    const renewed = await call.services.schedules.newSecret(plannerOf(call, where), known, set);
    if (!renewed.ok) return renewed;
    const { secret, told } = renewed.value;
    return { ok: true, value: told ? {} : { secret } };
  },
  audit: (_output, { input }) =>
    auditNote("schedule_secret", input.id, `made a new secret for the webhook **${input.id}**`),
});

type Change = OperationCall<{ id: string; namespace: string }>;

/** The maker and managers may change a plan. */
export function mayChange(call: Change): Promise<Outcome<unknown>> {
  const { input, services } = call;
  return services.schedules.mayChange(plannerOf(call, input.namespace), input.id);
}

const id = z.string().min(1).max(40).describe("as the message or the question says it");

const consents = {
  accept: ["Lets a schedule or trigger of somebody else write to you", "may write to you"],
  refuse: ["Ends direct messages that somebody else's schedule sends you", "no longer writes to you"],
} as const;

/** Whether plans of others may write to a person. */
export const consentToSchedule = operation({
  name: "schedule.consent",
  input: z.object({ id, agrees: z.boolean() }),
  output: z.object({ id, agrees: z.boolean() }),
  who: "anyone",
  about: "asker",
  chat: (["accept", "refuse"] as const).map((word) => ({
    command: `agent schedule ${word}`,
    description: consents[word][0],
    options: [{ name: "id", description: "The id, as the message or the question says it", required: true }],
    read: (words) => (words === "" ? undefined : { id: idIn(words), agrees: word === "accept" }),
    missing: `Which one? \`/agent schedule ${word} <id>\`; its messages say the id.`,
  })),
  text: ({ id: known, agrees }) => `\`${known}\` ${consents[agrees ? "accept" : "refuse"][1]}.`,
  async run({ input: { id: known, agrees }, asker: { by }, services: { schedules } }) {
    if ((await schedules.receivers(known))[by.id] === undefined) {
      return failed(404, `No schedule or trigger ${known} has asked to write to you.`);
    }
    await schedules.agree(known, by.id, agrees);
    return { ok: true, value: { id: known, agrees } };
  },
  audit: ({ id: known, agrees }) => ({
    action: agrees ? "schedule_accepted" : "schedule_declined",
    subject: known,
    detail: `${agrees ? "accepts" : "no longer accepts"} direct messages of **${known}**`,
  }),
});

/** The id in the words after a command, as people copy it. */
export function idIn(words: string): string {
  return (words.split(/\s+/)[0] ?? "").replaceAll("`", "").slice(0, 40);
}

export function plannerOf({ asker, command }: OperationCall<unknown>, where: string): Planner {
  return { author: asker.by, place: { namespace: where, thread: command?.place.thread ?? "schedules" } };
}

/** The same key when a command runs again after a crash, so that nothing is planned twice. */
export function keyOf({ command, services }: OperationCall<unknown>): string {
  return command?.turn_id ?? services.newId();
}

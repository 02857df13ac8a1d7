/** Adds schedules, and gives them other times. */
import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { type When, whenShape } from "../../../core/ports/plan-times.ts";
import { maxPlanText, type PlannedView, plannedViewSchema } from "../../../core/ports/schedules.ts";
import { failed } from "../../../core/values/failure.ts";
import { channelName } from "../../services/shapes.ts";
import { auditNote, operation } from "../operation.ts";
import { idIn, keyOf, mayChange, planId, plannerOf, planOption } from "./schedules.ts";

const taskFlag = /^--task\s|\s--task$/;

const timeForms = '`at 2026-12-24 09:00 …`, `in PT2H …` or `cron "0 9 * * 1-5" …`';

/** The answer where no model reads the words. */
function notExact(words: string): string {
  return `“${escapeMarkdown(oneLine(words, 100))}” is in none of the forms that work without a language model, and none is configured here: ${timeForms}.`;
}

const once = /^(at|in)\s+(\d{4}-\d\d-\d\d(?:T|\s+)\d\S*(?:\s+[+-]\d\d:?\d\d)?|[+-]?P(?=T?\d)\S+)\s+(\S.*)$/is;
const repeated = /^((?:cron\s+["'`“„][^"'`“”]+["'`“”]\s+)+)(\S.*)$/is;
const quotedPattern = /["'`“„]([^"'`“”]+)["'`“”]/g;

/** Reads one of the forms: `at 2026-12-24 09:00 …`, `in PT2H …`, `cron "0 9 * * 1-5" …`. Undefined for all other words. */
function exactTime(words: string): ({ text: string } & When) | undefined {
  const [, keyword = "", time = "", what = ""] = once.exec(words) ?? [];
  if (keyword !== "" && /^in$/i.test(keyword) === /P/i.test(time))
    return { [keyword.toLowerCase()]: time.replace(/\s+/g, " "), text: what };
  const [, head = "", text = ""] = repeated.exec(words) ?? [];
  const cron = [...head.matchAll(quotedPattern)].map(([, pattern = ""]) => pattern);
  return cron.length === 0 ? undefined : { cron, text };
}

/** Confirms a plan, with its next times. */
function plannedText(done: string, { id: known, what, text, when, next }: PlannedView): string {
  return `${done} (\`${known}\`): ${what} ${escapeMarkdown(when)}: ${escapeMarkdown(oneLine(text, 500))}\nNext: ${next.join(", ")}.`;
}

const timeOptions = [
  ...["--at <time>", "--in <duration>", "--cron <patterns>", "--zone <zone>"],
  ...["--from <time>", "--until <time>", "--times <number>"],
];

export const addSchedule = operation({
  name: "schedule.add",
  input: z.strictObject({
    namespace: channelName,
    text: z
      .string()
      .min(1)
      .max(maxPlanText)
      .describe("what is posted (reminder), or done by the agent (task)"),
    what: z.enum(["reminder", "task"]).default("reminder"),
    ...whenShape,
    tools: z
      .array(z.string().max(64))
      .max(20)
      .optional()
      .describe("that a task may use without asking, for what its text names"),
  }),
  output: plannedViewSchema,
  who: "anyone",
  http: {
    route: "POST /schedules",
    summary: "Plan a reminder or a task: give exactly one of at, in and cron",
    answers: "what was planned, with its next times",
  },
  chat: {
    command: "agent schedule add",
    public: true,
    description: "Plans a reminder or a task",
    options: [
      {
        name: "when-and-what",
        description: 'Write at 2026-12-24 09:00 …, in PT2H …, cron "0 9 * * 1-5" …, or words for the agent',
        usage: "<when and what>",
      },
      { name: "task", type: "flag", description: "The text is work for the agent, to be done then" },
    ],
    form: (_input, words) =>
      words === "" || words === "--task" ? `/agent schedule add ${words}`.trim() : undefined,
    elseAgent: true,
    read(words, { namespace }) {
      const found = exactTime(words.replace(taskFlag, "").trim());
      const what = taskFlag.test(words) ? ("task" as const) : ("reminder" as const);
      return found && { namespace, ...found, what };
    },
    missing: (words) => (words === "" ? `Write when and what: ${timeForms}.` : notExact(words)),
  },
  commandLine: {
    command: "schedule add <text...>",
    options: [["--task", "the text is work for the agent"], ...timeOptions],
    read: ({ text, times, task, ...rest }) => ({
      ...rest,
      text: [text].flat().join(" "),
      what: task === undefined ? undefined : "task",
      times: times === undefined ? undefined : Number(times),
    }),
  },
  text: (planned) => plannedText("Planned", planned),
  async run(call) {
    const { schedules } = call.services;
    const { namespace, ...wish } = call.input;
    const planner = plannerOf(call, namespace);
    const plan = await schedules.plan(planner, wish);
    return plan.ok ? schedules.add(planner, plan.value, keyOf(call)) : plan;
  },
  audit: ({ id: known, what }) => auditNote("schedule_added", known, `planned the ${what} **${known}**`),
});

export const changeSchedule = operation({
  name: "schedule.change",
  input: z.strictObject({ id: planId, namespace: channelName, ...whenShape }),
  output: plannedViewSchema,
  who: { decide: mayChange },
  http: {
    route: "PUT /schedules/{id}",
    summary: "Give a reminder or task new times, or its repetition new bounds",
    answers: "it, as it is now",
  },
  chat: {
    command: "agent schedule change",
    public: true,
    description: "Gives a reminder or task new times",
    options: [
      planOption,
      {
        name: "when",
        description: 'Write at 2026-12-24 09:00, in PT2H, or cron "0 9 * * 1-5"',
        required: true,
      },
    ],
    read(words, { namespace }) {
      const known = idIn(words);
      // The form has a text after the time.
      const found = exactTime(`${words.slice(words.split(/\s+/)[0]?.length ?? 0).trim()} .`);
      if (found?.text !== ".") return undefined;
      const { text: _, ...when } = found;
      return { id: known, namespace, ...when };
    },
    missing: `Which one, and when? \`/agent schedule change <id>\` takes ${timeForms}; \`/agent schedule list\` shows the ids.`,
  },
  commandLine: {
    command: "schedule change <id>",
    options: timeOptions,
    read: ({ times, ...rest }) => ({ ...rest, times: times === undefined ? undefined : Number(times) }),
  },
  text: (planned) => plannedText("Changed", planned),
  async run(call) {
    const { schedules } = call.services;
    const { id: known, namespace, ...when } = call.input;
    const planner = plannerOf(call, namespace);
    const plan = await schedules.plan(planner, { what: "change", id: known, ...when });
    if (!plan.ok) return plan;
    const whom = plan.value.value.for;
    if (whom === undefined) return schedules.add(planner, plan.value, keyOf(call));
    const message = `${whom.name} has to be asked about other times: ask the agent for them in a message.`;
    return failed(409, message);
  },
  audit: ({ id: known, what, by }) =>
    auditNote("schedule_changed", known, `gave the ${what} **${known}** of ${escapeMarkdown(by)} new times`),
});

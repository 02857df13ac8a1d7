import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import { type GoalView, goalViewSchema, maxPlanText } from "../../../core/ports/schedules.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { mayStop } from "../../../core/values/inbound.ts";
import { threadSchema } from "../../../core/values/place.ts";
import { channelName } from "../../services/shapes.ts";
import { auditNote, type OperationCall, operation } from "../operation.ts";

const place = z.object({ ns: channelName, thread: threadSchema.describe("id of the thread") });
const route = "/namespaces/{ns}/threads/{thread}/goal";
const how = "`/agent goal set <aim> 5 turns` sets one, `/agent goal stop` ends it.";

export const showGoal = operation({
  name: "goal.show",
  input: place,
  output: z.object({ goal: goalViewSchema.optional().describe("absent if the thread has none") }),
  who: "anyone",
  http: {
    route: `GET ${route}`,
    summary: "The goal of a thread: the one that is going, or one that ended in the last days",
    answers: "the goal and its state",
  },
  chat: {
    command: "agent goal show",
    description: "Shows the goal of this thread, and how far it is",
    alsoAlone: true,
    read: (words, { namespace: ns, thread }) => (words === "" ? { ns, thread } : undefined),
    missing: how,
  },
  commandLine: { command: "goal show <namespace> <thread>" },
  text: ({ goal }) => (goal === undefined ? `This thread has no goal. ${how}` : wordsOf(goal)),
  run: async (call) => ({ ok: true, value: { goal: (await goalOf(call))?.view } }),
});

export const setGoal = operation({
  name: "goal.set",
  input: place.extend({
    aim: z.string().trim().min(1).max(maxPlanText).describe("what has to be true in the end"),
    turns: z.number().int().optional().describe("maximum turns"),
  }),
  output: z.object({ goal: goalViewSchema }),
  who: "anyone",
  http: {
    route: `PUT ${route}`,
    summary: "Set a goal: the agent goes on by itself, turn after turn, until it is reached",
    answers: "the goal",
  },
  chat: {
    command: "agent goal set",
    public: true,
    description: "The agent works towards an aim by itself in this thread, turn after turn",
    options: [
      { name: "aim", description: "What has to be true in the end", required: true },
      {
        name: "turns",
        description: "How many turns at most; 10 by default",
        choices: [3, 5, 10, 15, 25].map((turns) => ({ text: `${turns} turns`, description: "" })),
        usage: "[<n> turns]",
      },
    ],
    read: (words, { namespace: ns, thread }) => (words === "" ? undefined : { ns, thread, ...aimIn(words) }),
    missing: how,
  },
  commandLine: {
    command: "goal set <namespace> <thread> <aim...>",
    options: ["--turns <number>"],
    read: ({ thread, aim, turns }) => ({
      thread,
      aim: [aim].flat().join(" "),
      turns: turns && Number(turns),
    }),
    needsBot: "because it runs the turns of the goal",
  },
  text: ({ goal }) =>
    `Goal: ${quoted(goal)}. I go on by myself for up to ${turnsInWords(goal.max_turns)}, until I can show that it is reached. \`/agent goal\` shows how far I am, \`/agent goal stop\` ends it.`,
  async run({ input, asker, services, command }) {
    const { ns: namespace, thread, aim, turns } = input;
    const planner = { author: asker.by, place: { namespace, thread } };
    // The same when a command runs again after a crash.
    const key = command?.turn_id ?? services.newId();
    const set = await services.goals.set(planner, aim, turns, key);
    return set.ok ? { ok: true, value: { goal: set.value } } : set;
  },
  audit: ({ goal }, { input: { thread } }) =>
    auditNote("goal_set", thread, `set a goal of up to ${turnsInWords(goal.max_turns)}: ${quoted(goal)}`),
});

export const stopGoal = operation({
  name: "goal.stop",
  input: place,
  output: z.object({ goal: goalViewSchema }),
  who: { decide: mayStopGoal },
  http: { route: `DELETE ${route}`, summary: "End the goal of a thread, and its turn", answers: "the goal" },
  chat: {
    command: "agent goal stop",
    public: true,
    description: "Ends the goal of this thread, and its turn",
    urgent: true,
    read: (_words, { namespace: ns, thread }) => ({ ns, thread }),
  },
  commandLine: { command: "goal stop <namespace> <thread>" },
  text: ({ goal }) => `Stopped after ${turnsInWords(goal.turns)}: ${quoted(goal)}.`,
  async run({ input: { ns: namespace, thread }, asker, services }) {
    const [goal] = await services.goals.end({ namespace, thread }, () => true);
    if (goal === undefined) return failed(404, "No goal is being pursued in this thread.");
    if (goal.turn_id !== undefined) await services.control.stop(goal.turn_id, asker.by.id);
    return { ok: true, value: { goal } };
  },
  audit: ({ goal }, { input: { thread } }) =>
    auditNote("goal_stopped", thread, `stopped the goal of ${escapeMarkdown(goal.by)}: ${quoted(goal)}`),
});

type GoalCall = OperationCall<{ ns: string; thread: string }>;

function goalOf({ input: { ns: namespace, thread }, services }: GoalCall) {
  return services.goals.of({ namespace, thread });
}

/** The person who set a goal and managers may stop it. */
async function mayStopGoal(call: GoalCall): Promise<Outcome<unknown>> {
  const goal = await goalOf(call);
  const { ns: namespace } = call.input;
  if (goal === undefined || mayStop(call.asker.by, { author: goal.maker, namespace }))
    return { ok: true, value: undefined };
  return failed(403, `Only ${goal.view.by}, who set the goal, or a manager of this channel may stop it.`);
}

/** `the report has a chart per region 5 turns`: the aim, which may be in quotes, and the maximum of turns. */
function aimIn(words: string): { aim: string; turns: number | undefined } {
  const cap = /\s(\d{1,6})\s+turns?$/i.exec(words);
  const aim = (cap === null ? words : words.slice(0, cap.index)).trim().replace(/^["“„«](.*)["”“»]$/s, "$1");
  return { aim, turns: cap === null ? undefined : Number(cap[1]) };
}

function quoted({ aim }: GoalView): string {
  return `“${escapeMarkdown(oneLine(aim, 300))}”`;
}

function turnsInWords(turns: number): string {
  return `${turns} ${turns === 1 ? "turn" : "turns"}`;
}

const stateWords: Readonly<Record<GoalView["state"], string>> = {
  going: "I am working on it",
  reached: "It is reached; the last answer says what shows it",
  blocked: "I stopped at an obstacle",
  used_up: "I stopped because its limit was reached",
  stopped: "It was stopped",
};

function wordsOf(goal: GoalView): string {
  const { turns, max_turns, by, state } = goal;
  return `Goal: ${quoted(goal)}, set by ${escapeMarkdown(by)}. ${stateWords[state]}: turn ${turns} of ${max_turns}.`;
}

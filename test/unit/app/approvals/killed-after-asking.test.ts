import { expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import type { ToolEffect } from "../../../../src/core/values/inbound.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { answerTurn, approve } from "../../../support/bot/ask-app.ts";
import { follow } from "../../../support/follow.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp, type TestApp } from "../../../support/test-app.ts";

type Run = (context: ToolContext, act: (effect: string) => void) => Promise<string>;

/**
 * A bot whose model calls `work`, then says what it answered. A tool that acts under the name `hang` stays there, as one does in
 * which the bot is killed.
 */
function createBot(
  run: Run,
  log: TurnLog,
  effects: string[],
  { hangs = false, effect = "side_effect" as ToolEffect } = {},
) {
  const hanging = Promise.withResolvers<void>();
  const skill = testSkill(
    "work",
    [
      {
        name: "work",
        effect,
        run: (_input, context) =>
          run(context, (done) => {
            effects.push(done);
            if (!hangs) return;
            hanging.resolve();
            throw new Killed();
          }).catch((error: unknown) =>
            error instanceof Killed ? new Promise(() => {}) : Promise.reject(error),
          ),
      },
    ],
    { active: true, kind: "imported" },
  );
  const model = scriptedModel(({ messages }) => toolResults(messages).at(-1) ?? [{ call: "work", id: "c1" }]);
  const app = createTestApp(model, { log, skills: [skill], store });
  return { ...app, hung: hanging.promise };
}

class Killed extends Error {}

let store = createMemoryKeyValue();

/** Answers everything that is asked until the tool hangs, kills the bot, and lets another one finish the turn. */
async function killedInEffect(
  run: Run,
  effect?: ToolEffect,
): Promise<{ effects: string[]; text: string; events: TurnEvent[] }> {
  store = createMemoryKeyValue();
  const log = createMemoryTurnLog();
  const effects: string[] = [];
  const options = effect === undefined ? {} : { effect };
  const first = createBot(run, log, effects, { hangs: true, ...options });
  const turnId = await first.say("go");
  const over = new AbortController();
  const answering = answerAll(first, turnId, over.signal);
  await first.hung;
  over.abort();
  await answering;
  await first.stop(0);
  await log.reclaim();
  const second = createBot(run, log, effects, options);
  const [events] = await Promise.all([second.events(turnId), answerAll(second, turnId)]);
  const end = events.at(-1);
  return { effects, events, text: end?.type === "turn_finished" ? end.text : "" };
}

/** Says yes to whatever a turn asks people. */
async function answerAll({ app }: TestApp, turnId: string, until?: AbortSignal): Promise<void> {
  for await (const event of follow(app, turnId, { until })) {
    if (event.type === "approval_requested") await approve(app, event.approval_id, true, ada);
    if (event.type === "question_asked") await answerTurn(app, turnId, event.question_id, "yes", ada);
  }
}

const ways: [string, Run][] = [
  [
    "an approval in the middle",
    async (context, act) => {
      await context.approve({ action: "send", input: {} });
      act("sent");
      return "done";
    },
  ],
  [
    "a question in the middle, after a step that is done",
    async (context, act) => {
      await context.step("prepare", () => "prepared");
      await context.ask({ text: "Really?" });
      act("sent");
      return "done";
    },
  ],
  [
    "the grant of a host, which nobody is asked for again",
    async (context, act) => {
      await context.network.request(["api.example.com"]);
      act("sent");
      return "done";
    },
  ],
  [
    "two approvals, the second of which it had",
    async (context, act) => {
      await context.approve({ action: "one", input: {} });
      await context.approve({ action: "two", input: {} });
      act("sent");
      return "done";
    },
  ],
];

it.each(ways)(
  "a call killed in its effect after %s does not have the effect twice [asks-10]",
  async (_, run) => {
    const { effects, text } = await killedInEffect(run);
    expect(effects).toEqual(["sent"]);
    expect(text).toContain("outcome_unknown");
  },
);

it("a call that only reads is run again and asks nobody twice [asks-10]", async () => {
  const [[, run] = ["", async () => ""]] = ways;
  const { effects, text, events } = await killedInEffect(run as Run, "read_only");
  expect(effects).toEqual(["sent", "sent"]);
  expect(text).toBe("done");
  expect(events.filter(({ type }) => type === "approval_requested")).toHaveLength(1);
});

it("a call killed while waiting for its answer continues when the answer arrives", async () => {
  const log = createMemoryTurnLog();
  const effects: string[] = [];
  const run: Run = async (context, act) => {
    await context.step("before", () => {
      act("before");
      return null;
    });
    await context.approve({ action: "one", input: {} });
    await context.approve({ action: "two", input: {} });
    act("after");
    return "done";
  };
  const first = createBot(run, log, effects);
  const turnId = await first.say("go");
  const { approval_id } = await first.until(turnId, "approval_requested");
  await approve(first.app, approval_id, true, ada);
  for await (const event of follow(first.app, turnId)) {
    if (event.type === "approval_requested" && event.tool === "two") break;
  }
  await first.stop(0);
  await log.reclaim();
  const second = createBot(run, log, effects);
  await approve(second.app, `${turnId}:2`, true, ada);
  expect((await second.events(turnId)).at(-1)).toMatchObject({ text: "done" });
  expect(effects).toEqual(["before", "after"]);
});

it("a call that still waits while another one works is not lost when the bot is killed", async () => {
  const log = createMemoryTurnLog();
  const ran: string[] = [];
  const bot = (hangs: boolean) => {
    const stuck = Promise.withResolvers<void>();
    const skill = testSkill(
      "work",
      ["quick", "slow"].map((name) => ({
        name,
        effect: "side_effect" as const,
        async run(_input: unknown, context: ToolContext) {
          await context.approve({ action: name, input: {} });
          ran.push(name);
          stuck.resolve();
          return hangs ? await new Promise<string>(() => {}) : `${name} done`;
        },
      })),
      { active: true },
    );
    const calls = [
      { call: "quick", id: "a" },
      { call: "slow", id: "b" },
    ];
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === "tool" ? "Done." : calls));
    return { ...createTestApp(model, { log, skills: [skill] }), model, stuck: stuck.promise };
  };
  const first = bot(true);
  const turnId = await first.say("go");
  await first.until(turnId, "turn_waiting");
  // Both ask at the same time.
  const askedBy = async (call: string) => {
    const events = await log.read(turnId);
    const asked = events.find((each) => each.type === "approval_requested" && each.call_id.startsWith(call));
    return asked?.type === "approval_requested" ? asked.approval_id : "";
  };
  await approve(first.app, await askedBy("a/"), true, ada);
  await first.stuck;
  await expect
    .poll(async () => (await log.read(turnId)).filter(({ type }) => type === "call_waiting").length)
    .toBe(1);
  await first.stop(0);
  await log.reclaim();
  const second = bot(false);
  await second.until(turnId, "turn_waiting");
  await approve(second.app, await askedBy("b/"), true, ada);
  await second.events(turnId);
  expect(ran).toEqual(["quick", "slow"]);
  const results = toolResults(second.model.requests.at(-1)?.messages ?? []);
  expect(results).toEqual([expect.stringContaining("outcome_unknown"), "slow done"]);
});

import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import { countTokens } from "../../../../src/models/count-tokens.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { stopTurn } from "../../../support/bot/ask-app.ts";
import { eventually } from "../../../support/eventually.ts";
import { mia } from "../../../support/fakes/chat-world.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ben, createTestApp, type TestApp } from "../../../support/test-app.ts";

describe("the history of a thread", () => {
  it("the history of a thread is what was said and answered in it, with tool results, and nothing of other threads", async () => {
    const skill = testSkill("s", [{ name: "s", run: () => "tool result" }], { active: true });
    const model = scriptedModel([[{ call: "s" }], "first answer", "other", "second answer"]);
    const { ask } = createTestApp(model, { skills: [skill] });
    await ask("first question");
    await ask("other thread", { thread: "t2" });
    await ask("second question");
    expect(model.requests[2]?.messages).toHaveLength(1);
    expect(model.requests[3]?.messages.map((message) => [message.role, message.text])).toEqual([
      ["user", "first question"],
      ["assistant", ""],
      ["tool", "tool result"],
      ["assistant", "first answer"],
      ["user", "second question"],
    ]);
  });

  it("the history of a thread leaves commands out", async () => {
    const model = scriptedModel(["answer"]);
    const { ask } = createTestApp(model);
    await ask("/skill list");
    await ask("question");
    expect(model.requests[0]?.messages).toEqual([{ role: "user", text: "question", said: "question" }]);
  });

  it("the history of a thread gives every call of a stopped turn a result", async () => {
    const skill = testSkill("hang", [{ name: "hang", run: () => new Promise<never>(() => {}) }], {
      active: true,
    });
    const model = scriptedModel([[{ call: "hang" }, { call: "hang", with: { text: "2" } }], "ok"]);
    const { app, say, until, events, ask } = createTestApp(model, {
      skills: [skill],
      limits: { max_concurrent: 1 },
    });
    const turnId = await say("go", { by: ben });
    await until(turnId, "stage");
    await stopTurn(app, turnId, ben);
    await events(turnId);
    await ask("and now?");
    const messages = model.requests[1]?.messages ?? [];
    expect(messages.filter((message) => message.role === "tool")).toHaveLength(2);
  });

  it("a history that outgrows its budget is summarised, keeps active skills' guides, and stays readable for the model", async () => {
    const skill = testSkill("guided", [{ name: "guided" }], {
      active: true,
      instructions: "Never forget this guide.",
    });
    const model = scriptedModel((request) =>
      request.system.startsWith("Summarise") ? "They talked about apples." : "word ".repeat(200),
    );
    const { ask } = createTestApp(model, {
      skills: [skill],
      limits: { transcript_tokens: 3_000 },
    });
    for (let i = 0; i < 16; i += 1) await ask(`question ${i} ${"text ".repeat(50)}`);
    const summaries = model.requests.filter((request) => request.system.startsWith("Summarise"));
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.length).toBeLessThan(5);
    const last = model.requests.at(-1);
    expect(last?.messages[0]?.text).toBe(
      "<earlier_in_this_thread>\nThey talked about apples.\n</earlier_in_this_thread>",
    );
    expect(last?.system.match(/Never forget this guide\./g)).toHaveLength(1);
    const sent = last?.messages.map(({ text }) => text).join("\n") ?? "";
    expect(countTokens(sent)).toBeLessThan(3_000);
    expect(last?.messages.at(-1)?.text).toContain("question 15");
  });
});

describe("spending", () => {
  const costly = { usage: { input_tokens: 600, output_tokens: 400, cost_usd: 0.5 } };
  const unpriced = { usage: { input_tokens: 600, output_tokens: 400 } };

  it("spending is counted per turn", async () => {
    const { ask, log } = createTestApp(scriptedModel(["ok"], costly));
    const { turnId } = await ask("hi");
    expect(await log.get(turnId)).toMatchObject({ input_tokens: 600, output_tokens: 400, cost_usd: 0.5 });
  });

  it.each([
    ["a channel's dollars", costly, { per_channel_day_usd: 0.9 }, "this channel has spent $1.00 of $0.90"],
    [
      "all of a channel's dollars",
      costly,
      { per_channel_day_usd: 1 },
      "this channel has spent $1.00 of $1.00",
    ],
    ["a person's dollars", costly, { per_user_day_usd: 0.9 }, "you have spent $1.00 of $0.90"],
    [
      "a channel's tokens",
      unpriced,
      { per_channel_day_tokens: 2000 },
      "this channel has used 2,000 of 2,000 tokens",
    ],
    ["a person's tokens", unpriced, { per_user_day_tokens: 2000 }, "you have used 2,000 of 2,000 tokens"],
  ])(
    "spending over %s stops with a clear message and no further model call",
    async (_what, usage, spending, message) => {
      const model = scriptedModel(["ok"], usage);
      const { ask } = createTestApp(model, { spending });
      await ask("one");
      await ask("two");
      const { end } = await ask("three");
      expect(end).toMatchObject({ outcome: "limit_reached" });
      expect(end.text).toContain(message);
      expect(end.text).toContain("operator of the bot can raise");
      expect(model.requests).toHaveLength(2);
    },
  );

  it.each(["new", "known"])(
    "messages that a spending limit refused in a %s thread are no part of its conversation the next day",
    async (thread) => {
      const clock = createFakeClock();
      const model = scriptedModel(["ok"], costly);
      const { ask } = createTestApp(model, { clock, spending: { per_channel_day_usd: 0.5 } });
      const say = (text: string, where: string) => clock.advanceUntil(ask(text, { thread: where }), 1_000);
      await say("the first", "known");
      for (const text of ["more?", "more??", "more???"])
        expect((await say(text, thread)).end).toMatchObject({ outcome: "limit_reached", refused: true });
      clock.advance(86_400_000);
      await say("good morning", thread);
      const sent = JSON.stringify(model.requests.at(-1)?.messages);
      expect(sent).toContain("good morning");
      expect(sent.includes("the first")).toBe(thread === "known");
      expect(sent).not.toMatch(/more\?|spent \$/);
    },
  );

  it("a spending limit stops a turn in the middle [access-7]", async () => {
    const skill = testSkill("s", [{ name: "s", repeatable: true }], { active: true });
    const model = scriptedModel([[{ call: "s" }]], costly);
    const { ask } = createTestApp(model, { skills: [skill], spending: { per_channel_day_usd: 1.2 } });
    const { end } = await ask("go");
    expect(end.outcome).toBe("limit_reached");
    expect(model.requests).toHaveLength(3);
  });

  it.each(["in a conversation", "by command"])(
    "a spending limit stops a skill that asks the model, run %s",
    async (how) => {
      const text = { instructions: "Write.", input: "x", schema: z.object({ text: z.string() }) };
      const run = async (_input: unknown, { generate }: ToolContext) => {
        for (let times = 0; times < 50; times += 1) await generate(text);
        return "done";
      };
      const skill = testSkill("writes", [{ name: "writes", run }], { active: true });
      const model = scriptedModel(
        (request) => (request.output_schema === undefined ? [{ call: "writes" }] : '{"text":"ok"}'),
        costly,
      );
      const { ask } = createTestApp(model, { skills: [skill], spending: { per_channel_day_usd: 2.9 } });
      const { end } = await ask(how === "by command" ? "/skill run writes" : "go");
      expect(end.text).toMatch(/this channel has spent \$3\.00 of \$2\.90/);
      expect(model.requests).toHaveLength(6);
      expect((await ask("/skill run writes")).end.text).toContain("operator of the bot can raise");
      expect(model.requests).toHaveLength(6);
    },
  );

  it("spending is remembered across a restart", async () => {
    const log = createMemoryTurnLog();
    await createTestApp(scriptedModel(["ok"], costly), { log }).ask("one");
    const { end } = await createTestApp(scriptedModel(["ok"], costly), {
      log,
      spending: { per_channel_day_usd: 0.4 },
    }).ask("two");
    expect(end.outcome).toBe("limit_reached");
  });

  const toldOf = async ({ log }: Pick<TestApp, "log">, namespace = "console:local:general") =>
    (await log.list({ namespace, limit: 50 })).flatMap(({ answer = "" }) =>
      /^This (channel|direct message) has used/.test(answer) ? [answer] : [],
    );

  it("a thread is told once at 75 and once at 95 % of its channel's day, across a restart too", async () => {
    const log = createMemoryTurnLog();
    const setup = { log, spending: { per_channel_day_tokens: 10_000 } };
    const before = createTestApp(scriptedModel(["ok"], unpriced), setup);
    for (let turn = 1; turn <= 7; turn += 1) await before.ask(`turn ${turn}`);
    expect(await toldOf({ log })).toEqual([]);
    await before.ask("turn 8");
    await eventually(async () => expect(await toldOf({ log })).toHaveLength(1));
    expect((await toldOf({ log }))[0]).toBe(
      "This channel has used 80 % of what it may spend today: 8,000 of 10,000 tokens of models without a price. At 100 % I answer nobody here until 00:00 UTC. An operator of the bot can raise the limit.",
    );
    await before.stop(0);
    const after = createTestApp(scriptedModel(["ok"], unpriced), setup);
    await after.ask("turn 9");
    await after.ask("turn 10");
    await eventually(async () => expect(await toldOf({ log })).toHaveLength(2));
    expect(await toldOf({ log })).toContainEqual(expect.stringContaining("used all of what"));
    expect((await after.ask("turn 11")).end.text).toContain("used 10,000 of 10,000");
    await after.stop(0);
    expect(await toldOf({ log })).toHaveLength(2);
  });

  it("a direct message is not called a channel when its day is nearly used up, or is", async () => {
    const namespace = "slack:T1:dm-U1";
    const app = createTestApp(scriptedModel(["ok"], unpriced), {
      spending: { per_channel_day_tokens: 1_000 },
    });
    await app.ask("one", { namespace });
    await eventually(async () => expect(await toldOf(app, namespace)).toHaveLength(1));
    expect((await toldOf(app, namespace))[0]).toBe(
      "This direct message has used all of what it may spend today: 1,000 of 1,000 tokens of models without a price. I answer nothing here until 00:00 UTC. An operator of the bot can raise the limit.",
    );
    expect((await app.ask("two", { namespace })).end.text).toContain("this direct message has used 1,000");
    await app.stop(0);
  });

  it.each([
    [
      "5 USD",
      mia,
      "I spend at most $5.00 and 1,000,000,000 tokens of models without a price a day in this channel.",
    ],
    [
      "$2.50",
      mia,
      "I spend at most $2.50 and 1,000,000,000 tokens of models without a price a day in this channel.",
    ],
    [
      "200,000 tokens",
      mia,
      "I spend at most $20.00 and 200,000 tokens of models without a price a day in this channel.",
    ],
    [
      "default",
      mia,
      "I spend at most $20.00 and 1,000,000,000 tokens of models without a price a day in this channel.",
    ],
    ["21 usd", mia, "This channel may spend at most $20.00 and"],
    ["0 usd", mia, "How much a day?"],
    ["-5 usd", mia, "How much a day?"],
    ["5", mia, "How much a day?"],
    ["$5 tokens", mia, "How much a day?"],
    ["1.5 tokens", mia, "How much a day?"],
    ["a lot", mia, "How much a day?"],
    ["5 usd", ben, "Only managers of this channel may change its settings."],
    ["", ben, "used today (UTC): 600 tokens in (0% from the provider's cache), 400 out, $0.50."],
  ])("`/agent spending %s` is answered to %o with “%s”", async (amount, by, told) => {
    const app = createTestApp(scriptedModel(["ok"], costly), { spending: { per_channel_day_usd: 20 } });
    await app.ask("hi");
    expect((await app.ask(`/agent spending ${amount}`, { by })).end.text).toContain(told);
  });

  it("spending limits are told to guests without names of settings", async () => {
    const spending = { per_channel_day_usd: 0.5 };
    const { ask } = createTestApp(scriptedModel(["ok"], costly), { spending });
    await ask("one");
    const by = { ...ben, trust: "guest" } as const;
    for (const text of ["two", "/agent spending"]) {
      const { end } = await ask(text, { by });
      expect(end.text).toContain("An operator of the bot can raise that;");
      expect(end.text).not.toContain("per_channel");
    }
  });

  it("a manager's lower limit holds from the next message on, and nobody can raise it above the operator's [access-7]", async () => {
    const model = scriptedModel(["ok"], costly);
    const { ask } = createTestApp(model, {
      spending: { channels: { "console:local:general": { day_usd: 30 } } },
    });
    await ask("one");
    await ask("/agent spending 0.5 usd", { by: mia });
    expect((await ask("two")).end.text).toContain(
      "this channel has spent $0.50 of $0.50 for today. A manager of this channel can raise that with `/agent spending`",
    );
    expect((await ask("/agent spending")).end.text).toContain(
      "I spend at most $0.50 and 1,000,000,000 tokens of models without a price a day",
    );
    expect((await ask("/agent spending 31 usd", { by: mia })).end.text).toContain("at most $30.00");
    await ask("/agent spending default", { by: mia });
    expect((await ask("three")).end.outcome).toBe("completed");
  });
});

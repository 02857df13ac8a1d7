import { describe, expect, it } from "vitest";
import { goalAfter, readGoalEnd } from "../../../../src/app/schedules/goals.ts";
import type { Goal } from "../../../../src/core/ports/schedules.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { channel, createScheduleWorld } from "../../../support/skills/schedule-world.ts";
import { ann, createBot, general, minute } from "./schedule-bot.ts";

type Bot = ReturnType<typeof createBot>;

const place = { ns: general, thread: "t1" };

function goalIn(bot: Bot, thread = "t1") {
  const asker = { by: ann, namespace: general };
  return bot.app.app
    .run("goal.show", { input: { ...place, thread }, asker })
    .then((shown) => (shown.ok ? shown.value.goal : undefined));
}

/** The answer of a command. */
async function command(bot: Bot, text: string, by: Author = ann) {
  said += 1;
  const key = `said ${said}`;
  const origin = { message: key, said_at: bot.clock.now(), files: [], in_thread: false };
  const more = { by, namespace: general, thread: "t1", key, origin };
  const events = await bot.clock.advanceUntil(bot.app.say(text, more).then(bot.app.events), 20);
  const end = events.at(-1);
  return end?.type === "turn_finished" ? end.text : "";
}
let said = 0;

/** The turns of a goal, oldest first. */
async function goalTurns(bot: Bot) {
  const turns = await bot.app.log.list({ namespace: general, thread: "t1", limit: 50 });
  return turns.filter(({ kind }) => kind === "message").reverse();
}

describe("a goal", () => {
  it("a goal starts one turn after another until an answer says what shows that it is reached", async () => {
    const bot = createBot([
      "I made the charts of two regions.\n\nGoal continues: the third region",
      "The report is complete.\n\n**Goal reached:** report.pdf has three charts, one per region",
    ]);
    expect(await command(bot, "/agent goal set “the report has a chart per region” 5 turns")).toMatch(
      /^Goal: “the report has a chart per region”.*up to 5 turns/,
    );
    await bot.shows(/report\.pdf has three charts/);
    expect(await goalIn(bot)).toMatchObject({ state: "reached", turns: 2, max_turns: 5, by: "Ann" });
    expect((await goalTurns(bot)).map(({ author, text }) => [author.id, text])).toEqual([
      ["ann", "the report has a chart per region"],
      ["ann", "the report has a chart per region"],
    ]);
    const [first] = bot.model.requests[0]?.messages ?? [];
    expect(first?.text).toMatch(/<context_note>A goal began this turn: turn 1 of 5\..*Goal reached: /);
    expect(await command(bot, "/agent goal")).toMatch(/set by Ann\. It is reached.*turn 2 of 5/);
    bot.clock.advance(60 * minute);
    expect(bot.model.requests).toHaveLength(2);
  });

  it("a goal ends at the same obstacle twice in a row, and says so once", async () => {
    const bot = createBot([
      "I tried.\nGoal blocked: the mail server refuses the password",
      "I waited.\nGoal continues: another way",
      "I tried.\nGoal blocked: The mail server refuses the password",
      "I tried again.\nGoal blocked: the mail server refuses the password.",
      "too much",
    ]);
    await command(bot, "/agent goal set the mail is sent");
    await bot.shows(/the same obstacle came up twice in a row/);
    expect(bot.model.requests).toHaveLength(4);
    expect(await goalIn(bot)).toMatchObject({ state: "blocked", turns: 4, max_turns: 10 });
    const said = bot.platform.visible().filter(({ message }) => /I stopped working/.test(message.markdown));
    expect(said).toMatchObject([{ message: { mention: "ann" }, place: { thread: "t1" } }]);
  });

  it("a goal ends when its turns are used, and when the agent only repeats itself", async () => {
    const bot = createBot(["Step one.\nGoal continues: a", "Step two.\nGoal continues: b", "Hello!"]);
    await command(bot, "/agent goal set a novel is written 2 turns");
    await bot.shows(/after 2 of 2 turns: all its turns are used/);
    await command(bot, "/agent goal set a second novel is written");
    await bot.shows(/after 2 of 10 turns: the same obstacle/);
    expect(bot.model.requests).toHaveLength(4);
  });

  it("a goal ends before a turn for which nothing more may be spent", async () => {
    const world = createScheduleWorld({ spent: "this channel has spent $5.00 of $5.00 for today" });
    const bot = world.start();
    await bot.service.goals.set({ author: ann, place: channel }, "peace", 3, "k1");
    await bot.pass(minute);
    expect([...world.taken.values()].map(({ cause }) => cause?.says)).toEqual([
      expect.stringMatching(/after 0 of 3 turns: this channel has spent/),
    ]);
    expect(await bot.service.goals.of(channel)).toMatchObject({ view: { state: "used_up" } });
    await bot.pass(8 * 24 * 60 * minute);
    expect(await bot.service.goals.of(channel)).toBeUndefined();
  });

  it("a thread has one goal at a time", async () => {
    const bot = createBot([
      [{ call: "ask_user", with: { question: "Which mail?" } }],
      "Goal reached: it is sent",
    ]);
    await command(bot, "/agent goal set the mail is sent");
    expect(await command(bot, "/agent goal set the fax is sent")).toMatch(
      /already has a goal: “the mail is sent”.*`\/agent goal stop`/,
    );
    const asked = { by: ann, namespace: general };
    const both = await Promise.all(
      ["a", "b"].map((aim) =>
        bot.app.app.run("goal.set", { input: { ns: general, thread: "t2", aim }, asker: asked }),
      ),
    );
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it.each<[string, string, Author, RegExp]>([
    ["of 10,000 characters", `/agent goal set ${"x ".repeat(5_000)}y`, ann, /too long: the maximum is 4000/],
    ["of no turns", "/agent goal set peace 0 turns", ann, /1 to 25 turns/],
    ["of too many turns", "/agent goal set peace 26 turns", ann, /1 to 25 turns/],
    ["of a guest", "/agent goal set peace", { ...ann, id: "gus", trust: "guest" }, /Guests cannot/],
    ["without an aim", "/agent goal set", ann, /sets one/],
  ])("a goal %s is refused", async (_name, text, by, answer) => {
    const bot = createBot(["x"]);
    expect(await command(bot, text, by)).toMatch(answer);
    expect(await goalIn(bot)).toBeUndefined();
    expect(bot.model.requests).toHaveLength(0);
  });

  it.each([
    ["its own command", "/agent goal stop", /^Stopped after 1 turn/],
    ["stopping the thread", "stop", /Stopped/],
    ["stopping everything", "/agent stop", /Stopped|stopped/],
  ])("a goal and its turn end with %s", async (_name, text, answer) => {
    const bot = createBot([[{ call: "ask_user", with: { question: "Which mail?" } }], "more"]);
    await command(bot, "/agent goal set the mail is sent");
    await bot.shows(/Which mail/);
    const [turn] = await goalTurns(bot);
    expect(await command(bot, text)).toMatch(answer);
    await bot.clock.advanceUntil(bot.app.events(turn?.turn_id ?? ""), 20);
    bot.clock.advance(5 * minute);
    expect(await goalIn(bot)).toMatchObject({ state: "stopped", turns: 1 });
    expect((await bot.app.log.get(turn?.turn_id ?? ""))?.outcome).toBe("stopped");
    expect(await command(bot, "/agent goal stop")).toMatch(/No goal is being pursued/);
  });

  it("a goal ends when its turn is stopped by its button", async () => {
    const bot = createBot([[{ call: "ask_user", with: { question: "Which mail?" } }], "more"]);
    await command(bot, "/agent goal set the mail is sent");
    await bot.shows(/Which mail/);
    const id = (await goalTurns(bot))[0]?.turn_id ?? "";
    await bot.app.app.run("turn.stop", { input: { id }, asker: { by: ann, namespace: general } });
    await bot.shows(/Stopped/);
    await bot.clock.advanceUntil(bot.app.events(id), 20);
    bot.clock.advance(minute);
    expect(await goalIn(bot)).toMatchObject({ state: "stopped" });
  });

  it("a goal is stopped only by the person who set it and by managers", async () => {
    const bot = createBot([[{ call: "ask_user", with: { question: "Which mail?" } }], "more"]);
    await command(bot, "/agent goal set the mail is sent");
    await bot.shows(/Which mail/);
    expect(await command(bot, "/agent goal stop", { ...ann, id: "ben", name: "Ben" })).toMatch(/Only Ann/);
    expect(await command(bot, "/agent goal stop", { ...ann, id: "mia", trust: "manager" })).toMatch(
      /^Stopped/,
    );
  });

  it("a goal ends when the person who set it has left", async () => {
    const bot = createBot([[{ call: "ask_user", with: { question: "Which mail?" } }], "No answer."]);
    await command(bot, "/agent goal set the mail is sent");
    await bot.shows(/Which mail/);
    bot.platform.people.set("ann", { name: "Ann", trust: "guest" });
    bot.clock.advance(15 * minute);
    await bot.shows(/after 1 of 10 turns: Ann: I do not answer guests/);
    expect(await goalIn(bot)).toMatchObject({ state: "blocked" });
  });

  it("a goal waits for a decision of its person, whose rights its turns have [plan-2]", async () => {
    const send = [{ call: "mail__send", with: { to: "team", text: "open" } }];
    const bot = createBot([send, "Sent.\nGoal reached: the server took the mail", send, "Sent."], {
      ask: true,
    });
    await command(bot, "/agent goal set the mail is sent");
    await bot.shows(/May I run/);
    const id = (await goalTurns(bot))[0]?.turn_id ?? "";
    await bot.approve(id, ann, true);
    await bot.shows(/server took the mail/);
    expect(bot.ran).toHaveLength(1);
    // What is always allowed then is allowed in the channel, as the question said.
    await command(bot, "send it again");
    expect(bot.ran).toHaveLength(2);
  });
});

describe("how a turn ends for its goal", () => {
  const goal: Goal = {
    ...{ what: "goal", text: "aim", maker: ann, on_platform: true, thread: "t1", made_at: 0, failures: 0 },
    ...{ key: "k", state: "going", max_turns: 3, turns: 1 },
  };
  const endOf = (from: Goal, outcome: "completed" | "failed" | "stopped" | "limit_reached", answer: string) =>
    goalAfter(from, { outcome, answer } as never);

  it.each<[string, ReturnType<typeof readGoalEnd>]>([
    ["Done.\nGoal reached: 3 charts", { is: "reached", text: "3 charts" }],
    ["Done.\n\n- **Goal reached:** 3 charts\n", { is: "reached", text: "3 charts" }],
    ["*goal blocked*: no key", { is: "blocked", text: "no key" }],
    ["Goal continues: next", { is: "continues", text: "next" }],
    ["Goal reached:", undefined],
    ["Goal reached: yes\nAnd more.", undefined],
    ["Is the goal reached: no", undefined],
    ["", undefined],
  ])("the last line of %j says how far the goal is", (answer, end) => {
    expect(readGoalEnd(answer)).toEqual(end);
  });

  it("an answer of any length is read at once", () => {
    expect(readGoalEnd(`${"*".repeat(1_000_000)}goal`)).toBeUndefined();
    expect(readGoalEnd(`Goal reached: ${" *".repeat(1_000_000)}x`)?.is).toBeUndefined();
  });

  it("a goal is not reached by a turn that failed, nor by a claim without anything that shows it", () => {
    expect(endOf(goal, "failed", "Goal reached: x").state).toBe("going");
    expect(endOf(goal, "completed", "Goal reached:").state).toBe("going");
    expect(endOf(goal, "stopped", "Goal reached: x").state).toBe("stopped");
  });

  it("a goal goes on after a limit of one turn, and ends at the same failure twice", () => {
    expect(endOf(goal, "limit_reached", "It reached its limit.\nGoal continues: b").state).toBe("going");
    const once = endOf(goal, "failed", "The model refused.");
    expect(endOf({ ...once, turns: 2 }, "failed", "The model refused.").state).toBe("blocked");
    expect(endOf({ ...once, turns: 3 }, "failed", "Something else.").state).toBe("used_up");
  });
});

import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { readNamespace, updateNamespace } from "../../../../../src/core/skill/namespace-state.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { scriptedModel } from "../../../../support/models/scripted-model.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { channel, createGate, createIntake, direct } from "./fixture.ts";

describe("who may use the bot", () => {
  it.each([
    ["a guest", { standing: "guest" }, {}, /guests.*access\.guests/],
    ["an outsider", { standing: "outsider" }, {}, /other organisations.*access\.outsiders/],
    ["somebody who is not listed", {}, { users: ["cleo"] }, /Only some people.*access\.users/],
    ["somebody with another role", { roles: ["r2"] }, { users: [], roles: ["r1"] }, /Only some people/],
    ["somebody in another workspace", {}, { workspaces: ["T9"] }, /this workspace.*access\.workspaces/],
    ["somebody in another channel", {}, { channels: ["random"] }, /this channel.*access\.channels/],
  ] as const)(
    "the bot refuses %s: whispered, once in a while [access-4]",
    async (_who, person, access, reason) => {
      const { intake, mention, message, asked, told, platform, pass } = createIntake({
        chat: { access, reply: "always" },
      });
      platform.people.set("ben", person);
      await intake.message(message("just talking", { author: "ben" }));
      expect(platform.shown).toEqual([]);
      await intake.message(mention("please", { author: "ben" }));
      await intake.message(mention("please!", { author: "ben" }));
      expect(await asked()).toEqual([]);
      expect(told("ben")).toEqual([expect.stringMatching(reason)]);
      expect(platform.shown).toHaveLength(1);
      pass(11 * 60_000);
      await intake.message(mention("please?", { author: "ben" }));
      expect(told("ben")).toHaveLength(2);
    },
  );

  it("platforms are told who may see what exists, and forms go to nobody else", async () => {
    const skills = [testSkill("echo", [{ name: "echo" }])];
    const { intake, platform } = createIntake({ skills });
    platform.people.set("ben", { standing: "guest", trust: "guest" });
    const place = { namespace: channel, thread: "t" };
    expect(await intake.refusal(place, "ben")).toMatch(/guests/);
    expect(await intake.form("echo", place, "ben")).toBeUndefined();
    expect(await intake.refusal(place, "ada")).toBeUndefined();
    expect(await intake.form("echo", place, "ada")).toBeDefined();
  });

  it.each([
    ["a role on the list", { roles: ["r1"] }, { users: [], roles: ["r1"] }],
    ["a guest where guests may", { standing: "guest", trust: "guest" }, { guests: true }],
    ["an outsider where they may", { standing: "outsider", trust: "guest" }, { outsiders: true }],
    ["a channel named by its namespace", {}, { channels: [channel] }],
    ["a channel named by its id", {}, { channels: ["general"] }],
    ["an operator anywhere", { trust: "operator" }, { users: [], channels: [] }],
  ] as const)("the bot admits %s", async (_who, person, access) => {
    const { intake, mention, asked, told, platform } = createIntake({ chat: { access } });
    platform.people.set("ben", person);
    await intake.message(mention("please", { author: "ben" }));
    expect(await asked()).toEqual(["please"]);
    expect(told("ben")).toEqual([]);
  });

  it.each([
    ["members", "stranger", false],
    ["members", "member", true],
    ["everyone", "stranger", true],
    ["nobody", "member", false],
  ] as const)(
    "a bot open to direct messages of %s takes one of a %s: %s",
    async (direct_messages, standing, taken) => {
      const { intake, message, asked, told, platform } = createIntake({
        chat: { access: { direct_messages } },
      });
      platform.people.set("ben", { standing });
      await intake.message(message(...direct("hi", { author: "ben" })));
      expect(await asked("fake:team:dm-ben")).toEqual(taken ? ["hi"] : []);
      expect(told("ben")).toHaveLength(taken ? 0 : 1);
    },
  );

  it("the access rule refuses commands as well", async () => {
    const { intake, asked, told, platform, clock } = { ...createIntake(), clock: Date };
    platform.people.set("ben", { standing: "guest" });
    const place = { namespace: channel, thread: "commands" };
    await intake.command({
      key: "c1",
      place,
      id: "c1",
      author: "ben",
      text: "/skill list",
      said_at: clock.now(),
    });
    expect(await asked()).toEqual([]);
    expect(told("ben")).toEqual([expect.stringContaining("guests")]);
  });

  it("a message whose author cannot be looked up is not taken, so that it is delivered again", async () => {
    const { intake, mention, asked, platform } = createIntake();
    platform.fail("person", new PlatformError("unavailable", "Slack is down."));
    const question = mention("please");
    await expect(intake.message(question)).rejects.toMatchObject({ code: "unavailable" });
    await intake.message(question);
    expect(await asked()).toEqual(["please"]);
  });

  it("a message that the log could not store is rejected, so that it is delivered again", async () => {
    const log = createMemoryTurnLog();
    const { intake, mention, asked } = createIntake({ log });
    const accept = log.accept.bind(log);
    log.accept = () => Promise.reject(new Error("disk full"));
    const question = mention("please");
    await expect(intake.message(question)).rejects.toMatchObject({ code: "not_stored" });
    log.accept = accept;
    await intake.message(question);
    expect(await asked()).toEqual(["please"]);
  });
});

describe("bots", () => {
  it("bots are ignored unless they are listed, and then answered for at most three turns in a row", async () => {
    const { intake, mention, message, asked, platform, told } = createIntake({
      chat: { access: { bots: ["ci"] } },
    });
    platform.people.set("ci", { standing: "bot" });
    const bot = { author: "ci", by_bot: true };
    await intake.message(mention("buy this", { author: "spam", by_bot: true }));
    await intake.message(mention("0", { ...bot, id: "root" }));
    for (const text of ["1", "2", "3"]) await intake.message(mention(text, { ...bot, thread: "root" }));
    expect(await asked()).toEqual(["0", "1", "2"]);
    await intake.message(message("carry on", { thread: "root" }));
    await intake.message(mention("4", { ...bot, thread: "root" }));
    expect(await asked()).toEqual(["0", "1", "2", "4"]);
    expect(told("spam")).toEqual([]);
  });

  it("bots do not count as company and do not continue people's threads by themselves", async () => {
    const { intake, mention, message, asked } = createIntake({ chat: { access: { bots: ["ci"] } } });
    await intake.message(mention("one", { id: "root" }));
    await intake.message(message("build 7 failed", { author: "ci", by_bot: true, thread: "root" }));
    await intake.message(message("two", { thread: "root" }));
    expect(await asked()).toEqual(["one", "two"]);
  });
});

describe("a channel's rule for other bots", () => {
  /** A bot whose operator allows these bots, with a channel rule. */
  function withRule(rule: "ignore" | "mention" | "people" | "default", bots = ["*"]) {
    const fixture = createIntake({ chat: { reply: "always", access: { bots } } });
    for (const id of ["ci", "alerts"]) fixture.platform.people.set(id, { standing: "bot" });
    const by = { id: "mia", name: "Mia", trust: "manager" } as const;
    const set = (text: string) => fixture.ask(text, { by, namespace: channel, thread: "rules", key: text });
    const from = (author: string) => ({ author, by_bot: true });
    const texts = async () => (await fixture.asked()).filter((text) => !text.startsWith("/"));
    return { ...fixture, ready: set(`/agent bots ${rule}`), from, texts };
  }

  it("other bots are ignored until a manager chooses otherwise", async () => {
    const { intake, mention, message, from, texts, ready } = withRule("default");
    await ready;
    await intake.message(mention("build failed", from("ci")));
    await intake.message(message("build failed", from("ci")));
    expect(await texts()).toEqual([]);
  });

  it("they are answered when they mention the bot, or like people", async () => {
    for (const [rule, heard] of [
      ["ignore", []],
      ["mention", ["@ build 7"]],
      ["people", ["@ build 7", "build 8"]],
    ] as const) {
      const { intake, mention, message, from, texts, ready } = withRule(rule);
      await ready;
      await intake.message(mention("@ build 7", from("ci")));
      await intake.message(message("build 8", from("ci")));
      expect(await texts()).toEqual(heard);
    }
  });

  it("a channel cannot answer bots that the operator does not allow, and can ignore those they list", async () => {
    const { intake, mention, from, texts, ready } = withRule("people", ["ci"]);
    await ready;
    await intake.message(mention("one", from("alerts")));
    await intake.message(mention("two", from("ci")));
    expect(await texts()).toEqual(["two"]);
    const other = withRule("ignore", ["ci"]);
    await other.ready;
    await other.intake.message(other.mention("two", other.from("ci")));
    expect(await other.texts()).toEqual([]);
  });

  it("a bot that answers each answer with a new message in the channel is not answered for ever", async () => {
    const { intake, message, from, texts, ready, pass } = withRule("people");
    await ready;
    for (let at = 0; at < 25; at += 1) await intake.message(message(`again ${at}`, from("ci")));
    expect(await texts()).toHaveLength(20);
    await intake.message(message("and I?", { author: "ada" }));
    await intake.message(message("an alert", from("alerts")));
    expect((await texts()).slice(20)).toEqual(["and I?", "an alert"]);
    pass(3_600_000);
    await intake.message(message("later", from("ci")));
    expect((await texts()).at(-1)).toBe("later");
  });

  it("members may not change it", async () => {
    const { app, store } = createIntake();
    const by = { id: "ben", name: "Ben", trust: "member" } as const;
    const input = { ns: channel, settings: { bots: "people" as const } };
    expect(await app.run("channel.change", { input, asker: { by, namespace: channel } })).toMatchObject({
      ok: false,
      status: 403,
    });
    expect((await readNamespace(store, channel)).settings.bots).toBeUndefined();
  });
});

describe("a paused channel", () => {
  it("a paused channel tells each person once an hour and still takes commands", async () => {
    const { intake, mention, asked, told, store, pass } = createIntake();
    await updateNamespace(store, channel, ({ settings }) => {
      settings.paused = { by: "cleo", at: 1 };
    });
    await intake.message(mention("one"));
    await intake.message(mention("two"));
    await intake.message(mention("agent status"));
    expect(await asked()).toEqual(["@Knack agent status"]);
    // The command is answered at any time.
    const toldOfPause = () => told("ada").filter((text) => text.includes("did not answer"));
    expect(toldOfPause()).toHaveLength(1);
    pass(61 * 60_000);
    await intake.message(mention("three"));
    expect(toldOfPause()).toHaveLength(2);
  });
});

describe("the cooldown", () => {
  it("the cooldown says how long to wait, does not count redeliveries, and ends", async () => {
    const { intake, mention, asked, told, pass, events, turnOf } = createIntake({
      chat: { access: { cooldown_ms: 30_000 } },
    });
    const first = mention("one");
    await Promise.all([intake.message(first), intake.message(first)]);
    await events(await turnOf(first));
    pass(10_000);
    await intake.message(mention("two"));
    await intake.message(mention("three", { author: "ben" }));
    expect(await asked()).toEqual(["one", "three"]);
    expect(told("ada")).toEqual([expect.stringMatching(/again in (19|20) seconds/)]);
    pass(20_000);
    await intake.message(mention("four"));
    expect(await asked()).toEqual(["one", "three", "four"]);
  });

  it("the cooldown counts neither missed messages nor those too long to take", async () => {
    const { intake, mention, asked, told } = createIntake({ chat: { access: { cooldown_ms: 30_000 } } });
    await intake.message(mention("x".repeat(2_000_001)));
    expect(told("ada")).toEqual([expect.stringContaining("at most 2000000")]);
    await intake.message(mention("one"));
    await intake.message(mention("two", { missed: true }));
    expect(await asked()).toEqual(["one", "two"]);
  });

  it("the cooldown does not keep a person from their running turn", async () => {
    const { gate, open } = createGate();
    const { intake, mention, message, asked } = createIntake({
      model: scriptedModel(["ok"], { gate }),
      chat: { access: { cooldown_ms: 30_000 } },
    });
    await intake.message(mention("one", { id: "root" }));
    await intake.message(message("shorter, please", { thread: "root" }));
    expect(await asked()).toEqual(["one", "shorter, please"]);
    open();
  });
});

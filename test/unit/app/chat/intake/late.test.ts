import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { createMemoryKeyValue } from "../../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { channel, createIntake } from "./fixture.ts";

const hour = 3_600_000;

/** The cards that ask whether late messages are still wanted. */
const cards = (platform: FakePlatform) =>
  platform
    .visible()
    .filter((each) => each.message.buttons?.some((button) => button.id.startsWith("wanted:")));

const buttons = (platform: FakePlatform) => {
  const [wanted, unwanted] = cards(platform)[0]?.message.buttons ?? [];
  return { wanted: wanted?.id ?? "", unwanted: unwanted?.id ?? "" };
};

describe("a message that comes too late", () => {
  it("a late message is asked about once in its thread, and answered when its author wants it", async () => {
    const { intake, mention, asked, told, platform, pass, press } = createIntake();
    const question = mention("what is for lunch?", { id: "q", missed: true });
    pass(3 * hour);
    await intake.message(question);
    await intake.message(question);
    expect(await asked()).toEqual([]);
    const [card, ...more] = cards(platform);
    expect(more).toEqual([]);
    expect(card).toMatchObject({ place: question.place, to: { person: "ada", message: "q" } });
    expect(card?.message.markdown).toMatch(/3 hours ago[\s\S]*Still want[\s\S]*what is for lunch/);

    const { wanted } = buttons(platform);
    await press(wanted, "ben", { place: question.place });
    expect(told("ben")).toEqual([expect.stringContaining("Only ada")]);
    expect(await asked()).toEqual([]);

    const where = { place: question.place, reference: card?.reference ?? "" };
    await Promise.all([press(wanted, "ada", where), press(wanted, "ada", where)]);
    expect(await asked()).toEqual(["what is for lunch?"]);
    expect(told("ada")).toEqual([expect.stringContaining("closed")]);
    await platform.until(() => (cards(platform).length === 0 ? true : undefined));
    await intake.message(question);
    expect(cards(platform)).toEqual([]);
  });

  it.each(["decided", "deleted"])("a late message is kept nowhere once it is %s", async (how) => {
    const store = createMemoryKeyValue();
    const { intake, mention, platform, pass, press } = createIntake({ store });
    const files = [{ id: "f", name: "diary.txt", media_type: "text/plain", bytes: 1 }];
    const { place, key, ...question } = mention("my secret", { missed: true, files });
    pass(hour);
    await intake.message({ ...question, place, key });
    const late = async () =>
      JSON.stringify((await store.get(`chat-late:${place.namespace}:${place.thread}`)) ?? "");
    expect(await late()).toContain("my secret");
    if (how === "decided") await press(buttons(platform).unwanted, "ada", { place });
    else await intake.removed({ key, place });
    expect(await late()).not.toMatch(/secret|diary/);
  });

  it("a late message is asked about once by a process that takes over right after it was asked", async () => {
    const log = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    const platform = createFakePlatform();
    const first = createIntake({ log, store, platform });
    const question = first.mention("what is for lunch?", { missed: true });
    first.pass(hour);
    platform.fail("post", new PlatformError("unavailable", "the line broke"), { after: true });
    await expect(first.intake.message(question)).rejects.toThrow();
    const second = createIntake({ log, store, platform });
    second.pass(hour);
    await second.intake.message(question);
    expect(cards(platform)).toHaveLength(1);
    await second.press(buttons(platform).unwanted, "ada", { place: question.place });
    await platform.until(() => (cards(platform).length === 0 ? true : undefined));
  });

  it("a late message is answered for its author when a manager wants it", async () => {
    const { intake, mention, app, platform, pass, press } = createIntake();
    platform.people.set("cleo", { trust: "manager" });
    const question = mention("what is for lunch?");
    pass(hour);
    await intake.message(question);
    await press(buttons(platform).wanted, "cleo", { place: question.place });
    const [turn] = await app.turns({ namespace: channel });
    expect(turn).toMatchObject({ text: "what is for lunch?", author: { id: "ada" } });
  });

  it("a thread with several late messages has one card that counts, which runs the newest", async () => {
    const { intake, mention, asked, platform, pass, press } = createIntake();
    const place = { namespace: channel, thread: "root" };
    const messages = ["one", "two", "three"].map((text) => {
      pass(1_000);
      return mention(text, { thread: "root" });
    });
    pass(hour);
    await Promise.all(messages.map((message) => intake.message(message)));
    expect(cards(platform)).toHaveLength(1);
    expect(cards(platform)[0]?.message.markdown).toMatch(/3 messages[\s\S]*three/);
    await intake.removed({ key: messages[0]?.key ?? "", place });
    await press(buttons(platform).wanted, "ada", { place });
    expect(await asked()).toEqual(["three"]);
  });

  it("a question that could not be changed for another late message is changed when that is delivered again", async () => {
    const { intake, mention, platform, pass } = createIntake();
    const [one, two] = ["one", "two"].map((text) => mention(text, { thread: "root" }));
    if (one === undefined || two === undefined) throw new Error("two were said");
    pass(hour);
    await intake.message(one);
    platform.fail("edit", new PlatformError("unavailable", "the line broke"));
    await expect(intake.message(two)).rejects.toThrow("the line broke");
    await intake.message(two);
    expect(cards(platform).map(({ message }) => message.markdown)).toEqual([
      expect.stringContaining("2 messages"),
    ]);
  });

  it("a late message that is not wanted is dropped, and not asked about again after a restart", async () => {
    const log = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    const first = createIntake({ log, store });
    const question = first.mention("what is for lunch?", { missed: true });
    first.pass(hour);
    await first.intake.message(question);
    await first.press(buttons(first.platform).unwanted, "ada", { place: question.place });
    const second = createIntake({ log, store });
    second.pass(hour);
    await second.intake.message(question);
    expect(cards(second.platform)).toEqual([]);
    expect(await second.asked()).toEqual([]);
  });

  it("a new late message is asked about after a decision, and the old question is closed", async () => {
    const { intake, mention, asked, told, platform, pass, press } = createIntake();
    const place = { namespace: channel, thread: "root" };
    const [one, two] = [mention("one", { thread: "root" }), mention("two", { thread: "root" })];
    pass(hour);
    await intake.message(one);
    const old = buttons(platform);
    await press(old.unwanted, "ada", { place });
    await platform.until(() => (cards(platform).length === 0 ? true : undefined));
    await intake.message(two);
    expect(cards(platform)).toHaveLength(1);
    await press(old.wanted, "ada", { place });
    expect(await asked()).toEqual([]);
    expect(told("ada")).toEqual([expect.stringContaining("closed")]);
  });

  it("a late message comes again while the platform cannot be asked, and is dropped where the bot may not speak", async () => {
    const { intake, mention, platform, pass } = createIntake();
    const [one, two] = [mention("one", { thread: "a" }), mention("two", { thread: "b" })];
    pass(hour);
    platform.fail("post", new PlatformError("unavailable", "Slack is down."));
    await expect(intake.message(one)).rejects.toMatchObject({ code: "unavailable" });
    await intake.message(one);
    expect(cards(platform)).toHaveLength(1);
    platform.fail("post", new PlatformError("forbidden", "Not here."));
    await intake.message(two);
    expect(cards(platform)).toHaveLength(1);
  });

  it("a late message can still be wanted after a restart", async () => {
    const log = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    const platform = createFakePlatform();
    const first = createIntake({ log, store, platform });
    const question = first.mention("what is for lunch?");
    first.pass(hour);
    await first.intake.message(question);
    const second = createIntake({ log, store, platform });
    await second.press(buttons(platform).wanted, "ada", { place: question.place });
    expect(await second.asked()).toEqual(["what is for lunch?"]);
  });

  it("a late message is not asked about any more when its author deletes it", async () => {
    const { intake, mention, asked, platform, pass, press, told } = createIntake();
    const question = mention("what is for lunch?");
    pass(hour);
    await intake.message(question);
    const { wanted } = buttons(platform);
    await intake.removed(question);
    await platform.until(() => (cards(platform).length === 0 ? true : undefined));
    await press(wanted, "ada", { place: question.place });
    expect(await asked()).toEqual([]);
    expect(told("ada")).toHaveLength(1);
  });

  it("late commands are reported as not run", async () => {
    const { intake, mention, asked, told, platform, pass } = createIntake();
    const stop = mention("stop");
    const said_at = stop.said_at;
    pass(hour);
    await intake.message(stop);
    const place = { namespace: channel, thread: "commands" };
    await intake.command({ key: "c", place, id: "c", author: "ada", text: "/skill reload", said_at });
    expect(await asked()).toEqual([]);
    expect(told("ada")).toHaveLength(2);
    expect(cards(platform)).toEqual([]);
  });

  it("a late message is left alone where the bot was not spoken to, and when a bot wrote it", async () => {
    const { intake, message, mention, asked, platform, pass } = createIntake({
      chat: { reply: "always", access: { bots: ["ci"] } },
    });
    const question = message("anybody hungry?", { missed: true });
    const machine = mention("report", { author: "ci", by_bot: true });
    pass(hour);
    await intake.message(question);
    await intake.message(machine);
    expect(await asked()).toEqual([]);
    expect(platform.shown).toEqual([]);
  });
});

describe("what was taken already", () => {
  it("a message that was already taken is neither refused nor called late when it is delivered again", async () => {
    const log = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    const first = createIntake({ log, store });
    const question = first.mention("one");
    const place = { namespace: channel, thread: "commands" };
    const command = { key: "c", place, id: "c", author: "ada", text: "/help", said_at: question.said_at };
    await first.intake.message(question);
    await first.intake.command(command);
    const second = createIntake({ log, store });
    second.platform.people.set("ada", { standing: "guest" });
    second.pass(hour);
    await second.intake.message(question);
    await second.intake.command(command);
    expect(second.told("ada")).toEqual([]);
    expect(await second.asked()).toEqual(["one", "/help"]);
  });
});

describe("looking back after a time without connection", () => {
  it("catching up takes fresh missed messages, and none twice", async () => {
    const log = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    const first = createIntake({ log, store });
    const seen = first.mention("one", { id: "root" });
    await first.intake.message(seen);
    const missed = first.mention("two", { thread: "root", missed: true });
    const unaddressed = first.message("three", { thread: "root", missed: true });
    const second = createIntake({ log, store });
    second.pass(5 * 60_000);
    for (const message of [{ ...seen, missed: true as const }, missed, missed, unaddressed])
      await second.intake.message(message);
    expect(await second.asked()).toEqual(["one", "two", "three"]);
    await second.platform.until(() => (second.platform.seen.size === 2 ? true : undefined));
    expect(second.platform.seen).toEqual(new Set([missed.id, unaddressed.id]));
  });

  it("catching up names active channels and threads and looks back to the last connection", async () => {
    const { intake, mention, message, pass, turnOf, events } = createIntake({
      chat: { catch_up_ms: 24 * hour },
    });
    expect((await intake.missed("fake")).places).toEqual([]);
    const old = mention("one", { id: "old" });
    await intake.message(old);
    await events(await turnOf(old));
    await intake.message(message("hi", { namespace: "fake:team:dm-ada", thread: "dm", addressed: "direct" }));
    pass(25 * hour);
    const now = mention("two", { id: "new" });
    await intake.message(now);
    await intake.seen("fake");
    pass(hour);
    const { since, places } = await intake.missed("fake");
    expect(since).toBeGreaterThan(now.said_at - 10 * 60_000);
    expect(since).toBeLessThanOrEqual(now.said_at);
    // Those used last come first.
    expect(places).toEqual([
      { namespace: channel, thread: "channel" },
      { namespace: channel, thread: "new" },
      { namespace: "fake:team:dm-ada", thread: "dm" },
    ]);
    pass(48 * hour);
    expect((await intake.missed("fake")).since).toBeGreaterThan(now.said_at + 24 * hour);
  });

  it("catching up covers channels the bot was invited to but has not spoken in, until it leaves", async () => {
    const { intake } = createIntake();
    await intake.joined({ namespace: channel });
    expect((await intake.missed("fake")).places).toEqual([{ namespace: channel, thread: "channel" }]);
    expect((await intake.missed("other")).places).toEqual([]);
    await intake.left(channel);
    expect((await intake.missed("fake")).places).toEqual([]);
  });

  it("a bot has missed nothing before its first connection", async () => {
    const { intake, mention } = createIntake();
    const before = mention("now").said_at;
    expect((await intake.missed("fake")).since).toBeGreaterThanOrEqual(before);
  });
});

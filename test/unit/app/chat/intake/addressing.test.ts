import { describe, expect, it, vi } from "vitest";
import type { ThreadMessage } from "../../../../../src/core/ports/chat-actions.ts";
import { updateNamespace } from "../../../../../src/core/skill/namespace-state.ts";
import { eventually } from "../../../../support/eventually.ts";
import { follow } from "../../../../support/follow.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { channel, createIntake, direct } from "./fixture.ts";

const heard = (id: string, name: string, more: Partial<ThreadMessage["author"]> = {}): ThreadMessage => ({
  id: `${id}-${name}`,
  author: { id: name, name, bot: false, self: false, ...more },
  text: "…",
  at: 1,
  files: [],
});

describe("what the bot takes as meant for it", () => {
  it("the bot takes a mention in the thread it opens, marks it as seen, and ignores what people say to each other", async () => {
    const { intake, mention, message, asked, app, platform } = createIntake();
    const question = mention("what is new?");
    await intake.message(message("lunch?"));
    await intake.message(message("@Ben lunch?", { mentions_others: true }));
    await intake.message(question);
    expect(await asked()).toEqual(["what is new?"]);
    const [turn] = await app.turns({ namespace: channel });
    expect(turn).toMatchObject({ thread: question.id, author: { id: "ada", trust: "member" } });
    await platform.until(() => (platform.seen.has(question.id) ? true : undefined));
  });

  it("a message is marked before its turn can begin, and not for long if it cannot be stored", async () => {
    const { intake, mention, log, platform } = createIntake();
    const accept = log.accept.bind(log);
    const marked: boolean[] = [];
    log.accept = (inbound, ...rest) => {
      marked.push(platform.seen.has(inbound.origin?.message ?? ""));
      return marked.length === 1 ? Promise.reject(new Error("disk full")) : accept(inbound, ...rest);
    };
    const question = mention("what is new?");
    await expect(intake.message(question)).rejects.toThrow();
    await platform.until(() => (platform.seen.has(question.id) ? undefined : true));
    await intake.message(question);
    expect(marked).toEqual([true, true]);
  });

  it("the bot continues with the asker in the thread without a mention until somebody else speaks there", async () => {
    const { intake, mention, message, asked } = createIntake();
    await intake.message(mention("one", { id: "root" }));
    await intake.message(message("two", { thread: "root" }));
    await intake.message(message("interesting", { thread: "root", author: "ben" }));
    await intake.message(message("what do you think, Ben?", { thread: "root" }));
    expect(await asked()).toEqual(["one", "two"]);
    await intake.message(mention("three", { thread: "root" }));
    await intake.message(message("four", { thread: "root" }));
    expect(await asked()).toEqual(["one", "two", "three"]);
  });

  it.each([
    ["mentions somebody", { text: "what do you say, @Ben?", mentions_others: true }],
    ["begins with somebody's name", { text: "@ben see above", mentions_others: false }],
  ])("the bot leaves alone a follow-up that %s", async (_case, { text, mentions_others }) => {
    const { intake, mention, message, asked } = createIntake();
    await intake.message(mention("one", { id: "root" }));
    await intake.message(message(text, { thread: "root", mentions_others }));
    expect(await asked()).toEqual(["one"]);
  });

  it("the bot waits for a mention after the asker brings somebody in", async () => {
    const { intake, mention, message, asked } = createIntake();
    await intake.message(mention("one", { id: "root" }));
    await intake.message(message("what do you say, @Ben?", { thread: "root", mentions_others: true }));
    await intake.message(message("fine then", { thread: "root" }));
    expect(await asked()).toEqual(["one"]);
  });

  it("the bot answers only mentions after it is called into a thread of several people", async () => {
    const { intake, mention, message, asked, platform, store } = createIntake();
    platform.threads.set("old", [heard("1", "ada"), heard("2", "ben"), heard("3", "cleo")]);
    await intake.message(mention("sum this up", { thread: "old" }));
    await eventually(async () =>
      expect(await store.get(`chat-thread:${channel}:old`)).toMatchObject({ company: "company" }),
    );
    await intake.message(message("I agree", { thread: "old" }));
    await intake.message(mention("and the costs?", { thread: "old", author: "ben" }));
    expect(await asked()).toEqual(["sum this up", "and the costs?"]);
  });

  it("the bot needs no further mention after it is called into a thread of the asker alone or with bots", async () => {
    const { intake, mention, message, asked, platform, store } = createIntake();
    platform.threads.set("old", [
      heard("1", "ada"),
      heard("2", "ci", { bot: true }),
      heard("3", "knack", { self: true }),
    ]);
    await intake.message(mention("why did it fail?", { thread: "old" }));
    await eventually(async () =>
      expect(await store.get(`chat-thread:${channel}:old`)).toMatchObject({ company: "alone" }),
    );
    await intake.message(message("and now?", { thread: "old" }));
    expect(await asked()).toEqual(["why did it fail?", "and now?"]);
  });

  it("the bot waits for mentions when two people call it into a thread at the same time", async () => {
    const { intake, mention, message, asked } = createIntake();
    const two = ["ada", "ben"].map((author) => mention(author, { author, thread: "root" }));
    await Promise.all(two.map((each) => intake.message(each)));
    for (const author of ["ada", "ben"]) await intake.message(message("more", { author, thread: "root" }));
    expect((await asked()).sort()).toEqual(["ada", "ben"]);
  });

  it("the bot takes a follow-up that arrives while the mention is still being examined, in order", async () => {
    const { intake, mention, message, asked, platform } = createIntake();
    const known = Promise.withResolvers<void>();
    const { person } = platform;
    platform.person = (place, id) => known.promise.then(() => person(place, id));
    const first = intake.message(mention("one", { id: "root" }));
    platform.person = person;
    const second = intake.message(message("two", { thread: "root" }));
    known.resolve();
    await Promise.all([first, second]);
    expect(await asked()).toEqual(["one", "two"]);
  });

  it("the bot takes a message without waiting for the thread to be read", async () => {
    const { intake, mention, asked, platform } = createIntake();
    platform.readThread = () => new Promise(() => {});
    await intake.message(mention("sum this up", { thread: "old" }));
    expect(await asked()).toEqual(["sum this up"]);
  });

  it.each([
    ["mention", ["called"]],
    ["thread", ["called", "follow-up"]],
    ["always", ["top", "called", "follow-up"]],
  ] as const)("the bot in a channel with reply %s takes %j", async (reply, expected) => {
    const { intake, mention, message, asked, store } = createIntake({ chat: { reply: "mention" } });
    await updateNamespace(store, channel, ({ settings }) => {
      settings.reply = reply;
    });
    await intake.message(message("top"));
    await intake.message(message("for @Ben", { mentions_others: true }));
    await intake.message(mention("called", { id: "root" }));
    await intake.message(message("follow-up", { thread: "root" }));
    expect(await asked()).toEqual(expected);
  });

  it("the bot takes replies to its messages, but not what is said there to somebody else", async () => {
    const { intake, message, asked } = createIntake();
    await intake.message(message("really?", { addressed: "reply", thread: "x" }));
    await intake.message(message("@Ben see?", { addressed: "reply", thread: "x" }));
    expect(await asked()).toEqual(["really?"]);
  });

  it("the bot asks the platform nothing, and the store for the thread alone, for messages that are not meant for it", async () => {
    const { intake, message, platform, store } = createIntake();
    await intake.message(message("hi", { thread: "theirs" }));
    const reads = vi.spyOn(store, "get");
    for (let index = 0; index < 100; index += 1)
      await intake.message(message(`hi ${index}`, { thread: "theirs", author: `p${index % 3}` }));
    expect(reads.mock.calls.filter(([key]) => key.startsWith("chat-"))).toHaveLength(100);
    expect(platform.calls).toEqual([]);
  });
});

describe("what is remembered of threads", () => {
  it("thread memory is written only when it changes", async () => {
    const { intake, mention, message, store } = createIntake();
    const updates = vi.spyOn(store, "update");
    const written = () => updates.mock.calls.filter(([key]) => key.startsWith("chat-thread:")).length;
    await intake.message(mention("one", { id: "root" }));
    for (const text of ["two", "three"]) await intake.message(message(text, { thread: "root" }));
    expect(written()).toBe(1);
    for (const text of ["hm", "so"]) await intake.message(message(text, { thread: "root", author: "ben" }));
    expect(written()).toBe(2);
  });
});

describe("commands as text", () => {
  it("the bot understands `@bot stop` and a follow-up `stop` in a thread as commands", async () => {
    const { intake, mention, message, app } = createIntake();
    await intake.message(mention("work", { id: "root" }));
    await intake.message(mention("stop", { thread: "root" }));
    await intake.message(message("stop", { thread: "root" }));
    const kinds = (await app.turns({ namespace: channel })).map((turn) => turn.kind);
    expect(kinds).toEqual(["command", "command", "message"]);
  });

  it("the bot takes `stop` and `/skill list` in a direct message as commands, and other text with a slash as text", async () => {
    const { intake, message, app } = createIntake();
    for (const text of ["stop", "/skill list", "/etc/hosts is empty, why?"])
      await intake.message(message(...direct(text)));
    const turns = await app.turns({ namespace: "fake:team:dm-ada" });
    expect(turns.map(({ kind, text }) => [kind, text]).reverse()).toEqual([
      ["command", "@Knack stop"],
      ["command", "/skill list"],
      ["message", "/etc/hosts is empty, why?"],
    ]);
  });

  it("the bot takes paths as text where it answers everything", async () => {
    const { intake, message, app } = createIntake({ chat: { reply: "always" } });
    await intake.message(message("/etc/hosts is empty"));
    expect(await app.turns({ namespace: channel })).toMatchObject([
      { kind: "message", text: "/etc/hosts is empty" },
    ]);
  });

  it("the bot answers an empty mention with a line of help, once per message, and takes files without a text", async () => {
    const { intake, mention, asked, told } = createIntake();
    const empty = mention(" ");
    await Promise.all([intake.message(empty), intake.message(empty)]);
    expect(told("ada")).toEqual([expect.stringContaining("/skill list")]);
    const file = { id: "f1", name: "plan.pdf", media_type: "application/pdf", bytes: 3 };
    await intake.message(mention("", { files: [file] }));
    expect(await asked()).toEqual(["(see the attached files)"]);
  });
});

describe("direct messages", () => {
  it("direct messages share neither skills nor history with channels", async () => {
    const skill = testSkill("memory");
    const { intake, message, mention, app, asked, store } = createIntake({ skills: [skill] });
    await intake.message(message(...direct("/skill enable memory")));
    const [enabling] = await app.turns({ namespace: "fake:team:dm-ada" });
    for await (const event of follow(app, enabling?.turn_id ?? ""))
      if (event.type === "turn_finished") expect(event.outcome).toBe("completed");
    await intake.message(message(...direct("and you?")));
    await intake.message(mention("hello"));
    expect(await store.get("chat-thread:fake:team:dm-ada:dm")).toBeUndefined();
    expect((await app.skills.detail("memory", "fake:team:dm-ada"))?.state).toBe("pinned");
    expect((await app.skills.detail("memory", channel))?.state).toBe("available");
    expect(await asked()).toEqual(["hello"]);
  });
});

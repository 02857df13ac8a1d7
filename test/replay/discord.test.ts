import { describe, expect, test } from "vitest";
import { ownWords } from "../../src/platforms/discord/channel/said-text.ts";
import { testSkill } from "../support/skills/test-skill.ts";
import { replayedDiscord } from "./support/replayed-discord.ts";

const channel = "discord:1000000000000000100:1000000000000000110";
const thread = /^POST \/channels\/1300000000000000001\/messages$/;
const unmark = /^DELETE .*\/reactions\/.*\/@me$/;
const callback = /^POST \/interactions\/\d+\/interaction-token\/callback$/;

const greeter = testSkill(
  "greeter",
  [{ name: "greeter", run: (input) => `Hello ${(input as { who: string }).who}!` }],
  { parameters: [{ name: "who", type: "string", description: "Whom to greet", required: true }] },
);

/** What people read of a message as it was sent. */
const words = (request: { body: object } | undefined) => ownWords(request?.body ?? {});

describe("what people write", () => {
  test.each(["mention", "role-mention", "question"])(
    "a message (%s) is answered in a thread of its own",
    async (fixture) => {
      const discord = await replayedDiscord();
      discord.dispatch("MESSAGE_CREATE", fixture);
      const [post] = await discord.until(thread);
      expect(words(post)).toBe("Hello.");
      expect(post?.body).toMatchObject({ allowed_mentions: { parse: [] } });
      await discord.until(unmark);
      expect(discord.changes().filter(({ what }) => what.endsWith("/threads"))).toHaveLength(1);
    },
  );

  test("a thread is named without the marks and the spoilers of its message", async () => {
    const discord = await replayedDiscord();
    discord.dispatch("MESSAGE_CREATE", "spoiler");
    const [begun] = await discord.until(/\/threads$/);
    expect(begun?.body).toMatchObject({ name: "who is █████, a || b or snake_case?" });
  });

  test("a channel has its name, and its topic as people read it", async () => {
    const discord = await replayedDiscord();
    discord.dispatch("MESSAGE_CREATE", "question");
    await discord.until(unmark);
    expect(await discord.platform.describe({ namespace: channel, thread: "channel" })).toEqual({
      name: "general",
      topic: "Ask @knack about #general",
    });
    const [turn] = await discord.app.app.turns({ namespace: channel, limit: 1 });
    expect(turn?.author.time_zone).toBeUndefined();
  });

  test("a direct message is answered there", async () => {
    const discord = await replayedDiscord();
    discord.dispatch("MESSAGE_CREATE", "direct-message");
    const [post] = await discord.until(/^POST \/channels\/1000000000000000300\/messages$/);
    expect(words(post)).toBe("Hello.");
  });

  test.each(["to-somebody-else", "webhook", "pinned-note"])(
    "a message (%s) leaves no trace",
    async (fixture) => {
      const discord = await replayedDiscord();
      discord.dispatch("MESSAGE_CREATE", fixture);
      discord.dispatch("MESSAGE_CREATE", "direct-message");
      await discord.until(/^POST \/channels\/1000000000000000300\/messages$/);
      expect(await discord.app.app.turns({ namespace: channel, limit: 10 })).toEqual([]);
      expect(discord.changes().filter(({ what }) => what.includes("1000000000000000110"))).toEqual([]);
    },
  );

  test("a repeated message, a link preview and a late edit change nothing", async () => {
    const discord = await replayedDiscord();
    discord.dispatch("MESSAGE_CREATE", "question");
    await discord.until(unmark);
    discord.dispatch("MESSAGE_CREATE", "question");
    discord.dispatch("MESSAGE_UPDATE", "unfurled");
    discord.dispatch("MESSAGE_UPDATE", "edited");
    discord.dispatch("INTERACTION_CREATE", "command");
    await discord.until(callback);
    discord.dispatch("MESSAGE_CREATE", "direct-message");
    await discord.until(/^POST \/channels\/1000000000000000300\/messages$/);
    const turns = await discord.app.app.turns({ namespace: channel, limit: 10 });
    expect(turns.filter(({ kind }) => kind === "message")).toHaveLength(1);
  });

  test.each([
    ["MESSAGE_DELETE", "deleted"],
    ["MESSAGE_DELETE_BULK", "deleted-bulk"],
  ])("the event %s of a question takes the answer and the texts with it", async (event, fixture) => {
    const discord = await replayedDiscord();
    discord.dispatch("MESSAGE_CREATE", "question");
    await discord.until(unmark);
    discord.dispatch(event, fixture);
    await discord.until(/^DELETE \/channels\/1300000000000000001\/messages\/\d+$/);
    const texts = async () => JSON.stringify(await discord.app.app.turns({ namespace: channel, limit: 10 }));
    await expect.poll(texts, { timeout: 10_000 }).not.toContain("2 + 2");
  });

  test("a server that was left is not searched for missed messages, but one with an outage is", async () => {
    const discord = await replayedDiscord();
    const joined = () => discord.app.store.get("chat-joined:discord");
    await discord.app.store.set("chat-joined:discord", [channel]);
    discord.dispatch("GUILD_DELETE", "guild-unavailable");
    discord.dispatch("MESSAGE_CREATE", "question");
    await discord.until(unmark);
    expect(await joined()).toEqual([channel]);
    discord.dispatch("GUILD_DELETE", "guild-left");
    await expect.poll(joined).toEqual([]);
  });
});

describe("what people do", () => {
  test("a command is acknowledged at once and answered only for its author", async () => {
    const discord = await replayedDiscord();
    discord.dispatch("INTERACTION_CREATE", "command");
    const [first] = await discord.until(callback);
    expect(first?.body).toMatchObject({ type: 5, data: { flags: 64 } });
    const [answer] = await discord.until(/^(PATCH|POST) \/webhooks\//);
    expect(words(answer)).not.toBe("");
  });

  test("a command in direct messages between people stays there, and is no address of the bot", async () => {
    const discord = await replayedDiscord();
    discord.dispatch("INTERACTION_CREATE", "command-between-people");
    const [first] = await discord.until(callback);
    expect(first?.body).toMatchObject({ type: 5, data: { flags: 64 } });
    await discord.until(/^PATCH \/webhooks\//);
    const place = { namespace: "discord:dm:dm-1000000000000000201", thread: "dm" };
    expect(await discord.app.app.turns({ namespace: place.namespace, limit: 1 })).toHaveLength(1);
    await discord.platform.post(place, { markdown: "Here." });
    await discord.until(/^POST \/channels\/1000000000000000300\/messages$/);
    expect(discord.changes().filter(({ what }) => what.includes("1000000000000000777"))).toEqual([]);
  });

  test("a typed command is completed", async () => {
    const discord = await replayedDiscord([], { skills: [greeter] });
    discord.dispatch("INTERACTION_CREATE", "autocomplete");
    const [choices] = await discord.until(callback);
    expect(choices?.body).toMatchObject({ type: 8, data: { choices: [{ value: "greeter" }] } });
  });

  test("a skill without its values opens a form, which runs it", async () => {
    const discord = await replayedDiscord([], { skills: [greeter] });
    discord.dispatch("INTERACTION_CREATE", "run-command");
    const [opened] = await discord.until(callback);
    expect(opened?.body).toMatchObject({ type: 9 });
    const { custom_id = "" } = (opened?.body.data ?? {}) as { custom_id?: string };
    discord.dispatch("INTERACTION_CREATE", "modal-submit", { form: custom_id });
    const [answer] = await discord.until(/^(PATCH|POST) \/webhooks\//);
    expect(words(answer)).toContain("Hello Mia!");
  });

  test("a press on Try again answers once more", async () => {
    const discord = await replayedDiscord(["Hello.", "Hello again."]);
    discord.dispatch("MESSAGE_CREATE", "question");
    await discord.until(unmark);
    const [turn] = await discord.app.app.turns({ namespace: channel, limit: 1 });
    const replaced = { turn: turn?.turn_id ?? "", message: "1300000000000000008" };
    discord.dispatch("INTERACTION_CREATE", "button", replaced);
    const [first] = await discord.until(callback);
    expect(first?.body).toMatchObject({ type: 6 });
    const posts = await discord.until(thread, 2);
    expect(posts.map(words)).toEqual(["Hello.", "Hello again."]);
  });

  test("“Ask Knack about this” is answered in a thread of that message", async () => {
    const discord = await replayedDiscord();
    discord.dispatch("INTERACTION_CREATE", "message-command");
    await discord.until(/^POST \/channels\/1300000000000000007\/messages$/);
    expect(JSON.stringify(discord.model.requests[0]?.messages)).toContain("the flux is inverted");
  });
});

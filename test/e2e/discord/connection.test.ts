import { describe, expect, test } from "vitest";
import type { ChatPlatform } from "../../../src/core/ports/chat-platform.ts";
import { type Clock, type KeyValue, scopeKeyValue } from "../../../src/core/ports/storage.ts";
import { createDiscordConnection } from "../../../src/platforms/discord/create-discord-connection.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import type { DiscordServer } from "../../support/discord/discord-server.ts";
import { exampleToken, exampleWorld, ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { createTestApp } from "../../support/test-app.ts";
import { discordBot, fakeDiscord, next, said } from "../support/discord-bot.ts";

const mention = `<@${ids.bot}>`;
const general = ids.general;

/** The platform as the app sees it, without a gateway. */
function platformOf(discord: DiscordServer, store: KeyValue): ChatPlatform {
  let platform: ChatPlatform | undefined;
  const { app, chat } = createTestApp(scriptedModel(["-"]));
  createDiscordConnection({
    settings: { token: exampleToken, api_url: discord.apiUrl, shards: "auto", operators: [] },
    hub: {
      connect(connected) {
        platform = connected;
        return chat.connect(connected);
      },
    },
    app,
    store,
    sealed: scopeKeyValue(store, "sealed:"),
    leases: createKeyValueLeases(store, "test"),
    clock: systemClock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  if (platform === undefined) throw new Error("no platform was connected");
  return platform;
}

describe("messages that came while there was no connection", () => {
  test("messages of a lost session are looked for and answered, once", async () => {
    const discord = await fakeDiscord();
    const model = scriptedModel(["First.", "Second."]);
    const store = createMemoryKeyValue();
    await discordBot(discord, model, { store });
    const first = await discord.say({ user: ids.adam, channel: general, content: `${mention} one` });
    await discord.until((state) => said(state, first));
    await store.set("chat-seen:discord", Date.now());

    await discord.holdConnections(true);
    await discord.disconnect({ invalid: "gone" });
    await discord.until(({ sessions }) => sessions.every(({ connected }) => !connected));
    const second = await discord.say({ user: ids.adam, channel: general, content: `${mention} two` });
    await discord.holdConnections(false);

    const [answer] = await discord.until((state) => said(state, second));
    expect(answer?.content).toBe("Second.");
    expect(said(await discord.state(), first)).toHaveLength(1);
  });

  test("messages are found however late they are looked for", async () => {
    const discord = await fakeDiscord();
    const store = createMemoryKeyValue();
    let passed = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + passed,
      // More than a minute passes between the connection and the look.
      after: (ms, callback) =>
        systemClock.after(ms, () => {
          if (ms === 50) passed += 61_000;
          callback();
        }),
    };
    await store.set("chat-seen:discord", Date.now());
    const message = await discord.say({ user: ids.adam, channel: general, content: `${mention} one` });
    await discordBot(discord, scriptedModel(["First."]), { store, clock });

    await discord.until((state) => said(state, message));
  });

  test("messages of a session that continues are delivered by Discord", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["Here."]));

    await discord.disconnect({ abrupt: true });
    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });

    await discord.until((state) => said(state, id));
    expect((await discord.state()).sessions.some(({ resumes }) => resumes > 0)).toBe(true);
  });
});

test("a bot stopped while it pauses before reconnecting stays away", async () => {
  const discord = await fakeDiscord();
  const bot = await discordBot(discord, scriptedModel(["-"]));
  const [first] = (await discord.state()).sessions;
  await discord.disconnect({ abrupt: true });
  await discord.until(({ sessions }) => sessions.every(({ connected }) => !connected));
  await expect.poll(() => bot.connection.status().detail).toContain("connecting again");

  await bot.connection.stop();
  // Another bot pauses later and as long: once it is back, the first would have been.
  await discordBot(discord, scriptedModel(["-"]));
  await discord.disconnect({ abrupt: true });

  const { sessions } = await discord.until((state) =>
    state.sessions.some(({ id, resumes }) => id !== first?.id && resumes > 0) ? state : undefined,
  );
  expect(sessions.find(({ id }) => id === first?.id)?.resumes ?? 0).toBe(0);
});

describe("what Discord does not allow", () => {
  test("a turn and its asker are told which permissions are missing where the bot may not write", async () => {
    const discord = await fakeDiscord();
    const { app } = await discordBot(discord, scriptedModel(["Here."]));
    const deny = ["SendMessages", "CreatePublicThreads"] as const;
    await discord.setOverwrites({ channel: general, overwrites: [{ id: ids.bot, kind: "member", deny }] });
    const problems = next(app, "error", 1);

    await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });

    const [problem] = await problems;
    expect(problem?.message).toContain("#general");
    expect(problem?.message).toContain("Send Messages, Create Public Threads");
    const dm = await discord.openDm(ids.adam);
    const [told] = await discord.until((state) => said(state, dm));
    expect(told?.content).toContain("Send Messages");
  });

  test("a bot without the message content intent answers mentions and replies, and says so", async () => {
    const { application } = exampleWorld();
    const discord = await fakeDiscord({ application: { ...application, privileged: [] } });
    const bot = await discordBot(discord, scriptedModel(["Here."]));

    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });

    await discord.until((state) => said(state, id));
    expect(bot.connection.status()).toMatchObject({ ok: true });
    expect(bot.connection.status().detail).toContain("Message Content Intent");
    expect(bot.logged.filter(({ message }) => message.includes("Message Content Intent"))).toHaveLength(1);
  });

  test("a bot with a wrong token says where to get the right one, and stays off", async () => {
    const discord = await fakeDiscord();
    const bot = await discordBot(discord, scriptedModel(["-"]), {
      settings: { token: "MTAwMDAwMDAwMDAwMDAwMDAwMQ.wrong.token" },
      unconnected: true,
    });

    await expect.poll(() => bot.connection.status().detail).toContain("developer portal");
    expect(bot.connection.status().ok).toBe(false);
    expect((await discord.state()).identified).toEqual([]);
  });
});

describe("what must not be lost or doubled", () => {
  test("an answer whose confirmation was lost is not posted again", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["Once."]));
    await discord.drop({ route: "POST /channels/:channel/messages", after: true, times: 2 });

    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });

    await discord.until(({ messages }) =>
      messages.find((each) => each.id === id && !each.reactions["👀"]?.length),
    );
    await discord.until((state) => said(state, id)?.[0]?.components.length);
    expect(said(await discord.state(), id)).toHaveLength(1);
  });

  test("a message that a process posted before it ended is found by the next one", async () => {
    const discord = await fakeDiscord();
    const thread = await discord.startThread({ user: ids.adam, channel: general, name: "talk" });
    const place = { namespace: `discord:${ids.guild}:${general}`, thread };
    const tag = { turn_id: "t1", purpose: "answer", part: 1 } as const;
    const whole = createMemoryKeyValue();
    let writes = 0;
    // Of the two notes of a message, the process lives to write the first.
    const store: typeof whole = {
      ...whole,
      update: async (key, change) => {
        writes += 1;
        return writes === 1 ? whole.update(key, change) : change(undefined);
      },
    };

    const reference = await platformOf(discord, store).post(place, { tag, markdown: "The *second* part.  " });
    await discord.say({ user: ids.adam, channel: thread, content: "The *second* part." });

    expect(await platformOf(discord, whole).find(place, tag)).toBe(reference);
    expect(await platformOf(discord, whole).find(place, { ...tag, part: 2 })).toBeUndefined();
  });

  test("a message that was taken away and posted again is a new one", async () => {
    const discord = await fakeDiscord();
    const thread = await discord.startThread({ user: ids.adam, channel: general, name: "talk" });
    const place = { namespace: `discord:${ids.guild}:${general}`, thread };
    const message = { tag: { turn_id: "t1", purpose: "answer", part: 0 }, markdown: "Here." } as const;
    const platform = platformOf(discord, createMemoryKeyValue());

    const first = await platform.post(place, message);
    await platform.remove(place, first);
    await platform.remove(place, first);
    const second = await platform.post(place, message);

    expect(second).not.toBe(first);
    expect(said(await discord.state(), thread)).toHaveLength(1);
    expect(await platform.find(place, message.tag)).toBe(second);
  });

  test("a message that cannot be stored at first is tried again", async () => {
    const discord = await fakeDiscord();
    const log = createMemoryTurnLog();
    let failures = 1;
    const accept = log.accept.bind(log);
    log.accept = (...given) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error("disk full")) : accept(...given);
    };
    await discordBot(discord, scriptedModel(["Here."]), { log });

    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });

    await discord.until((state) => said(state, id));
    expect(said(await discord.state(), id)).toHaveLength(1);
  });
});

test("the owner of a server that the bot joins gets a set-up card, once", async () => {
  const world = exampleWorld();
  const guilds = world.guilds.map((guild) => ({ ...guild, joined: false }));
  const discord = await fakeDiscord({ guilds });
  await discordBot(discord, scriptedModel(["-"]));

  await discord.joinGuild(ids.guild);

  const card = await discord.until(({ messages }) => messages.find(({ author }) => author === ids.bot));
  expect(card.content).toContain("Example");
  expect(card.channel).toBe(await discord.openDm(ids.olivia));
});

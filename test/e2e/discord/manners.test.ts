import { describe, expect, test } from "vitest";
import { exampleWorld, ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { buttons, discordBot, fakeDiscord, said } from "../support/discord-bot.ts";

const mention = `<@${ids.bot}>`;
const general = ids.general;
const onlyMia = { access: { users: [ids.mia] } };

describe("a refusal", () => {
  test("a refusal is sent as a direct message, and says which channel it is about", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]), { chat: onlyMia });

    await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });

    const dm = await discord.openDm(ids.adam);
    const [refusal] = await discord.until((state) => said(state, dm));
    expect(refusal?.content).toContain(`<#${general}>`);
    expect(said(await discord.state(), general)).toBeUndefined();
  });

  test("a refusal for somebody who takes no direct messages is a few words in the channel that call nobody else", async () => {
    const users = exampleWorld().users.map((user) => ({ ...user, closedDms: true }));
    const discord = await fakeDiscord({ users });
    await discordBot(discord, scriptedModel(["-"]), { chat: onlyMia });

    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });

    const [words] = await discord.until((state) => said(state, general));
    expect(words).toMatchObject({ replyTo: id, notified: [ids.adam] });
    expect(words?.content).not.toContain("access");
  });

  test("a refusal of a command is seen by its sender only", async () => {
    const discord = await fakeDiscord();
    await discordBot(discord, scriptedModel(["-"]), { chat: onlyMia });

    const run = await discord.command({
      user: ids.adam,
      channel: general,
      name: "skill",
      subcommand: "reload",
    });

    expect(await run.answer()).toMatchObject({ ephemeralFor: ids.adam });
  });
});

test("a stranger's direct message is refused, and their next one asks Discord for nothing", async () => {
  const world = exampleWorld();
  const stranger = { id: "1000000000000000299", name: "sid" };
  const discord = await fakeDiscord({ users: [...world.users, stranger] });
  const model = scriptedModel(["-"]);
  const { app } = await discordBot(discord, model);
  const dm = await discord.openDm(stranger.id);

  await discord.say({ user: stranger.id, channel: dm, content: "hello" });
  await discord.until((state) => said(state, dm));
  const asked = async () => (await discord.calls("GET /guilds/:guild/members/:user")).length;
  const before = await asked();
  await discord.say({ user: stranger.id, channel: dm, content: "hello?" });
  await discord.say({ user: ids.adam, channel: await discord.openDm(ids.adam), content: "hello" });
  await discord.until((state) => state.messages.some(({ content }) => content === "-"));

  expect(await app.app.namespaces("discord")).toEqual([`discord:dm:dm-${ids.adam}`]);
  expect((await asked()) - before).toBeLessThanOrEqual(1);
});

describe("a turn that takes its time", () => {
  test("a slow turn shows progress quietly, can be stopped by a button, and answers in its place", async () => {
    const discord = await fakeDiscord();
    const wait = testSkill(
      "wait",
      [
        {
          name: "wait",
          run: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
            }),
        },
      ],
      { active: true },
    );
    const model = scriptedModel([[{ call: "wait" }], "-"]);
    await discordBot(discord, model, { skills: [wait], chat: { progress_delay_ms: 1 } });

    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} wait` });
    const [progress] = await discord.until((state) => {
      const found = said(state, id);
      return found?.[0]?.content.includes("wait") ? found : undefined;
    });
    const stop = progress && buttons(progress).find(({ label }) => label === "Stop");
    await discord.click({ user: ids.adam, message: progress?.id ?? "", customId: stop?.custom_id ?? "" });

    await discord.until((state) => said(state, id)?.some(({ content }) => /stopped/i.test(content)));
    const { typing, messages } = await discord.state();
    expect(typing.length).toBeGreaterThan(0);
    expect(progress?.notified).toEqual([]);
    const answer = said(await discord.state(), id)?.find(({ content }) => /stopped/i.test(content));
    expect(answer?.notifiedText).toMatch(/stopped/i);
    expect(messages.find((each) => each.id === progress?.id)).toBeUndefined();
  });
});

describe("places", () => {
  test("a private thread is a namespace of its own, and a public one belongs to its channel", async () => {
    const discord = await fakeDiscord();
    const { app } = await discordBot(discord, scriptedModel(["Here."]));
    const secret = await discord.startThread({
      user: ids.adam,
      channel: general,
      name: "secret",
      private: true,
    });
    await discord.addToThread({ thread: secret, user: ids.bot });
    const open = await discord.startThread({ user: ids.adam, channel: general, name: "open" });

    for (const channel of [secret, open]) {
      await discord.say({ user: ids.adam, channel, content: `${mention} hello` });
      await discord.until((state) => said(state, channel));
    }

    expect((await app.app.namespaces("discord")).sort()).toEqual(
      [`discord:${ids.guild}:${general}`, `discord:${ids.guild}:${secret}`].sort(),
    );
  });

  test("a channel's manager has the trust of a manager, and the bot's operator that of an operator", async () => {
    const discord = await fakeDiscord();
    const { app } = await discordBot(discord, scriptedModel(["Hi."]), {
      settings: { operators: [ids.olivia] },
    });
    for (const user of [ids.adam, ids.mia, ids.olivia]) {
      const id = await discord.say({ user, channel: general, content: `${mention} hello` });
      await discord.until((state) => said(state, id));
    }

    const turns = await app.app.turns({ namespace: `discord:${ids.guild}:${general}` });
    expect(turns.map(({ author }) => [author.name, author.trust]).sort()).toEqual([
      ["adam", "member"],
      ["mia", "manager"],
      ["olivia", "operator"],
    ]);
  });

  test("rights that are withdrawn are gone at once", async () => {
    const discord = await fakeDiscord();
    const { app } = await discordBot(discord, scriptedModel(["Hi."]));
    const ask = async () => {
      const id = await discord.say({ user: ids.mia, channel: general, content: `${mention} hello` });
      await discord.until((state) => said(state, id));
    };
    await ask();
    await discord.setRoles({ guild: ids.guild, user: ids.mia, roles: [] });
    await ask();

    const turns = await app.app.turns({ namespace: `discord:${ids.guild}:${general}` });
    expect(turns.map(({ author }) => author.trust).sort()).toEqual(["manager", "member"]);
  });
});

test.each([
  ["a channel that is deleted at run time fails only its turn, whose asker is told", 1],
  ["a question that is deleted at run time is answered nowhere", 0],
])("%s", async (_what, told) => {
  const discord = await fakeDiscord();
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const gate = async (_: unknown, round: number) => {
    if (round > 1) return;
    asked.resolve();
    await go.promise;
  };
  const { app } = await discordBot(discord, scriptedModel(["Hello."], { gate }));
  const gone = await discord.say({ user: ids.adam, channel: ids.announcements, content: `${mention} hello` });
  await asked.promise;
  if (told > 0) {
    await discord.deleteChannel(ids.announcements);
    go.resolve();
  } else await discord.remove(gone);

  const namespace = `discord:${ids.guild}:${ids.announcements}`;
  await expect
    .poll(async () => (await app.app.turns({ namespace })).map(({ status }) => status), { timeout: 10_000 })
    .toEqual(["finished"]);
  go.resolve();
  const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });
  await discord.until((state) => said(state, id));
  const words = said(await discord.state(), await discord.openDm(ids.adam)) ?? [];
  expect(words.map(({ content }) => content)).toEqual(
    told > 0 ? [expect.stringContaining("Ask me again where I may write")] : [],
  );
});

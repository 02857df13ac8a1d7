/** People who added the app to their account use it where the bot is no member. */
import { expect, test } from "vitest";
import type { DiscordServer } from "../../support/discord/discord-server.ts";
import { exampleWorld, ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { discordBot, fakeDiscord, said } from "../support/discord-bot.ts";

const outside = { guild: "1000000000000000900", lobby: "1000000000000000910", zoe: "1000000000000000911" };
const greeter = testSkill("greeter", [{ name: "greeter", run: () => "Hello!" }]);

/** Adam also belongs to a server with the bot; Zoe does not. Both have added the app to their account. */
function worldWithOutside(adam: { closedDms?: true } = {}) {
  const { users, guilds, application } = exampleWorld();
  const lobby = { id: outside.lobby, name: "lobby" };
  return {
    application,
    users: [
      ...users.map((user) => (user.id === ids.adam ? { ...user, installed: true, ...adam } : user)),
      { id: outside.zoe, name: "zoe", installed: true },
    ],
    guilds: [
      ...guilds,
      {
        id: outside.guild,
        name: "Outside",
        joined: false,
        members: [{ user: ids.adam }, { user: outside.zoe }],
        channels: [lobby],
      },
    ],
  };
}

/** What the bot asked of Discord about the outside and in it, other than by the interaction. */
async function askedOutside(discord: DiscordServer): Promise<string[]> {
  const requests = await discord.calls();
  return requests
    .map(({ method, path }) => `${method} ${path}`)
    .filter((each) => each.includes(outside.guild) || each.includes(outside.lobby));
}

test("a command outside is answered to the person alone, for their direct messages", async () => {
  const discord = await fakeDiscord(worldWithOutside());
  const { app } = await discordBot(discord, scriptedModel(["-"]), { skills: [greeter] });
  const skill = (subcommand: string, options: Record<string, string> = {}) =>
    discord.command({ user: ids.adam, channel: outside.lobby, name: "skill", subcommand, options });

  const list = await (await skill("list")).answer();
  expect(list).toMatchObject({ ephemeralFor: ids.adam, content: expect.stringContaining("greeter") });
  const enabled = await (await skill("enable", { skill: "greeter" })).answer();
  expect(enabled).toMatchObject({
    ephemeralFor: ids.adam,
    content: expect.stringContaining("in our direct messages"),
  });

  const namespaces = await app.app.namespaces("discord");
  expect(namespaces).toEqual([`discord:dm:dm-${ids.adam}`]);
  expect(await askedOutside(discord)).toEqual([]);
});

test("a long answer outside, where Discord allows five messages, goes on in the direct messages", async () => {
  const discord = await fakeDiscord(worldWithOutside());
  const skills = Array.from({ length: 60 }, (_, index) =>
    testSkill(`skill-${index}`, [{ name: `skill_${index}`, run: () => "" }], { description: "d".repeat(99) }),
  );
  await discordBot(discord, scriptedModel(["-"]), { skills });
  await discord.fail({ route: "POST /webhooks/:id/:token", status: 400, code: 40094 });

  await discord.command({ user: ids.adam, channel: outside.lobby, name: "skill", subcommand: "list" });

  const dm = await discord.openDm(ids.adam);
  const parts = await discord.until((state) => said(state, dm, 2));
  expect(parts.map(({ content }) => content).join("\n")).toContain("**skill-0**");
});

test("a message outside is asked about in the direct messages, which say what it is about", async () => {
  const discord = await fakeDiscord(worldWithOutside());
  const model = scriptedModel(["It means that."]);
  await discordBot(discord, model);
  const message = await discord.say({
    user: outside.zoe,
    channel: outside.lobby,
    content: "the flux is inverted",
  });

  const asked = await discord.contextMenu({ user: ids.adam, message, name: "Ask Knack about this" });

  const dm = await discord.openDm(ids.adam);
  const [about, answer] = await discord.until((state) => said(state, dm, 2));
  expect(about?.content).toContain("> the flux is inverted");
  expect(answer?.content).toBe("It means that.");
  expect(await asked.answer()).toMatchObject({
    ephemeralFor: ids.adam,
    content: expect.stringContaining("direct messages"),
  });
  expect(JSON.stringify(model.requests[0])).toContain("the flux is inverted");
  expect(await askedOutside(discord)).toEqual([]);
});

test("a person outside who accepts no direct messages is told so, and nothing is asked of the model", async () => {
  const discord = await fakeDiscord(worldWithOutside({ closedDms: true }));
  const model = scriptedModel(["-"]);
  await discordBot(discord, model);
  const message = await discord.say({ user: outside.zoe, channel: outside.lobby, content: "the flux" });

  const asked = await discord.contextMenu({ user: ids.adam, message, name: "Ask Knack about this" });

  expect((await asked.answer()).content).toContain("Allow direct messages");
  expect(model.requests).toEqual([]);
});

test("work outside that takes long is answered in the interaction where direct messages are closed", async () => {
  const discord = await fakeDiscord(worldWithOutside({ closedDms: true }));
  const run = Promise.withResolvers<string>();
  const slow = testSkill("slow", [{ name: "slow", run: () => run.promise }]);
  await discordBot(discord, scriptedModel(["-"]), { skills: [slow], chat: { progress_delay_ms: 0 } });

  const given = await discord.command({
    user: ids.adam,
    channel: outside.lobby,
    name: "skill",
    subcommand: "run",
    options: { skill: "slow", input: "text" },
  });
  const progress = await given.answer();
  expect(progress).toMatchObject({ ephemeralFor: ids.adam });
  run.resolve("It is done.");

  const { followups } = await given.until(({ followups: found }) => found.length > 0);
  expect(followups[0]).toMatchObject({
    ephemeralFor: ids.adam,
    content: expect.stringContaining("It is done."),
  });
  expect(await askedOutside(discord)).toEqual([]);
});

test("a stranger outside is refused in the interaction", async () => {
  const discord = await fakeDiscord(worldWithOutside());
  const model = scriptedModel(["-"]);
  await discordBot(discord, model);
  const message = await discord.say({ user: ids.adam, channel: outside.lobby, content: "the flux" });

  const asked = await discord.contextMenu({ user: outside.zoe, message, name: "Ask Knack about this" });
  const listed = await discord.command({
    user: outside.zoe,
    channel: outside.lobby,
    name: "skill",
    subcommand: "list",
  });

  for (const refused of [asked, listed])
    expect(await refused.answer()).toMatchObject({ ephemeralFor: outside.zoe });
  expect((await listed.answer()).content).not.toContain("**");
  expect(model.requests).toEqual([]);
});

test("an app that people cannot add to their account has its commands in servers", async () => {
  const world = worldWithOutside();
  const application = { ...world.application, userInstall: false };
  const discord = await fakeDiscord({ ...world, application });
  await discordBot(discord, scriptedModel(["-"]));

  const { global } = await discord.commands();
  expect(global.map(({ integration_types: types }) => types)).toEqual(global.map(() => [0]));
  const outsideIt = { user: ids.adam, channel: outside.lobby, name: "skill", subcommand: "list" };
  await expect(discord.command(outsideIt)).rejects.toThrow("not offered here");
});

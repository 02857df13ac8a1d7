import { expect, test } from "vitest";
import type { ChatIntake, ChatMessage, ChatReaction } from "../../../src/app/chat/chat-intake.ts";
import { exampleGuild } from "../../support/discord/chat-rig.ts";
import { ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { discordBot, fakeDiscord, said } from "../support/discord-bot.ts";

const mention = `<@${ids.bot}>`;
const general = ids.general;
const namespace = `discord:${ids.guild}:${general}`;
const party = { id: "1000000000000000150", name: "party_knack" };

/** Keeps what is handed in, and waits until there is so much of it. */
function kept<T>() {
  const items: T[] = [];
  let changed = () => {};
  return {
    async take(item: T): Promise<void> {
      items.push(item);
      changed();
    },
    async first(count: number): Promise<T[]> {
      while (items.length < count)
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      return items.slice(0, count);
    },
  };
}

test("reactions are heard with their message, by name, and the bot's own are not", async () => {
  const reactions = kept<ChatReaction>();
  const discord = await fakeDiscord(exampleGuild(() => ({ emojis: [party] })));
  await discordBot(discord, scriptedModel(["Hello."]), { hears: { reacted: reactions.take } });
  const root = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });
  const [answer] = await discord.until((state) => said(state, root));
  await discord.until(({ messages }) =>
    messages.find((each) => each.id === root && !each.reactions["👀"]?.length),
  );
  const dm = await discord.act("openDm", { user: ids.adam });
  const direct = await discord.say({ user: ids.adam, channel: dm, content: "hello" });

  const react = (message: string, emoji: string, remove?: boolean) =>
    discord.act("react", { user: ids.adam, message, emoji, ...(remove ? { remove } : {}) });
  await react(answer?.id ?? "", "👍🏽");
  await react(answer?.id ?? "", "👍🏽", true);
  await react(root, `${party.name}:${party.id}`);
  await react(direct, "🇩🇪");

  const heard = await reactions.first(4);
  const inThread = { place: { namespace, thread: root }, person: ids.adam };
  expect(heard).toMatchObject([
    { ...inThread, reference: `${root}:${answer?.id}`, emoji: "👍", added: true },
    { ...inThread, reference: `${root}:${answer?.id}`, emoji: "👍", added: false },
    { ...inThread, reference: `${general}:${root}`, emoji: "party_knack", added: true },
    {
      place: { namespace: `discord:dm:dm-${ids.adam}`, thread: "dm" },
      emoji: "🇩🇪",
      reference: `${dm}:${direct}`,
    },
  ]);
  expect(new Set(heard.map(({ key }) => key)).size).toBe(4);
});

test("a reaction to an answer where there are no threads belongs to the conversation it answers", async () => {
  const reactions = kept<ChatReaction>();
  const everyone = ["ViewChannel", "SendMessages", "ReadMessageHistory", "AddReactions"] as const;
  const discord = await fakeDiscord(exampleGuild(() => ({ everyone })));
  await discordBot(discord, scriptedModel(["Hello."]), { hears: { reacted: reactions.take } });
  const root = await discord.say({ user: ids.adam, channel: general, content: `${mention} hello` });
  const [answer] = await discord.until((state) => said(state, general));
  await discord.act("react", { user: ids.mia, message: answer?.id ?? "", emoji: "✅" });
  const [reaction] = await reactions.first(1);
  expect(reaction).toMatchObject({ place: { namespace, thread: root }, emoji: "✅" });
});

test("a deleted message is reported with its reference, and a mention of roles with whom its author may call", async () => {
  const gone = kept<Parameters<ChatIntake["removed"]>[0]>();
  const messages = kept<ChatMessage>();
  const discord = await fakeDiscord();
  await discordBot(discord, scriptedModel(["-"]), { hears: { removed: gone.take, message: messages.take } });
  const roles = `<@&${ids.onCall}> <@&${ids.moderators}> @everyone`;
  const first = await discord.say({ user: ids.adam, channel: general, content: `${roles} <@${ids.mia}>` });
  await discord.say({ user: ids.mia, channel: general, content: roles });
  await discord.act("remove", { message: first });
  expect((await messages.first(2)).map(({ mentions }) => mentions)).toEqual([
    [
      { id: ids.mia, name: "mia", kind: "person" },
      { id: ids.onCall, name: "oncall", kind: "group" },
    ],
    [
      { id: ids.onCall, name: "oncall", kind: "group" },
      { id: ids.moderators, name: "moderators", kind: "group" },
    ],
  ]);
  expect(await gone.first(1)).toMatchObject([
    { id: `${general}:${first}`, place: { namespace, thread: first } },
  ]);
});

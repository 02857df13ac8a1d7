import { zoe } from "../bot/platform-discord.ts";
import type { DiscordServer } from "../discord/discord-server.ts";
import { ids } from "../discord/example-world.ts";
import type { Capabilities, ChatSurface, Conversation } from "./chat-surface.ts";
import { buttonsOf, discordCan, filesOf, kindsOfMessages, partsOf } from "./discord-chat.ts";

/** Operators of the bot, who each write to it directly; nobody of them speaks in a channel. */
const people = { home: ids.olivia, elsewhere: zoe };

/** The features of this surface. */
export const discordDirectCan: Capabilities = {
  ...discordCan,
  severalPeople: false,
  severalConversations: false,
  whispers: false,
};

/** Direct messages on Discord, of Olivia and Zoe. */
export async function discordDirectChat(discord: DiscordServer): Promise<ChatSurface> {
  const direct = {
    home: await discord.openDm(people.home),
    elsewhere: await discord.openDm(people.elsewhere),
  };
  const kind = kindsOfMessages();
  const ofBot = async (channels: readonly string[]) =>
    (await discord.stateOfMessages()).messages.filter(
      ({ author, channel }) => author === ids.bot && channels.includes(channel),
    );
  return {
    async open(channel = "home") {
      const before = new Set((await ofBot([direct[channel]])).map(({ id }) => id));
      const messages = async () => (await ofBot([direct[channel]])).filter(({ id }) => !before.has(id));
      return openDirect(discord, { user: people[channel], channel: direct[channel], messages });
    },
    async everything() {
      const messages = await ofBot(Object.values(direct));
      return messages.flatMap((message) => partsOf(message.content, kind(message)));
    },
    async sent() {
      const { calls, messages } = await discord.state();
      return JSON.stringify({ calls, messages });
    },
    close: async () => undefined,
  };
}

interface Direct {
  user: string;
  channel: string;
  /** The bot's, since the conversation was opened. */
  messages(): Promise<Awaited<ReturnType<DiscordServer["messages"]>>>;
}

function openDirect(discord: DiscordServer, { user, channel, messages }: Direct): Conversation {
  const kind = kindsOfMessages();
  return {
    async say(text) {
      await discord.say({ user, channel, content: text });
    },
    shown: async () => (await messages()).flatMap((message) => partsOf(message.content, kind(message))),
    async press(label) {
      const found = (await messages())
        .flatMap((message) => buttonsOf(message).map((button) => ({ ...button, message: message.id })))
        .findLast((button) => button.label === label);
      if (found === undefined) throw new Error(`Discord shows no button “${label}”.`);
      await discord.click({ user, message: found.message, customId: found.custom_id });
    },
    files: async () => filesOf(await messages()),
    async called() {
      const all = await messages();
      return all.flatMap(({ notified, mentions }) => [
        ...notified.filter((each) => each !== user),
        ...(mentions.everyone ? ["everyone"] : []),
      ]);
    },
  };
}

import type { DiscordServer } from "../discord/discord-server.ts";
import { ids } from "../discord/example-world.ts";
import type { ObservedMessage, ObservedState } from "../discord/observed-state.ts";
import { buttonsOf } from "../surfaces/discord-chat.ts";
import type { PlatformGate } from "./platform-gate.ts";
import type { Saying, Somebody, Surface } from "./platform-surface.ts";

/** Discord's general channel; Adam is the member, Mia the manager. */
export function discordSurface(discord: DiscordServer, gate: PlatformGate): Surface {
  const channel = ids.general;
  const users = { member: ids.adam, other: zoe, manager: ids.mia };
  const whispers = ({ messages, channels }: ObservedState, who: Somebody) => {
    const direct = channels.filter(({ recipient }) => recipient === users[who]).map(({ id }) => id);
    return messages
      .filter(
        ({ author, channel: at, ephemeralFor }) =>
          author === ids.bot && (ephemeralFor === users[who] || direct.includes(at)),
      )
      .map(({ content }) => content);
  };
  const saying = (content: string, { who = "member", ago }: Saying = {}) => ({
    user: users[who],
    channel,
    content,
    ...(ago === undefined ? {} : { agoMs: ago }),
  });
  const texts = (state: ObservedState, thread: string) =>
    botMessages(state, thread).map(({ content }) => content);
  return {
    name: "discord",
    gate,
    namespace: `discord:${ids.guild}:${channel}`,
    ask: (text, how) => discord.say(saying(`<@${ids.bot}> ${text}`, how)),
    reply: (thread, text, how) => discord.say({ ...saying(text, how), channel: thread }),
    say: (text, how) => discord.say(saying(text, how)),
    async open(message) {
      const [thread] = (await discord.threads(channel)).filter(({ id }) => id === message);
      return thread?.id ?? discord.startThread({ user: users.member, channel, name: "talk", message });
    },
    async enableDirectly(skill, who) {
      const direct = await discord.openDm(users[who]);
      const command = { name: "skill", subcommand: "enable", options: { skill } };
      await discord.command({ user: users[who], channel: direct, ...command });
    },
    async askDirectly(text, answer, who = "member") {
      const direct = await discord.openDm(users[who]);
      await discord.say({ user: users[who], channel: direct, content: text });
      await discord.until((state) => texts(state, direct).some((each) => each.includes(answer)));
    },
    directNamespace: (who) => `discord:dm:dm-${users[who]}`,
    async press(thread, label, who = "member") {
      const found = await discord.until((state) => discordButtons(botMessages(state, thread), label)[0]);
      await discord.click({ user: users[who], ...found });
    },
    async pressAll(thread, label, who) {
      for (const found of discordButtons(botMessages(await discord.stateOfMessages(thread), thread), label))
        await discord.click({ user: users[who], ...found }).catch(() => {});
    },
    whispers: async (who) => whispers(await discord.state(), who),
    async whispered(who, text) {
      await discord.until((state) => whispers(state, who).some((each) => each.includes(text)));
    },
    async shown(thread, count = 0) {
      const now = texts(await discord.stateOfMessages(thread), thread);
      if (now.length >= count) return now;
      return discord.until((state) => texts(state, thread).length >= count && texts(state, thread));
    },
    async shows(thread, text) {
      await discord.until((state) => texts(state, thread).some((each) => each.includes(text)));
    },
    isPost: ({ method, path }) => method === "POST" && /\/channels\/\d+\/messages$/.test(path),
  };
}

/** The second ordinary person on Discord. */
export const zoe = "1000000000000000204";

/** The buttons with this label, that of the latest message first. */
function discordButtons(messages: readonly ObservedMessage[], label: string) {
  return messages.toReversed().flatMap(({ id, components }) => {
    const found = buttonsOf({ components }).find((each) => each.label === label);
    return found === undefined ? [] : [{ message: id, customId: found.custom_id }];
  });
}

/** The bot's messages that everybody in a channel of Discord sees. */
export function botMessages(state: ObservedState, channel: string): ObservedMessage[] {
  return state.messages.filter(
    (message) => message.author === ids.bot && message.channel === channel && message.ephemeralFor === null,
  );
}

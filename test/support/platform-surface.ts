import type { DiscordServer } from "./discord/discord-server.ts";
import { ids } from "./discord/example-world.ts";
import type { ObservedMessage, ObservedState } from "./discord/observed-state.ts";
import type { PlatformGate, PlatformRequest } from "./platform-gate.ts";
import type { MessageRecord } from "./slack/message-record.ts";
import type { Observation } from "./slack/observation.ts";
import type { SlackServer } from "./slack/slack-server.ts";

/** Who is there on each platform: two ordinary people, and somebody who manages the channel. */
export type Somebody = "member" | "other" | "manager";

/** How something is said. */
export interface Saying {
  /** Default the member. */
  who?: Somebody;
  /** So long ago, ms. */
  ago?: number;
}

/** What the same scenario does on Slack and on Discord. */
export interface Surface {
  name: "slack" | "discord";
  gate: PlatformGate;
  /** Of the channel in which everything is said. */
  namespace: string;
  /** Mentions the bot in the channel; answers the thread in which it answers. */
  ask(text: string, saying?: Saying): Promise<string>;
  /** Writes into a thread. */
  reply(thread: string, text: string, saying?: Saying): Promise<string>;
  /** Writes to nobody, in the channel; answers the message. */
  say(text: string, saying?: Saying): Promise<string>;
  /** Clicks a button of the bot's latest message in a thread that has one with this label. */
  press(thread: string, label: string, who?: Somebody): Promise<void>;
  /** What the bot told this person alone. */
  whispers(who: Somebody): Promise<string[]>;
  /** Waits until the bot has told this person alone something with this text. */
  whispered(who: Somebody, text: string): Promise<void>;
  /** What the bot's messages in a thread show that everybody sees, once there are so many. */
  shown(thread: string, count?: number): Promise<string[]>;
  /** Waits until a message of the bot in the thread shows this text. */
  shows(thread: string, text: string): Promise<void>;
  /** Whether a request posts a message that everybody sees. */
  isPost(request: PlatformRequest): boolean;
}

/** Slack's general channel; Ben is the member, Anna the manager. */
export function slackSurface(slack: SlackServer, gate: PlatformGate): Surface {
  const channel = "C0GENERAL";
  const users = { member: "U0BEN", other: "U0CLEO", manager: "U0ANNA" };
  const whispers = (state: Observation, who: Somebody) => state.ephemerals(users[who]).map(slackText);
  const saying = (text: string, { who = "member", ago }: Saying = {}) => ({
    ...{ user: users[who], channel, text },
    ...(ago === undefined ? {} : { ago_ms: ago }),
  });
  const texts = (state: Observation, thread: string) => state.botMessages(channel, thread).map(slackText);
  return {
    name: "slack",
    gate,
    namespace: `slack:T0ACME:${channel}`,
    ask: async (text, how) => (await slack.say(saying(`<@U0KNACK> ${text}`, how))).ts,
    reply: async (thread, text, how) => (await slack.say({ ...saying(text, how), thread_ts: thread })).ts,
    say: async (text, how) => (await slack.say(saying(text, how))).ts,
    async press(thread, label, who = "member") {
      const found = await slack.until(
        (state) => slackButton(state.botMessages(channel, thread), label),
        `the button ${label}`,
      );
      await slack.click({ user: users[who], channel, ...found });
    },
    whispers: async (who) => whispers(await slack.look(), who),
    async whispered(who, text) {
      await slack.until(
        (state) => whispers(state, who).some((each) => each.includes(text)),
        `“${text}” for ${who}`,
      );
    },
    shown: (thread, count = 0) =>
      slack.until(
        (state) => texts(state, thread).length >= count && texts(state, thread),
        `${count} messages in ${thread}`,
        30_000,
      ),
    async shows(thread, text) {
      await slack.until(
        (state) => texts(state, thread).some((each) => each.includes(text)),
        `“${text}” in ${thread}`,
        30_000,
      );
    },
    isPost: ({ path }) => path === "/api/chat.postMessage",
  };
}

interface SlackElement {
  type: string;
  action_id?: string;
  text?: { text?: string };
}

function slackButton(messages: readonly MessageRecord[], label: string) {
  for (const { ts, blocks } of messages.toReversed()) {
    const elements = blocks.flatMap((block) => (block.elements ?? []) as SlackElement[]);
    const found = elements.find(({ text }) => text?.text === label);
    if (found !== undefined) return { message_ts: ts, action_id: found.action_id ?? "" };
  }
  return undefined;
}

/** What a message of Slack shows: its Markdown blocks, or its text. */
export function slackText({ text, blocks }: { text: string; blocks: unknown[] }): string {
  const markdown = (blocks as MessageRecord["blocks"])
    .filter(({ type }) => type === "markdown")
    .map((block) => String(block.text));
  return markdown.length > 0 ? markdown.join("\n") : text;
}

/** Discord's general channel; Adam is the member, Mia the manager. */
export function discordSurface(discord: DiscordServer, gate: PlatformGate): Surface {
  const channel = ids.general;
  const users = { member: ids.adam, other: zoe, manager: ids.mia };
  const whispers = ({ messages, channels }: ObservedState, who: Somebody) => {
    const isDirect = (id: string) => channels.some((each) => each.id === id && each.guild === null);
    return messages
      .filter(({ author, channel: at, ephemeralFor, notified }) =>
        author !== ids.bot
          ? false
          : ephemeralFor === users[who] || (isDirect(at) && notified.includes(users[who])),
      )
      .map(({ content }) => content);
  };
  const saying = (content: string, { who = "member", ago }: Saying = {}) => ({
    ...{ user: users[who], channel, content },
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
    async press(thread, label, who = "member") {
      const found = await discord.until((state) => discordButton(botMessages(state, thread), label));
      await discord.click({ user: users[who], ...found });
    },
    whispers: async (who) => whispers(await discord.state(), who),
    async whispered(who, text) {
      await discord.until((state) => whispers(state, who).some((each) => each.includes(text)));
    },
    shown: (thread, count = 0) =>
      discord.until((state) => texts(state, thread).length >= count && texts(state, thread)),
    async shows(thread, text) {
      await discord.until((state) => texts(state, thread).some((each) => each.includes(text)));
    },
    isPost: ({ method, path }) => method === "POST" && /\/channels\/\d+\/messages$/.test(path),
  };
}

/** The second ordinary person on Discord. */
export const zoe = "1000000000000000204";

interface DiscordComponent {
  label?: string;
  custom_id?: string;
  components?: DiscordComponent[];
}

function discordButton(messages: readonly ObservedMessage[], label: string) {
  for (const { id, components } of messages.toReversed()) {
    const rows = components as DiscordComponent[];
    const found = rows.flatMap((row) => row.components ?? []).find((each) => each.label === label);
    if (found !== undefined) return { message: id, customId: found.custom_id ?? "" };
  }
  return undefined;
}

/** The bot's messages that everybody in a channel of Discord sees. */
export function botMessages(state: ObservedState, channel: string): ObservedMessage[] {
  return state.messages.filter(
    (message) => message.author === ids.bot && message.channel === channel && message.ephemeralFor === null,
  );
}

import type { DiscordServer } from "./discord/discord-server.ts";
import { ids } from "./discord/example-world.ts";
import type { ObservedMessage, ObservedState } from "./discord/observed-state.ts";
import type { PlatformGate, PlatformRequest } from "./platform-gate.ts";
import type { MessageRecord } from "./slack/message-record.ts";
import type { Observation } from "./slack/observation.ts";
import type { SlackServer } from "./slack/slack-server.ts";

/** Who is there on each platform: somebody ordinary, and somebody who manages the channel. */
export type Somebody = "member" | "manager";

/** What the same scenario does on Slack and on Discord. */
export interface Surface {
  name: "slack" | "discord";
  gate: PlatformGate;
  /** Of the channel in which everything is said. */
  namespace: string;
  /** Mentions the bot in the channel; answers the thread in which it answers. */
  ask(text: string, who?: Somebody): Promise<string>;
  /** Writes into a thread. */
  reply(thread: string, text: string, who?: Somebody): Promise<string>;
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
  const users = { member: "U0BEN", manager: "U0ANNA" };
  const texts = (state: Observation, thread: string) => state.botMessages(channel, thread).map(slackText);
  return {
    name: "slack",
    gate,
    namespace: `slack:T0ACME:${channel}`,
    async ask(text, who = "member") {
      const { ts } = await slack.say({ user: users[who], channel, text: `<@U0KNACK> ${text}` });
      return ts;
    },
    async reply(thread, text, who = "member") {
      const { ts } = await slack.say({ user: users[who], channel, text, thread_ts: thread });
      return ts;
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

/** What a message of Slack shows: its Markdown blocks, or its text. */
export function slackText({ text, blocks }: MessageRecord): string {
  const markdown = blocks.filter(({ type }) => type === "markdown").map((block) => String(block.text));
  return markdown.length > 0 ? markdown.join("\n") : text;
}

/** Discord's general channel; Adam is the member, Mia the manager. */
export function discordSurface(discord: DiscordServer, gate: PlatformGate): Surface {
  const channel = ids.general;
  const users = { member: ids.adam, manager: ids.mia };
  const texts = (state: ObservedState, thread: string) =>
    botMessages(state, thread).map(({ content }) => content);
  return {
    name: "discord",
    gate,
    namespace: `discord:${ids.guild}:${channel}`,
    ask: (text, who = "member") =>
      discord.say({ user: users[who], channel, content: `<@${ids.bot}> ${text}` }),
    reply: (thread, text, who = "member") =>
      discord.say({ user: users[who], channel: thread, content: text }),
    shown: (thread, count = 0) =>
      discord.until((state) => texts(state, thread).length >= count && texts(state, thread)),
    async shows(thread, text) {
      await discord.until((state) => texts(state, thread).some((each) => each.includes(text)));
    },
    isPost: ({ method, path }) => method === "POST" && /\/channels\/\d+\/messages$/.test(path),
  };
}

/** The bot's messages that everybody in a channel of Discord sees. */
export function botMessages(state: ObservedState, channel: string): ObservedMessage[] {
  return state.messages.filter(
    (message) => message.author === ids.bot && message.channel === channel && message.ephemeralFor === null,
  );
}

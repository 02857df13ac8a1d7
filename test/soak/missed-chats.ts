import type { Platforms } from "../support/bot/platform-bot.ts";
import { zoe } from "../support/bot/platform-discord.ts";
import type { PlatformGate, PlatformRequest } from "../support/bot/platform-gate.ts";
import { slackText } from "../support/bot/platform-slack.ts";
import type { DiscordOptions } from "../support/discord/discord-options.ts";
import { exampleWorld, ids } from "../support/discord/example-world.ts";

/** Ordinary people. */
export type Who = "member" | "other";

/** How a message is said in a channel, or in a thread of it. */
interface Saying {
  channel: string;
  thread?: string | undefined;
  who: Who;
  text: string;
  /** Age, ms. */
  ago?: number | undefined;
}

/** A platform with some channels, for messages anywhere in it. */
export interface Chat {
  name: "slack" | "discord";
  gate: PlatformGate;
  channels: readonly string[];
  namespaceOf(channel: string): string;
  /** Text that mentions the bot. */
  mention: string;
  /** Answers the message's id. */
  say(saying: Saying): Promise<string>;
  /** The thread below a message; made if it has to be. */
  open(channel: string, message: string): Promise<string>;
  remove(channel: string, message: string): Promise<unknown>;
  /** The texts of the bot in a thread. */
  posts(channel: string, thread: string): Promise<string[]>;
  /** Whether a request reads messages. */
  isRead(request: PlatformRequest): boolean;
}

const people = {
  slack: { member: "U0BEN", other: "U0CLEO" },
  discord: { member: ids.adam, other: zoe },
};

/** A world of Discord with so many channels more. */
export function discordWith(channels: number): DiscordOptions {
  const { users, guilds, ...world } = exampleWorld();
  const more = Array.from({ length: channels }, (_, at) => ({ id: discordChannel(at), name: `room-${at}` }));
  return {
    ...world,
    users: [...users, { id: zoe, name: "zoe" }],
    guilds: guilds.map((guild) => ({
      ...guild,
      members: [...guild.members, { user: zoe }],
      channels: [...guild.channels, ...more],
    })),
  };
}

const discordChannel = (at: number) => `10000000000001${String(at).padStart(5, "0")}`;

/** Both platforms with so many channels that the bot is in. @param platforms begun with `discordWith` as many channels */
export async function openChats({ slack, discord, surfaces }: Platforms, channels: number): Promise<Chat[]> {
  const rooms = Array.from({ length: channels }, (_, at) => `C0ROOM${at}`);
  const members = [...Object.values(people.slack), "U0KNACK"];
  for (const id of rooms)
    await slack.addChannel({
      ...{ id, team_id: "T0ACME", name: id.toLowerCase(), kind: "public", creator: "U0BEN", members },
    });
  return [
    {
      name: "slack",
      gate: surfaces.slack.gate,
      channels: rooms,
      namespaceOf: (channel) => `slack:T0ACME:${channel}`,
      mention: "<@U0KNACK>",
      async say({ channel, thread, who, text, ago }) {
        const said = { user: people.slack[who], channel, text };
        const inThread = thread === undefined ? {} : { thread_ts: thread };
        return (await slack.say({ ...said, ...inThread, ...(ago === undefined ? {} : { ago_ms: ago }) })).ts;
      },
      open: async (_channel, message) => message,
      remove: (channel, ts) => slack.remove({ channel, ts }),
      posts: async (channel, thread) =>
        (await slack.lookAtMessages(thread)).botMessages(channel, thread).map(slackText),
      isRead: ({ path }) => /^\/api\/conversations\.(history|replies)/.test(path),
    },
    {
      name: "discord",
      gate: surfaces.discord.gate,
      channels: rooms.map((_, at) => discordChannel(at)),
      namespaceOf: (channel) => `discord:${ids.guild}:${channel}`,
      mention: `<@${ids.bot}>`,
      say: ({ channel, thread = channel, who, text, ago }) => {
        const said = { user: people.discord[who], channel: thread, content: text };
        return discord.say(ago === undefined ? said : { ...said, agoMs: ago });
      },
      async open(channel, message) {
        const known = (await discord.threads(channel)).some(({ id }) => id === message);
        const talk = { user: people.discord.member, channel, name: "talk", message };
        return known ? message : discord.startThread(talk);
      },
      remove: (_channel, message) => discord.remove(message),
      posts: (_channel, thread) => surfaces.discord.shown(thread),
      isRead: ({ method, path }) => method === "GET" && /\/channels\/\d+\/messages(\?|$)/.test(path),
    },
  ];
}

import type { Client } from "discord.js";
import type { DiscordSettings } from "./discord-settings.ts";

export interface GatewayClientOptions {
  settings: DiscordSettings;
  /** Whether to ask for the texts of messages that are not for the bot. */
  readsMessages: boolean;
  shards: readonly number[];
  count: number;
}

/**
 * A client of discord.js that keeps the gateway's connections. What it brings is read from its raw events, so that caches and partial
 * objects of the library play no part; the caches that can be switched off are.
 */
export async function openGatewayClient(options: GatewayClientOptions): Promise<Client> {
  const { Client: DiscordClient, GatewayIntentBits: intents, Options } = await import("discord.js");
  const { settings, readsMessages, shards, count } = options;
  return new DiscordClient({
    intents: [
      intents.Guilds,
      intents.GuildMessages,
      intents.GuildMessageReactions,
      intents.DirectMessages,
      intents.DirectMessageReactions,
      ...(readsMessages ? [intents.MessageContent] : []),
    ],
    shards: [...shards],
    shardCount: count,
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      ReactionManager: 0,
      GuildBanManager: 0,
      GuildInviteManager: 0,
      PresenceManager: 0,
      ThreadMemberManager: 0,
      VoiceStateManager: 0,
    }),
    ...(settings.api_url === undefined ? {} : { rest: { api: settings.api_url } }),
  });
}

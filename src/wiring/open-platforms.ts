import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChatHost } from "../app/app.ts";
import type { ChatConnection } from "../app/chat/chat-hub.ts";
import { slackMode } from "../config/incomplete-platforms.ts";
import type { Config } from "../config/schema.ts";
import { type KeyValue, scopeKeyValue } from "../core/ports/storage.ts";
import { sealKeyValue } from "../storage/sealed-key-value.ts";
import { createSecretKey } from "../storage/secret-key.ts";

/** The bot, without the encrypted store, of which each platform has its own part. */
type Host = Omit<ChatHost, "sealed">;

/** The configured chat platforms. */
export interface Platforms {
  connections: readonly ChatConnection[];
  /** Handles requests from a platform, which checks them itself. False when the request is not for a platform. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

export const noPlatforms: Platforms = { connections: [], handle: () => false };

/** Creates the connections to all configured platforms without connecting. An SDK is loaded when its connection starts. */
export async function openPlatforms(config: Config, host: Host): Promise<Platforms> {
  const slack = slackMode(config) === undefined ? undefined : await openSlack(config, host);
  const discord = config.discord.token === undefined ? undefined : await openDiscord(config, host);
  return {
    connections: [slack, discord].filter((connection) => connection !== undefined),
    handle(request, response) {
      if (slack === undefined || !request.url?.startsWith("/slack/")) return false;
      slack.handle(request, response);
      return true;
    },
  };
}

/** The store of a platform's secrets. */
function sealedFor(platform: string, { data, secret_key }: Config, { store }: Host): KeyValue {
  return scopeKeyValue(sealKeyValue(store, createSecretKey(data.folder, secret_key)), `${platform}-sealed:`);
}

async function openSlack(config: Config, host: Host) {
  const { createSlackConnection } = await import("../platforms/slack/create-slack-connection.ts");
  return createSlackConnection({
    ...host,
    sealed: sealedFor("slack", config, host),
    settings: { ...config.slack, public_url: config.server.public_url, operators: config.operators },
  });
}

async function openDiscord(config: Config, host: Host) {
  const { discord, operators } = config;
  const { createDiscordConnection } = await import("../platforms/discord/create-discord-connection.ts");
  return createDiscordConnection({
    ...host,
    sealed: sealedFor("discord", config, host),
    settings: { token: discord.token ?? "", api_url: discord.api_url, shards: discord.shards, operators },
  });
}

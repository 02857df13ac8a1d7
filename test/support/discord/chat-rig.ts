import { afterEach } from "vitest";
import type { Clock } from "../../../src/core/ports/storage.ts";
import { createChatActions } from "../../../src/platforms/discord/channel/chat-actions.ts";
import { ConversationTargets } from "../../../src/platforms/discord/channel/conversation-targets.ts";
import { Directory } from "../../../src/platforms/discord/channel/directory.ts";
import { ReplyChains } from "../../../src/platforms/discord/channel/reply-chains.ts";
import { DiscordRest } from "../../../src/platforms/discord/connection/discord-rest.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import type { DiscordOptions, GuildSeed } from "./discord-options.ts";
import { startDiscordServer } from "./discord-server.ts";
import { exampleToken, exampleWorld, ids } from "./example-world.ts";

/** The agent's actions in a fake Discord, without the rest of the bot. */
export async function startChatRig(options: DiscordOptions = exampleWorld(), clock: Clock = systemClock) {
  const discord = await startDiscordServer(options);
  const rest = new DiscordRest({ token: exampleToken, api_url: discord.apiUrl });
  const directory = new Directory(rest, clock);
  const chains = new ReplyChains(createMemoryKeyValue(), clock);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const targets = new ConversationTargets(rest, directory, chains, clock, logger);
  const deps = { rest, directory, targets, chains, clock };
  return {
    discord,
    deps,
    actions: createChatActions(deps, clock),
    async close() {
      rest.stop();
      await discord.close();
    },
  };
}

/** Rigs for the tests of a file; they are stopped after each test. */
export function useChatRigs(): typeof startChatRig {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  return async (...given) => {
    const made = await startChatRig(...given);
    closing.push(made.close);
    return made;
  };
}

/** A private thread of the example world. */
export const privateThread = "1000000000000000140";

/** The example world with a private thread in general, in which adam and the bot are and mia is not. */
export function withPrivateThread(locked = false): DiscordOptions {
  const thread = {
    id: privateThread,
    name: "talk",
    owner: ids.adam,
    private: true,
    members: [ids.bot],
    locked,
  };
  return exampleGuild(({ channels }) => ({
    channels: channels.map((channel) =>
      channel.id === ids.general ? { ...channel, threads: [thread] } : channel,
    ),
  }));
}

/** The example world with its one server changed. */
export function exampleGuild(change: (guild: GuildSeed) => Partial<GuildSeed>): DiscordOptions {
  const world = exampleWorld();
  return { ...world, guilds: world.guilds.map((guild) => ({ ...guild, ...change(guild) })) };
}

/** The namespace of a channel of the example world. */
export function room(channel: string): string {
  return `discord:${ids.guild}:${channel}`;
}

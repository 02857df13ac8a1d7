import { createChatActions } from "../../../src/platforms/discord/chat-actions.ts";
import { createConversationTargets } from "../../../src/platforms/discord/conversation-targets.ts";
import { createDirectory } from "../../../src/platforms/discord/directory.ts";
import { createDiscordRest } from "../../../src/platforms/discord/discord-rest.ts";
import { createReplyChains } from "../../../src/platforms/discord/reply-chains.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import type { DiscordOptions, GuildSeed } from "./discord-options.ts";
import { startDiscordServer } from "./discord-server.ts";
import { exampleToken, exampleWorld, ids } from "./example-world.ts";

/** What the agent does in Discord, on a fake one, without the rest of the bot. */
export async function startChatRig(options: DiscordOptions = exampleWorld()) {
  const discord = await startDiscordServer(options);
  const rest = createDiscordRest({ token: exampleToken, api: discord.apiUrl });
  const directory = createDirectory(rest);
  const chains = createReplyChains(createMemoryKeyValue(), systemClock);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const targets = createConversationTargets({ rest, directory, chains, logger });
  const deps = { rest, directory, targets, chains, clock: systemClock };
  return {
    discord,
    deps,
    actions: createChatActions(deps),
    async close() {
      rest.stop();
      await discord.close();
    },
  };
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

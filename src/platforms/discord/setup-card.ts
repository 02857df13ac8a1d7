import type { Clock, KeyValue, Log } from "../../core/ports/storage.ts";
import type { Directory } from "./channel/directory.ts";
import { botMissingPermissions, type MissingPermission } from "./channel/missing-permissions.ts";
import type { DiscordRest } from "./connection/discord-rest.ts";
import { messageBody } from "./outgoing/message-body.ts";

export interface SetupCardDeps {
  rest: DiscordRest;
  directory: Directory;
  store: KeyValue;
  clock: Clock;
  logger: Log;
  /** The bot's name, and its model: `offline` when none is configured. */
  bot: { name: string; model: string };
  readsMessages(): boolean;
}

/**
 * Sends a server's owner, once and in a direct message, instructions to set the bot up there. An owner who accepts no direct
 * messages gets none: this is no reason to post in a channel.
 */
export async function sendSetupCard(deps: SetupCardDeps, guildId: string): Promise<void> {
  const { rest, directory, store, clock, logger } = deps;
  const key = `discord-setup:${guildId}`;
  if ((await store.get(key)) !== undefined) return;
  try {
    const guild = await directory.guild(guildId);
    const lacks = await botMissingPermissions(directory, guildId);
    const channel = await directory.directMessage(guild.owner_id);
    const body = messageBody({ markdown: setupText(deps, guild.name, lacks) }, undefined);
    await rest.request("POST", `/channels/${channel}/messages`, { body });
    await store.set(key, { at: clock.now() });
  } catch (error) {
    logger.info({ err: error, guild: guildId }, "Discord: the owner could not be told how to set the bot up");
  }
}

function setupText(
  { bot, readsMessages }: SetupCardDeps,
  guild: string,
  lacks: readonly MissingPermission[],
): string {
  const lines = [
    `Hello! I am ${bot.name}, and I was just added to **${guild}**. Only you see this.`,
    "- **Ask me**: mention me in a channel, and I answer in a thread. Or write to me here.",
    "- **Skills**: `/skill list` shows what I can do; whoever has *Manage Channels* can enable and disable skills for a channel.",
    "- **Where**: take *View Channel* away from my role in channels that I should stay out of. `/agent pause` keeps me quiet in one.",
  ];
  if (!readsMessages())
    lines.push(
      "- **Reading**: I cannot read messages that are not for me. For follow-ups without a mention, switch on “Message Content Intent” in the developer portal.",
    );
  if (bot.model === "offline")
    lines.push(
      "- **No model yet**: whoever runs me has to set one with `KNACK_MODEL`. Until then only commands work.",
    );
  if (lacks.length > 0) lines.push("", "My role lacks some permissions:");
  return [...lines, ...lacks.map(({ name, stops }) => `- **${name}**: needed for ${stops}`)].join("\n");
}

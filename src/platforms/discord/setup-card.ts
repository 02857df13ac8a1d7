import type { App, ChatHost } from "../../app/app.ts";
import type { DiscordContext } from "./channel/discord-context.ts";
import { botMissingPermissions, type MissingPermission } from "./channel/missing-permissions.ts";
import { messageBody } from "./outgoing/message-body.ts";

/**
 * Sends a server's owner, once and in a direct message, instructions to set the bot up there. An owner who accepts no direct
 * messages gets none: this is no reason to post in a channel.
 */
export async function sendSetupCard(
  { rest, directory }: DiscordContext,
  { app, store, clock, logger }: Pick<ChatHost, "app" | "store" | "clock" | "logger">,
  readsMessages: boolean,
  guildId: string,
): Promise<void> {
  const key = `discord-setup:${guildId}`;
  if ((await store.get(key)) !== undefined) return;
  try {
    const guild = await directory.guild(guildId);
    const lacks = await botMissingPermissions(directory, guildId);
    const channel = await directory.directMessage(guild.owner_id);
    const body = messageBody({ markdown: setupText(app, readsMessages, guild.name, lacks) }, undefined);
    await rest.request("POST", `/channels/${channel}/messages`, { body });
    await store.set(key, { at: clock.now() });
  } catch (error) {
    logger.info({ err: error, guild: guildId }, "Discord: the owner could not be told how to set the bot up");
  }
}

function setupText(
  { name, model }: App,
  readsMessages: boolean,
  guild: string,
  lacks: readonly MissingPermission[],
): string {
  const lines = [
    `Hello! I am ${name}, and I was just added to **${guild}**. Only you see this.`,
    "- **Ask me**: mention me in a channel, and I answer in a thread. Or write to me here.",
    "- **Skills**: `/skill list` shows what I can do; whoever has *Manage Channels* can enable and disable skills for a channel.",
    "- **Where**: take *View Channel* away from my role in channels that I should stay out of. `/agent pause` keeps me quiet in one.",
  ];
  if (!readsMessages)
    lines.push(
      "- **Reading**: I cannot read messages that are not for me. For follow-ups without a mention, switch on “Message Content Intent” in the developer portal.",
    );
  if (model === "offline")
    lines.push(
      "- **No model yet**: whoever runs me has to set one with `KNACK_MODEL`. Until then only commands work.",
    );
  if (lacks.length > 0) lines.push("", "My role lacks some permissions:");
  return [...lines, ...lacks.map((each) => `- **${each.name}**: needed for ${each.stops}`)].join("\n");
}

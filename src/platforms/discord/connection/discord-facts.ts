// discord-api-types loads without discord.js.
import { ChannelType } from "discord-api-types/v10";

/** Whether a channel type is a thread. */
export function isThreadType(type: number): boolean {
  return type >= ChannelType.AnnouncementThread && type <= ChannelType.PrivateThread;
}

/** Channels that hold posts, each a thread, and no messages of their own. */
export function isForumType(type: number): boolean {
  return type === ChannelType.GuildForum || type === ChannelType.GuildMedia;
}

/** Voice channels. Only people who may connect can read their text. */
export function isVoiceType(type: number): boolean {
  return type === ChannelType.GuildVoice || type === ChannelType.GuildStageVoice;
}

/** Start of Discord's ids, ms since the epoch. Source: Discord reference, "Snowflakes". */
const discordEpoch = 1_420_070_400_000;

/** Creation time of an id, ms since the epoch. */
export function timeOf(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + discordEpoch;
}

/** The smallest id with this creation time, ms since the epoch. */
export function snowflakeAt(time: number): string {
  return String(BigInt(Math.max(0, Math.floor(time) - discordEpoch)) << 22n);
}

/** Whether a text is a Discord id. */
export function isSnowflake(text: string): boolean {
  return /^\d{15,20}$/.test(text);
}

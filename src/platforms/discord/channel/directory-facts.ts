import type { APIChannel, APIGuild, APIRole, APIUser } from "discord.js";
import { isThreadType } from "../connection/discord-facts.ts";

/** A server, as far as the bot needs it. */
export interface GuildFacts {
  id: string;
  name: string;
  owner_id: string;
  roles: ReadonlyMap<
    string,
    { name: string; permissions: bigint; bot_id: string | undefined; mentionable: boolean }
  >;
}

/** A channel or thread, as far as the bot needs it. */
export interface ChannelFacts {
  id: string;
  type: number;
  guild_id: string | undefined;
  name: string;
  topic: string | undefined;
  parent_id: string | undefined;
  overwrites: readonly { id: string; allow: bigint; deny: bigint }[];
  /** The person of a direct message. */
  recipient: string | undefined;
  last_message_id: string | undefined;
}

export interface MemberFacts {
  id: string;
  /** As people of the server see it. */
  name: string;
  roles: readonly string[];
  /** Until when a moderator took their voice, ms since the epoch. */
  muted_until?: number | undefined;
}

/** A member of a server as the API tells, with a user or without. */
export interface RawMember {
  roles: string[];
  nick?: string | null | undefined;
  communication_disabled_until?: string | null | undefined;
}

/** What people see of somebody without a name of their own in the server. */
export function displayName(user: Pick<APIUser, "username"> & { global_name?: string | null }): string {
  return user.global_name ?? user.username;
}

export function guildFacts(guild: APIGuild): GuildFacts {
  const roles = new Map(guild.roles.map((role) => [role.id, roleFacts(role)]));
  return { id: guild.id, name: guild.name, owner_id: guild.owner_id, roles };
}

export function roleFacts(role: APIRole) {
  const { name, tags, mentionable } = role;
  return { name, permissions: BigInt(role.permissions), bot_id: tags?.bot_id, mentionable };
}

export function memberFacts(user: APIUser, member: RawMember): MemberFacts {
  const { nick, roles, communication_disabled_until: muted } = member;
  return {
    id: user.id,
    name: nick ?? displayName(user),
    roles,
    ...(muted ? { muted_until: Date.parse(muted) } : {}),
  };
}

export function channelFacts(channel: APIChannel, guildId: string | undefined): ChannelFacts {
  const overwrites =
    "permission_overwrites" in channel && !isThreadType(channel.type)
      ? (channel.permission_overwrites ?? [])
      : [];
  return {
    id: channel.id,
    type: channel.type,
    guild_id: "guild_id" in channel ? (channel.guild_id ?? guildId) : guildId,
    name: channel.name ?? "",
    topic: "topic" in channel ? (channel.topic ?? undefined) : undefined,
    parent_id: "parent_id" in channel ? (channel.parent_id ?? undefined) : undefined,
    overwrites: overwrites.map(({ id, allow, deny }) => ({ id, allow: BigInt(allow), deny: BigInt(deny) })),
    recipient: "recipients" in channel ? channel.recipients?.[0]?.id : undefined,
    last_message_id: "last_message_id" in channel ? (channel.last_message_id ?? undefined) : undefined,
  };
}

import type { APIChannel, APIGuild, APIRole, APIUser } from "discord.js";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { isThreadType } from "../connection/discord-facts.ts";

/** The facts about a server that the bot needs. */
export interface GuildFacts {
  id: string;
  name: string;
  owner_id: string;
  roles: ReadonlyMap<
    string,
    { name: string; permissions: bigint; bot_id: string | undefined; mentionable: boolean }
  >;
}

/** The facts about a channel or thread that the bot needs. */
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
  /** The name shown in the server. */
  name: string;
  roles: readonly string[];
  /** End of a moderator's timeout, ms since the epoch. */
  muted_until?: number | undefined;
}

/** A member of a server as the API returns it, with or without its user. */
export interface RawMember {
  roles: string[];
  nick?: string | null | undefined;
  communication_disabled_until?: string | null | undefined;
}

/** The name shown for a person who has no nickname in the server. */
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

const everything = (1n << 60n) - 1n;

/** A person's permissions in a server. Source: Discord reference, "Permissions", compute_base_permissions. */
export function guildPermissions(guild: GuildFacts, userId: string, roles: readonly string[]): bigint {
  if (guild.owner_id === userId) return everything;
  const bits = [guild.id, ...roles].reduce((sum, id) => sum | (guild.roles.get(id)?.permissions ?? 0n), 0n);
  return (bits & PermissionFlagsBits.Administrator) === 0n ? bits : everything;
}

/**
 * A person's permissions in a channel; for a thread pass the channel it is in. Source: Discord reference, "Permissions",
 * compute_overwrites.
 */
export function channelPermissions(
  guild: GuildFacts,
  channel: ChannelFacts,
  userId: string,
  roles: readonly string[],
): bigint {
  const base = guildPermissions(guild, userId, roles);
  if (base === everything) return base;
  const apply = (bits: bigint, of: ChannelFacts["overwrites"]) => {
    const deny = of.reduce((sum, overwrite) => sum | overwrite.deny, 0n);
    const allow = of.reduce((sum, overwrite) => sum | overwrite.allow, 0n);
    return (bits & ~deny) | allow;
  };
  const { overwrites } = channel;
  const everyone = apply(
    base,
    overwrites.filter(({ id }) => id === guild.id),
  );
  const withRoles = apply(
    everyone,
    overwrites.filter(({ id }) => roles.includes(id)),
  );
  return apply(
    withRoles,
    overwrites.filter(({ id }) => id === userId),
  );
}

/** Whether these permissions allow mentioning a role. */
export function mayCallRole(bits: bigint, role: { mentionable: boolean }): boolean {
  return role.mentionable || has(bits, PermissionFlagsBits.MentionEveryone);
}

/** Whether all of these permissions are among `bits`. */
export function has(bits: bigint, wanted: bigint): boolean {
  return (bits & wanted) === wanted;
}

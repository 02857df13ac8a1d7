import type { APIChannel, APIGuild, APIMessage, APIRole, APIUser } from "discord.js";
import { LRUCache } from "lru-cache";
import {
  type ChannelFacts,
  channelFacts,
  displayName,
  type GuildFacts,
  guildFacts,
  type MemberFacts,
  memberFacts,
  type RawMember,
  roleFacts,
} from "./directory-facts.ts";

/** What the gateway brings. */
export interface DirectoryNotes {
  self(user: APIUser): void;
  guild(guild: APIGuild): void;
  role(guildId: string, role: APIRole): void;
  noRole(guildId: string, roleId: string): void;
  channel(channel: APIChannel, guildId?: string): void;
  member(guildId: string, user: APIUser, member: RawMember): void;
  author(message: Pick<APIMessage, "author" | "webhook_id">): void;
  directMessage(userId: string, channelId: string): void;
  noGuild(id: string): void;
  noChannel(id: string): void;
  noMember(guildId: string, userId: string): void;
}

/** What is older is asked for again; names are still good. The gateway does not tell whose roles changed. */
const freshness = { ttl: 60_000, max: 20_000, noDeleteOnStaleGet: true };

/** What is known of Discord. Members by `guild:user`. */
export interface DirectoryCaches {
  guilds: LRUCache<string, GuildFacts>;
  channels: LRUCache<string, ChannelFacts>;
  members: LRUCache<string, MemberFacts>;
  /** Who was asked for and is not in the server. */
  absent: LRUCache<string, true>;
  users: LRUCache<string, { name: string; bot: boolean }>;
  /** Channels by person. */
  directMessages: LRUCache<string, string>;
  /** The servers the bot is in, as far as this process hears of them. */
  joined: Set<string>;
  self: { id: string; name: string } | undefined;
}

export function createDirectoryCaches(): DirectoryCaches {
  return {
    guilds: new LRUCache(freshness),
    channels: new LRUCache(freshness),
    members: new LRUCache(freshness),
    absent: new LRUCache(freshness),
    users: new LRUCache(freshness),
    directMessages: new LRUCache({ max: 20_000 }),
    joined: new Set(),
    self: undefined,
  };
}

/** Keeps what the gateway brings, and forgets what it says is gone. */
export function createDirectoryNotes(caches: DirectoryCaches): DirectoryNotes {
  const { guilds, channels, members, absent, users, directMessages, joined } = caches;
  return {
    self: (user) => {
      caches.self = { id: user.id, name: user.username };
    },
    guild: (guild) => {
      joined.add(guild.id);
      guilds.set(guild.id, guildFacts(guild));
    },
    role: (guildId, role) => {
      const guild = guilds.get(guildId);
      if (guild !== undefined)
        guilds.set(guildId, { ...guild, roles: new Map([...guild.roles, [role.id, roleFacts(role)]]) });
    },
    noRole: (guildId, roleId) => {
      const guild = guilds.get(guildId);
      const left = [...(guild?.roles ?? [])].filter(([id]) => id !== roleId);
      if (guild !== undefined) guilds.set(guildId, { ...guild, roles: new Map(left) });
    },
    channel: (channel, guildId) => {
      channels.set(channel.id, channelFacts(channel, guildId));
    },
    member: (guildId, user, member) => {
      members.set(`${guildId}:${user.id}`, memberFacts(user, member));
      absent.delete(`${guildId}:${user.id}`);
      users.set(user.id, { name: displayName(user), bot: user.bot === true });
    },
    author: ({ author, webhook_id }) => {
      users.set(author.id, {
        name: displayName(author),
        bot: author.bot === true || webhook_id !== undefined,
      });
    },
    directMessage: (userId, channelId) => {
      directMessages.set(userId, channelId);
    },
    noGuild: (id) => {
      joined.delete(id);
      guilds.delete(id);
    },
    noChannel: (id) => {
      channels.delete(id);
    },
    noMember: (guildId, userId) => {
      members.delete(`${guildId}:${userId}`);
    },
  };
}

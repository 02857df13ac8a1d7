import type { APIChannel, APIGuild, APIGuildMember, APIMessage, APIRole, APIUser } from "discord.js";
import { LRUCache } from "lru-cache";
import { errorCodes, isThreadType } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
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

/**
 * Who and what there is on Discord: from what the gateway brings, otherwise asked for. Nothing is believed for longer than a
 * minute, so that a permission taken away is gone here too.
 */
export interface Directory {
  /** The bot's own user. */
  self(): Promise<{ id: string; name: string }>;
  guild(id: string): Promise<GuildFacts>;
  /** Undefined when it does not exist. @throws DiscordProblem */
  channel(id: string): Promise<ChannelFacts | undefined>;
  /** The channel as far as it is known without asking, maybe no longer as it is: good for names and types. */
  knownChannel(id: string): ChannelFacts | undefined;
  /** All channels and threads known without asking. */
  knownChannels(): ChannelFacts[];
  knownGuild(id: string): GuildFacts | undefined;
  knownUser(id: string): { name: string; bot: boolean } | undefined;
  /** Undefined when somebody is not in the server. @throws DiscordProblem */
  member(guildId: string, userId: string): Promise<MemberFacts | undefined>;
  /** Members of a server who were seen lately, the latest first, maybe no longer as they are. */
  knownMembers(guildId: string): MemberFacts[];
  user(id: string): Promise<{ name: string; bot: boolean } | undefined>;
  /** The channel of direct messages with somebody; made if there is none. @throws DiscordProblem */
  directMessage(userId: string): Promise<string>;
  /** The servers the bot is in: those of this process first, with those of others if `all`. @throws DiscordProblem */
  guilds(all: boolean): Promise<string[]>;
  see: DirectoryNotes;
}

/** What is known and old is good for names. */
const known = { allowStale: true };

export function createDirectory(rest: DiscordRest): Directory {
  const caches = createDirectoryCaches();
  const { guilds, channels, members, absent, users, directMessages, joined } = caches;
  const see = createDirectoryNotes(caches);
  const unlessGone = <T>(request: Promise<T>) => unlessRefused(request, ({ code }) => code === "gone");
  return {
    see,
    async guilds(all) {
      if (!all) return [...joined];
      const query = { limit: 200 };
      const found = await rest.request<{ id: string }[]>("GET", "/users/@me/guilds", { query });
      return [...new Set([...joined, ...found.map(({ id }) => id)])];
    },
    knownChannel: (id) => channels.get(id, known),
    knownChannels: () => [...channels.values()],
    knownGuild: (id) => guilds.get(id, known),
    knownUser: (id) => users.get(id, known),
    knownMembers: (guildId) =>
      members
        .dump()
        .filter(([key]) => key.startsWith(`${guildId}:`))
        .map(([, { value }]) => value)
        .toReversed(),
    async self() {
      if (caches.self === undefined) see.self(await rest.request<APIUser>("GET", "/users/@me"));
      return caches.self ?? { id: "", name: "" };
    },
    async guild(id) {
      const fresh = guilds.get(id);
      if (fresh !== undefined) return fresh;
      const facts = guildFacts(await rest.request<APIGuild>("GET", `/guilds/${id}`));
      guilds.set(id, facts);
      return facts;
    },
    async channel(id) {
      const fresh = channels.get(id);
      if (fresh !== undefined) return fresh;
      const found = await unlessGone(rest.request<APIChannel>("GET", `/channels/${id}`));
      if (found !== undefined) see.channel(found);
      return channels.get(id);
    },
    async member(guildId, userId) {
      const fresh = members.get(`${guildId}:${userId}`);
      if (fresh !== undefined) return fresh;
      if (absent.has(`${guildId}:${userId}`)) return undefined;
      const found = await unlessRefused(
        rest.request<APIGuildMember>("GET", `/guilds/${guildId}/members/${userId}`),
        ({ code, discordCode }) => code === "gone" || discordCode === errorCodes.unknownUser,
      );
      if (found === undefined) absent.set(`${guildId}:${userId}`, true);
      else see.member(guildId, found.user, found);
      return members.get(`${guildId}:${userId}`);
    },
    async user(id) {
      const fresh = users.get(id);
      if (fresh !== undefined) return fresh;
      const found = await unlessGone(rest.request<APIUser>("GET", `/users/${id}`));
      if (found !== undefined) see.author({ author: found });
      return users.get(id);
    },
    async directMessage(userId) {
      const fresh = directMessages.get(userId);
      if (fresh !== undefined) return fresh;
      const body = { recipient_id: userId };
      const { id } = await rest.request<APIChannel>("POST", "/users/@me/channels", { body });
      directMessages.set(userId, id);
      return id;
    },
  };
}

/** The channel whose permissions apply in a channel: for a thread the one it is in. @throws DiscordProblem */
export async function permissionChannel(
  directory: Pick<Directory, "channel">,
  channel: ChannelFacts | undefined,
): Promise<ChannelFacts | undefined> {
  const isThread = channel !== undefined && isThreadType(channel.type);
  return isThread ? directory.channel(channel.parent_id ?? "") : channel;
}

/** What the gateway brings. */
interface DirectoryNotes {
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
interface DirectoryCaches {
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

function createDirectoryCaches(): DirectoryCaches {
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
function createDirectoryNotes(caches: DirectoryCaches): DirectoryNotes {
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

import type { APIChannel, APIGuild, APIGuildMember, APIMessage, APIRole, APIUser } from "discord.js";
import { LRUCache } from "lru-cache";
import { errorCodes, isThreadType } from "./discord-facts.ts";
import { type DiscordRest, unlessRefused } from "./discord-rest.ts";

/** A server, as far as the bot needs it. */
export interface GuildFacts {
  id: string;
  name: string;
  owner_id: string;
  roles: ReadonlyMap<string, { name: string; permissions: bigint; bot_id: string | undefined }>;
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

interface MemberFacts {
  id: string;
  /** As people of the server see it. */
  name: string;
  roles: readonly string[];
}

/**
 * Who and what there is on Discord: from what the gateway brings, otherwise asked for. Nothing is believed for longer than five
 * minutes, so that a permission taken away is gone here too.
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
  user(id: string): Promise<{ name: string; bot: boolean } | undefined>;
  /** The channel of direct messages with somebody; made if there is none. @throws DiscordProblem */
  directMessage(userId: string): Promise<string>;
  /** The servers the bot is in: those of this process first, with those of others if `all`. @throws DiscordProblem */
  guilds(all: boolean): Promise<string[]>;
  see: DirectoryNotes;
}

/** What the gateway brings. */
interface DirectoryNotes {
  self(user: APIUser): void;
  guild(guild: APIGuild): void;
  role(guildId: string, role: APIRole): void;
  noRole(guildId: string, roleId: string): void;
  channel(channel: APIChannel, guildId?: string): void;
  member(guildId: string, user: APIUser, member: { roles: string[]; nick?: string | null }): void;
  author(message: Pick<APIMessage, "author" | "webhook_id">): void;
  directMessage(userId: string, channelId: string): void;
  noGuild(id: string): void;
  noChannel(id: string): void;
  noMember(guildId: string, userId: string): void;
}

/** What is older is asked for again; names are still good. */
const freshness = { ttl: 5 * 60_000, max: 20_000, noDeleteOnStaleGet: true };
const known = { allowStale: true };

export function createDirectory(rest: DiscordRest): Directory {
  const guilds = new LRUCache<string, GuildFacts>(freshness);
  const channels = new LRUCache<string, ChannelFacts>(freshness);
  const members = new LRUCache<string, MemberFacts>(freshness);
  const absent = new LRUCache<string, true>(freshness);
  const users = new LRUCache<string, { name: string; bot: boolean }>(freshness);
  const directMessages = new LRUCache<string, string>({ max: 20_000 });
  const joined = new Set<string>();
  let self: { id: string; name: string } | undefined;
  const unlessGone = <T>(request: Promise<T>) => unlessRefused(request, ({ code }) => code === "gone");

  const see: DirectoryNotes = {
    self: (user) => {
      self = { id: user.id, name: user.username };
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
    async self() {
      if (self === undefined) see.self(await rest.request<APIUser>("GET", "/users/@me"));
      return self ?? { id: "", name: "" };
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

/** What people see of somebody without a name of their own in the server. */
export function displayName(user: Pick<APIUser, "username"> & { global_name?: string | null }): string {
  return user.global_name ?? user.username;
}

function guildFacts(guild: APIGuild): GuildFacts {
  const roles = new Map(guild.roles.map((role) => [role.id, roleFacts(role)]));
  return { id: guild.id, name: guild.name, owner_id: guild.owner_id, roles };
}

function roleFacts(role: APIRole) {
  return { name: role.name, permissions: BigInt(role.permissions), bot_id: role.tags?.bot_id };
}

function memberFacts(user: APIUser, member: { roles: string[]; nick?: string | null }): MemberFacts {
  return { id: user.id, name: member.nick ?? displayName(user), roles: member.roles };
}

function channelFacts(channel: APIChannel, guildId: string | undefined): ChannelFacts {
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

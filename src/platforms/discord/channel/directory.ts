import type { APIChannel, APIGuild, APIGuildMember, APIMessage, APIRole, APIUser } from "discord.js";
import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";
import { growingTo } from "../../../base/growing-cache.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import { isThreadType } from "../connection/discord-facts.ts";
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
 * Servers, channels and people on Discord: from gateway events, otherwise requested. Entries are trusted for one minute, so
 * that a withdrawn permission takes effect here too, also in a process that hears no events of their server.
 */
export interface Directory {
  /** The bot's own user. */
  self(): Promise<{ id: string; name: string }>;
  guild(id: string): Promise<GuildFacts>;
  /** Undefined when it does not exist. @throws DiscordProblem */
  channel(id: string): Promise<ChannelFacts | undefined>;
  /** The channel if it is known without a request. It may be outdated: use it for names and types. */
  knownChannel(id: string): ChannelFacts | undefined;
  /** The channels and active threads of a server, as Discord lists them now. @throws DiscordProblem */
  channelsOf(guildId: string): Promise<ChannelFacts[]>;
  knownGuild(id: string): GuildFacts | undefined;
  knownUser(id: string): { name: string; bot: boolean } | undefined;
  /** Undefined when the person is not in the server. @throws DiscordProblem */
  member(guildId: string, userId: string): Promise<MemberFacts | undefined>;
  /** Members of a server seen recently, latest first. They may be outdated. */
  knownMembers(guildId: string): MemberFacts[];
  user(id: string): Promise<{ name: string; bot: boolean } | undefined>;
  /** The channel of the direct messages with a person; created if there is none. @throws DiscordProblem */
  directMessage(userId: string): Promise<string>;
  /** The bot's servers: those of this process first, with `all` also those of other processes. @throws DiscordProblem */
  guilds(all: boolean): Promise<string[]>;
  /** Makes the names of a server's channels and roles known if no events bring them here. A refusal of Discord is ignored. */
  learnNames(guildId: string): Promise<void>;
  see: DirectoryNotes;
}

/** An outdated entry is good enough for names. */
const stale = { allowStale: true };

export function createDirectory(rest: DiscordRest, clock: Pick<Clock, "now">): Directory {
  const freshness = { ...trust, perf: clock };
  const caches = createDirectoryCaches(freshness);
  const { guilds, channels, members, absent, users, directMessages, joined } = caches;
  const see = createDirectoryNotes(caches);
  const unlessGone = <T>(request: Promise<T>) => unlessRefused(request, ({ code }) => code === "gone");
  const guild = async (id: string) => {
    const fresh = guilds.get(id);
    if (fresh !== undefined) return fresh;
    const facts = guildFacts(await rest.request<APIGuild>("GET", `/guilds/${id}`));
    guilds.set(id, facts);
    return facts;
  };
  return {
    see,
    guild,
    ...createLists({ rest, joined, see, freshness }, guild),
    knownChannel: (id) => channels.get(id, stale),
    async channelsOf(id) {
      const listed = await rest.request<APIChannel[]>("GET", `/guilds/${id}/channels`);
      const active = await rest.request<{ threads: APIChannel[] }>("GET", `/guilds/${id}/threads/active`);
      return [...listed, ...active.threads].map((channel) => see.channel(channel, id));
    },
    knownGuild: (id) => guilds.get(id, stale),
    knownUser: (id) => users.get(id, stale),
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
        ({ code, discordCode }) => code === "gone" || discordCode === RESTJSONErrorCodes.UnknownUser,
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

/** The lists of the bot's servers and of their channels, which events bring only to the process that hears them. */
function createLists(
  deps: { rest: DiscordRest; joined: ReadonlySet<string>; see: DirectoryNotes; freshness: Freshness },
  guild: Directory["guild"],
): Pick<Directory, "guilds" | "learnNames"> {
  const { rest, joined, see, freshness } = deps;
  const everywhere = new LRUCache<"all", string[]>(freshness);
  const learned = new LRUCache<string, Promise<unknown>>(freshness);
  const readNames = async (guildId: string) => {
    await guild(guildId);
    const channels = await rest.request<APIChannel[]>("GET", `/guilds/${guildId}/channels`);
    for (const channel of channels) see.channel(channel, guildId);
  };
  const listAll = async () => {
    const query = { limit: 200 };
    const listed = await rest.request<{ id: string }[]>("GET", "/users/@me/guilds", { query });
    const ids = listed.map(({ id }) => id);
    everywhere.set("all", ids);
    return ids;
  };
  return {
    guilds: async (all) =>
      all ? [...new Set([...joined, ...(everywhere.get("all") ?? (await listAll()))])] : [...joined],
    async learnNames(guildId) {
      if (joined.has(guildId)) return;
      const learning = learned.get(guildId) ?? unlessRefused(readNames(guildId), () => true);
      if (!learned.has(guildId)) learned.set(guildId, learning);
      await learning;
    },
  };
}

/** The channel whose permissions apply: the parent of a thread, otherwise the channel itself. Undefined if it does not exist. @throws DiscordProblem */
export async function permissionChannel(
  directory: Pick<Directory, "channel">,
  channel: ChannelFacts | undefined,
): Promise<ChannelFacts | undefined> {
  const isThread = channel !== undefined && isThreadType(channel.type);
  return isThread ? directory.channel(channel.parent_id ?? "") : channel;
}

/** Updates from gateway events. */
interface DirectoryNotes {
  self(user: APIUser): void;
  guild(guild: APIGuild): void;
  role(guildId: string, role: APIRole): void;
  removeRole(guildId: string, roleId: string): void;
  channel(channel: APIChannel, guildId?: string): ChannelFacts;
  member(guildId: string, user: APIUser, member: RawMember): void;
  author(message: Pick<APIMessage, "author" | "webhook_id">): void;
  directMessage(userId: string, channelId: string): void;
  removeGuild(id: string): void;
  removeChannel(id: string): void;
  removeMember(guildId: string, userId: string): void;
}

/** Older entries are requested again, since the gateway does not report changed roles; their names stay usable. */
const trust = { ttl: 60_000, ttlResolution: 0, ...growingTo(20_000), noDeleteOnStaleGet: true };

type Freshness = typeof trust & { perf: Pick<Clock, "now"> };

/** Cached facts. Members by `guild:user`. */
interface DirectoryCaches {
  guilds: LRUCache<string, GuildFacts>;
  channels: LRUCache<string, ChannelFacts>;
  members: LRUCache<string, MemberFacts>;
  /** People who were requested and are not in the server. */
  absent: LRUCache<string, true>;
  users: LRUCache<string, { name: string; bot: boolean }>;
  /** Channels by person. */
  directMessages: LRUCache<string, string>;
  /** The bot's servers whose events this process receives. */
  joined: Set<string>;
  self: { id: string; name: string } | undefined;
}

function createDirectoryCaches(freshness: Freshness): DirectoryCaches {
  return {
    guilds: new LRUCache(freshness),
    channels: new LRUCache(freshness),
    members: new LRUCache(freshness),
    absent: new LRUCache(freshness),
    users: new LRUCache(freshness),
    directMessages: new LRUCache(growingTo(20_000)),
    joined: new Set(),
    self: undefined,
  };
}

/** Applies gateway events to the caches. */
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
    removeRole: (guildId, roleId) => {
      const guild = guilds.get(guildId);
      const left = [...(guild?.roles ?? [])].filter(([id]) => id !== roleId);
      if (guild !== undefined) guilds.set(guildId, { ...guild, roles: new Map(left) });
    },
    channel: (channel, guildId) => {
      const facts = channelFacts(channel, guildId);
      channels.set(channel.id, facts);
      return facts;
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
    removeGuild: (id) => {
      joined.delete(id);
      guilds.delete(id);
    },
    removeChannel: (id) => {
      channels.delete(id);
    },
    removeMember: (guildId, userId) => {
      members.delete(`${guildId}:${userId}`);
    },
  };
}

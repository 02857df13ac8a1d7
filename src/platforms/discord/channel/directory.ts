import type { APIChannel, APIGuild, APIGuildMember, APIMessage, APIRole, APIUser } from "discord.js";
import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";
import { growingTo } from "../../../base/growing-cache.ts";
import { madeOnce } from "../../../base/made-once.ts";
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

/** Older entries are requested again, since the gateway does not report changed roles; their names stay usable. */
const trust = { ttl: 60_000, ttlResolution: 0, ...growingTo(20_000), noDeleteOnStaleGet: true };

/** An outdated entry is good enough for names. */
const stale = { allowStale: true };

interface KnownUser {
  name: string;
  bot: boolean;
}

/**
 * Servers, channels and people on Discord: from gateway events, otherwise requested. Entries are trusted for one minute, so
 * that a withdrawn permission takes effect here too, also in a process that hears no events of their server.
 */
export class Directory {
  readonly #rest: DiscordRest;
  readonly #guilds: LRUCache<string, GuildFacts>;
  readonly #channels: LRUCache<string, ChannelFacts>;
  /** By `guild:user`. */
  readonly #members: LRUCache<string, MemberFacts>;
  /** People who were requested and are not in the server. */
  readonly #absent: LRUCache<string, true>;
  readonly #users: LRUCache<string, KnownUser>;
  /** Channels by person. */
  readonly #directMessages = new LRUCache<string, string>(growingTo(20_000));
  /** The bot's servers whose events this process receives, and all of them as Discord listed them. */
  readonly #joined = new Set<string>();
  readonly #everywhere: LRUCache<"all", string[]>;
  /** Servers whose names were requested. */
  readonly #learned: LRUCache<string, Promise<unknown>>;
  #self: { id: string; name: string } | undefined;

  constructor(rest: DiscordRest, clock: Pick<Clock, "now">) {
    const freshness = { ...trust, perf: clock };
    this.#rest = rest;
    this.#guilds = new LRUCache(freshness);
    this.#channels = new LRUCache(freshness);
    this.#members = new LRUCache(freshness);
    this.#absent = new LRUCache(freshness);
    this.#users = new LRUCache(freshness);
    this.#everywhere = new LRUCache(freshness);
    this.#learned = new LRUCache(freshness);
  }

  /** The bot's own user. */
  async self(): Promise<{ id: string; name: string }> {
    return this.#self ?? this.noteSelf(await this.#rest.request<APIUser>("GET", "/users/@me"));
  }

  async guild(id: string): Promise<GuildFacts> {
    const fresh = this.#guilds.get(id);
    if (fresh !== undefined) return fresh;
    const facts = guildFacts(await this.#rest.request<APIGuild>("GET", `/guilds/${id}`));
    this.#guilds.set(id, facts);
    return facts;
  }

  knownGuild(id: string): GuildFacts | undefined {
    return this.#guilds.get(id, stale);
  }

  /** Undefined when it does not exist. @throws DiscordProblem */
  async channel(id: string): Promise<ChannelFacts | undefined> {
    const fresh = this.#channels.get(id);
    if (fresh !== undefined) return fresh;
    const found = await unlessRefused(this.#rest.request<APIChannel>("GET", `/channels/${id}`), "gone");
    return found && this.noteChannel(found);
  }

  /** The channel if it is known without a request. It may be outdated: use it for names and types. */
  knownChannel(id: string): ChannelFacts | undefined {
    return this.#channels.get(id, stale);
  }

  /** The channels of a server, without threads, as Discord lists them now. @throws DiscordProblem */
  async channelsOf(guildId: string): Promise<ChannelFacts[]> {
    const channels = await this.#rest.request<APIChannel[]>("GET", `/guilds/${guildId}/channels`);
    return channels.map((channel) => this.noteChannel(channel, guildId));
  }

  /** The active threads of a server, as Discord lists them now. @throws DiscordProblem */
  async threadsOf(guildId: string): Promise<ChannelFacts[]> {
    const path = `/guilds/${guildId}/threads/active` as const;
    const { threads } = await this.#rest.request<{ threads: APIChannel[] }>("GET", path);
    return threads.map((thread) => this.noteChannel(thread, guildId));
  }

  /** Undefined when the person is not in the server. @throws DiscordProblem */
  async member(guildId: string, userId: string): Promise<MemberFacts | undefined> {
    const key = `${guildId}:${userId}`;
    const fresh = this.#members.get(key);
    if (fresh !== undefined || this.#absent.has(key)) return fresh;
    const path = `/guilds/${guildId}/members/${userId}` as const;
    const request = this.#rest.request<APIGuildMember>("GET", path);
    const found = await unlessRefused(request, "gone", RESTJSONErrorCodes.UnknownUser);
    if (found !== undefined) return this.noteMember(guildId, found.user, found);
    this.#absent.set(key, true);
    return undefined;
  }

  /** Members of a server seen recently, latest first. They may be outdated. */
  knownMembers(guildId: string): MemberFacts[] {
    const ours = this.#members.dump().filter(([key]) => key.startsWith(`${guildId}:`));
    return ours.map(([, { value }]) => value).toReversed();
  }

  async user(id: string): Promise<KnownUser | undefined> {
    const fresh = this.#users.get(id);
    if (fresh !== undefined) return fresh;
    const found = await unlessRefused(this.#rest.request<APIUser>("GET", `/users/${id}`), "gone");
    return found && this.noteAuthor({ author: found });
  }

  knownUser(id: string): KnownUser | undefined {
    return this.#users.get(id, stale);
  }

  /** The channel of the direct messages with a person; created if there is none. @throws DiscordProblem */
  async directMessage(userId: string): Promise<string> {
    const known = this.#directMessages.get(userId);
    if (known !== undefined) return known;
    const body = { recipient_id: userId };
    const { id } = await this.#rest.request<APIChannel>("POST", "/users/@me/channels", { body });
    this.#directMessages.set(userId, id);
    return id;
  }

  /** The bot's servers: those of this process first, with `all` also those of other processes. @throws DiscordProblem */
  async guilds(all: boolean): Promise<string[]> {
    if (!all) return [...this.#joined];
    const listed = this.#everywhere.get("all") ?? (await this.#listAll());
    return [...new Set([...this.#joined, ...listed])];
  }

  async #listAll(): Promise<string[]> {
    const query = { limit: 200 };
    const listed = await this.#rest.request<{ id: string }[]>("GET", "/users/@me/guilds", { query });
    const ids = listed.map(({ id }) => id);
    this.#everywhere.set("all", ids);
    return ids;
  }

  /** Makes the names of a server's channels and roles known if no events bring them here. A refusal of Discord is ignored. */
  async learnNames(guildId: string): Promise<void> {
    if (this.#joined.has(guildId)) return;
    await madeOnce(this.#learned, guildId, () => unlessRefused(this.#readNames(guildId)));
  }

  async #readNames(guildId: string): Promise<void> {
    await this.guild(guildId);
    await this.channelsOf(guildId);
  }

  noteSelf({ id, username: name }: APIUser): { id: string; name: string } {
    this.#self = { id, name };
    return this.#self;
  }

  noteGuild(guild: APIGuild): void {
    this.#joined.add(guild.id);
    this.#guilds.set(guild.id, guildFacts(guild));
  }

  forgetGuild(id: string): void {
    this.#joined.delete(id);
    this.#guilds.delete(id);
  }

  noteRole(guildId: string, role: APIRole): void {
    const guild = this.#guilds.get(guildId);
    if (guild !== undefined)
      this.#guilds.set(guildId, { ...guild, roles: new Map([...guild.roles, [role.id, roleFacts(role)]]) });
  }

  forgetRole(guildId: string, roleId: string): void {
    const guild = this.#guilds.get(guildId);
    const left = [...(guild?.roles ?? [])].filter(([id]) => id !== roleId);
    if (guild !== undefined) this.#guilds.set(guildId, { ...guild, roles: new Map(left) });
  }

  noteChannel(channel: APIChannel, guildId?: string): ChannelFacts {
    const facts = channelFacts(channel, guildId);
    this.#channels.set(channel.id, facts);
    return facts;
  }

  forgetChannel(id: string): void {
    this.#channels.delete(id);
  }

  noteMember(guildId: string, user: APIUser, member: RawMember): MemberFacts {
    const facts = memberFacts(user, member);
    this.#members.set(`${guildId}:${user.id}`, facts);
    this.#absent.delete(`${guildId}:${user.id}`);
    this.noteAuthor({ author: user });
    return facts;
  }

  forgetMember(guildId: string, userId: string): void {
    this.#members.delete(`${guildId}:${userId}`);
  }

  noteAuthor({ author, webhook_id }: Pick<APIMessage, "author" | "webhook_id">): KnownUser {
    const known = { name: displayName(author), bot: author.bot === true || webhook_id !== undefined };
    this.#users.set(author.id, known);
    return known;
  }

  noteDirectMessage(userId: string, channelId: string): void {
    this.#directMessages.set(userId, channelId);
  }
}

/** The channel whose permissions apply: the parent of a thread, otherwise the channel itself. Undefined if it does not exist. @throws DiscordProblem */
export async function permissionChannel(
  directory: Directory,
  channel: ChannelFacts | undefined,
): Promise<ChannelFacts | undefined> {
  const isThread = channel !== undefined && isThreadType(channel.type);
  return isThread ? directory.channel(channel.parent_id ?? "") : channel;
}

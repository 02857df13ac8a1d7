import type { APIThreadChannel } from "discord.js";
import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import type { ChannelAccess } from "../../../core/ports/chat-actions.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import { isThreadType, isVoiceType } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import { type Directory, permissionChannel } from "./directory.ts";
import {
  type ChannelFacts,
  channelPermissions,
  type GuildFacts,
  has,
  type MemberFacts,
} from "./directory-facts.ts";
import { channelPlace, readPlace } from "./discord-place.ts";

const listed: readonly number[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
];

/** A channel, or a private thread in it, and the person whose access is checked. */
interface AccessCheck {
  guild: GuildFacts;
  channel: ChannelFacts;
  thread?: ChannelFacts;
  person: MemberFacts;
}

/** People's permissions in channels, from current roles and overwrites. */
export class DiscordAccess {
  readonly #rest: DiscordRest;
  readonly #directory: Directory;
  readonly #clock: Clock;

  constructor(rest: DiscordRest, directory: Directory, clock: Clock) {
    this.#rest = rest;
    this.#directory = directory;
    this.#clock = clock;
  }

  /** As `ChatActions.access`. */
  async of(namespace: string, person: string): Promise<ChannelAccess | undefined> {
    const { person: other, guild, channel } = readPlace({ namespace, thread: "" });
    if (other !== undefined)
      return other === person
        ? { namespace, name: "direct message", open: false, write: true, pin: true }
        : undefined;
    if (guild === undefined || channel === undefined) return undefined;
    const check = await this.#findChannel(guild, channel, person);
    return check && this.#accessTo(check);
  }

  /** The channels of a server that both the person and the bot can read. */
  async readable(guildId: string, id: string): Promise<ChannelAccess[]> {
    const person = await this.#directory.member(guildId, id);
    if (person === undefined) return [];
    const guild = await this.#directory.guild(guildId);
    const channels = (await this.#directory.channelsOf(guildId)).filter(({ type }) => listed.includes(type));
    const found = await Promise.all(channels.map((channel) => this.#accessTo({ guild, channel, person })));
    return found.filter((access) => access !== undefined);
  }

  /** Whether a member of a server sees a channel, or is in a private thread. @throws DiscordProblem */
  async sees(
    guild: GuildFacts,
    channel: ChannelFacts,
    { id, roles }: Pick<MemberFacts, "id" | "roles">,
  ): Promise<boolean> {
    const parent = await permissionChannel(this.#directory, channel);
    if (parent === undefined) return false;
    if (!has(channelPermissions(guild, parent, id, roles), PermissionFlagsBits.ViewChannel)) return false;
    return channel.type !== ChannelType.PrivateThread || (await isThreadMember(this.#rest, channel.id, id));
  }

  /** Undefined if the bot is not there, if the person is not in the server, and for threads without a namespace of their own. */
  async #findChannel(guildId: string, channelId: string, id: string): Promise<AccessCheck | undefined> {
    const [guild, found] = await Promise.all([
      unlessRefused(this.#directory.guild(guildId), "forbidden", "gone"),
      unlessRefused(this.#directory.channel(channelId), "forbidden", "gone"),
    ]);
    if (guild === undefined || found?.guild_id !== guildId) return undefined;
    const person = await this.#directory.member(guildId, id);
    if (person === undefined) return undefined;
    if (!isThreadType(found.type)) return { guild, channel: found, person };
    if (found.type !== ChannelType.PrivateThread) return undefined;
    const channel = await permissionChannel(this.#directory, found);
    return channel && { guild, channel, thread: found, person };
  }

  async #accessTo({ guild, channel, thread, person }: AccessCheck): Promise<ChannelAccess | undefined> {
    const self = await this.#directory.self();
    const bot = await this.#directory.member(guild.id, self.id);
    const mine = channelPermissions(guild, channel, self.id, bot?.roles ?? []);
    const theirs = channelPermissions(guild, channel, person.id, person.roles);
    const { ViewChannel, ReadMessageHistory, Connect, SendMessages, SendMessagesInThreads, PinMessages } =
      PermissionFlagsBits;
    const reading = ViewChannel | ReadMessageHistory | (isVoiceType(channel.type) ? Connect : 0n);
    if (!has(theirs, reading) || !has(mine, ViewChannel)) return undefined;
    if (thread !== undefined && !(await isThreadMember(this.#rest, thread.id, person.id))) return undefined;
    const writing = thread === undefined ? SendMessages : SendMessagesInThreads;
    const isLocked = thread !== undefined && (await isLockedFor(this.#rest, thread.id, mine & theirs));
    const hasVoice = !isMuted(person, theirs, this.#clock.now());
    const { id, name, topic } = thread ?? channel;
    return {
      namespace: channelPlace(guild.id, id).namespace,
      name,
      topic: topic || undefined,
      open: thread === undefined && has(channelPermissions(guild, channel, "", []), reading),
      write: hasVoice && !isLocked && has(mine & theirs, writing),
      // Source: Discord's change log, 2026-02-23: Manage Messages is not enough any more.
      pin: hasVoice && has(theirs, PinMessages),
    };
  }
}

/** Source: Discord reference, "Permissions for Timed Out Members". */
function isMuted({ muted_until = 0 }: MemberFacts, bits: bigint, now: number): boolean {
  return muted_until > now && !has(bits, PermissionFlagsBits.Administrator);
}

export async function isThreadMember(rest: DiscordRest, thread: string, person: string): Promise<boolean> {
  const found = rest.request("GET", `/channels/${thread}/thread-members/${person}`);
  return (await unlessRefused(found, "gone", "forbidden")) !== undefined;
}

/** A message reopens an archived thread; a locked one only for people who manage threads. */
async function isLockedFor(rest: DiscordRest, thread: string, bits: bigint): Promise<boolean> {
  if (has(bits, PermissionFlagsBits.ManageThreads)) return false;
  const { thread_metadata } = await rest.request<APIThreadChannel>("GET", `/channels/${thread}`);
  return thread_metadata?.locked === true;
}

import type { APIChannel, APIThreadChannel } from "discord.js";
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

/** People's permissions in channels, from current roles and overwrites. */
export interface DiscordAccess {
  /** As `ChatActions.access`. */
  of(namespace: string, person: string): Promise<ChannelAccess | undefined>;
  /** The channels of a server that both the person and the bot can read. */
  readable(guild: string, person: string): Promise<ChannelAccess[]>;
  /** Whether a member of a server sees a channel, or is in a private thread. @throws DiscordProblem */
  sees(guild: GuildFacts, channel: ChannelFacts, member: Pick<MemberFacts, "id" | "roles">): Promise<boolean>;
}

export interface AccessDeps {
  rest: DiscordRest;
  directory: Directory;
  clock: Clock;
}

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
  thread: ChannelFacts | undefined;
  person: MemberFacts;
}

export function createAccess(deps: AccessDeps): DiscordAccess {
  const { rest, directory } = deps;
  return {
    async sees(guild, channel, { id, roles }) {
      const parent = await permissionChannel(directory, channel);
      if (parent === undefined) return false;
      if (!has(channelPermissions(guild, parent, id, roles), PermissionFlagsBits.ViewChannel)) return false;
      return channel.type !== ChannelType.PrivateThread || (await isThreadMember(rest, channel.id, id));
    },
    async of(namespace, person) {
      const { person: other, guild, channel } = readPlace({ namespace, thread: "" });
      if (other !== undefined) return other === person ? directMessages(namespace) : undefined;
      if (guild === undefined || channel === undefined) return undefined;
      const check = await findChannel(directory, guild, channel, person);
      return check === undefined ? undefined : accessTo(deps, check);
    },
    async readable(guildId, id) {
      const person = await directory.member(guildId, id);
      if (person === undefined) return [];
      const guild = await directory.guild(guildId);
      const channels = await rest.request<APIChannel[]>("GET", `/guilds/${guildId}/channels`);
      for (const channel of channels) directory.see.channel(channel, guildId);
      const facts = channels.flatMap((channel) =>
        listed.includes(channel.type) ? (directory.knownChannel(channel.id) ?? []) : [],
      );
      const found = await Promise.all(
        facts.map((channel) => accessTo(deps, { guild, channel, thread: undefined, person })),
      );
      return found.filter((access) => access !== undefined);
    },
  };
}

function directMessages(namespace: string): ChannelAccess {
  return { namespace, name: "direct message", open: false, write: true, pin: true };
}

/** Undefined if the bot is not there, if the person is not in the server, and for threads without a namespace of their own. */
async function findChannel(
  directory: Directory,
  guildId: string,
  channelId: string,
  id: string,
): Promise<AccessCheck | undefined> {
  const isOut = ({ code }: { code: string }) => code === "forbidden" || code === "gone";
  const [guild, found] = await Promise.all([
    unlessRefused(directory.guild(guildId), isOut),
    unlessRefused(directory.channel(channelId), isOut),
  ]);
  if (guild === undefined || found?.guild_id !== guildId) return undefined;
  const person = await directory.member(guildId, id);
  if (person === undefined) return undefined;
  if (!isThreadType(found.type)) return { guild, channel: found, thread: undefined, person };
  if (found.type !== ChannelType.PrivateThread) return undefined;
  const channel = await permissionChannel(directory, found);
  return channel === undefined ? undefined : { guild, channel, thread: found, person };
}

async function accessTo(
  { rest, directory, clock }: AccessDeps,
  { guild, channel, thread, person }: AccessCheck,
): Promise<ChannelAccess | undefined> {
  const self = await directory.self();
  const bot = await directory.member(guild.id, self.id);
  const mine = channelPermissions(guild, channel, self.id, bot?.roles ?? []);
  const theirs = channelPermissions(guild, channel, person.id, person.roles);
  const reading =
    PermissionFlagsBits.ViewChannel |
    PermissionFlagsBits.ReadMessageHistory |
    (isVoiceType(channel.type) ? PermissionFlagsBits.Connect : 0n);
  if (!has(theirs, reading) || !has(mine, PermissionFlagsBits.ViewChannel)) return undefined;
  if (thread !== undefined && !(await isThreadMember(rest, thread.id, person.id))) return undefined;
  const writing =
    thread === undefined ? PermissionFlagsBits.SendMessages : PermissionFlagsBits.SendMessagesInThreads;
  const isLocked = thread !== undefined && (await isLockedFor(rest, thread.id, mine & theirs));
  const hasVoice = !isMuted(person, theirs, clock.now());
  const { id, name, topic = "" } = thread ?? channel;
  return {
    namespace: channelPlace(guild.id, id).namespace,
    name,
    ...(topic === "" ? {} : { topic }),
    open: thread === undefined && has(channelPermissions(guild, channel, "", []), reading),
    write: hasVoice && !isLocked && has(mine & theirs, writing),
    // Source: Discord's change log, 2026-02-23: Manage Messages is not enough any more.
    pin: hasVoice && has(theirs, PermissionFlagsBits.PinMessages),
  };
}

/** Source: Discord reference, "Permissions for Timed Out Members". */
function isMuted({ muted_until = 0 }: MemberFacts, bits: bigint, now: number): boolean {
  return muted_until > now && !has(bits, PermissionFlagsBits.Administrator);
}

export async function isThreadMember(rest: DiscordRest, thread: string, person: string): Promise<boolean> {
  const found = rest.request("GET", `/channels/${thread}/thread-members/${person}`);
  return (await unlessRefused(found, ({ code }) => code === "gone" || code === "forbidden")) !== undefined;
}

/** A message reopens an archived thread; a locked one only for people who manage threads. */
async function isLockedFor(rest: DiscordRest, thread: string, bits: bigint): Promise<boolean> {
  if (has(bits, PermissionFlagsBits.ManageThreads)) return false;
  const { thread_metadata } = await rest.request<APIThreadChannel>("GET", `/channels/${thread}`);
  return thread_metadata?.locked === true;
}

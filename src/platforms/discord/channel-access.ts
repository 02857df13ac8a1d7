import type { APIChannel, APIThreadChannel } from "discord.js";
import type { ChannelAccess } from "../../core/chat-actions.ts";
import type { Directory } from "./directory.ts";
import type { ChannelFacts, GuildFacts, MemberFacts } from "./directory-facts.ts";
import { channelTypes, isThreadType, permissions } from "./discord-facts.ts";
import { channelPlace, readPlace } from "./discord-place.ts";
import { type DiscordRest, unlessRefused } from "./discord-rest.ts";
import { channelPermissions, has } from "./permission-bits.ts";

/** What people may do in channels, from roles and overwrites as they are now. */
export interface DiscordAccess {
  /** As `ChatActions.access`. */
  of(namespace: string, person: string): Promise<ChannelAccess | undefined>;
  /** The text channels of a server that somebody and the bot can read. */
  readable(guild: string, person: string): Promise<ChannelAccess[]>;
  /** Whether somebody in a server sees a channel of it. */
  sees(guild: GuildFacts, channel: ChannelFacts, member: Pick<MemberFacts, "id" | "roles">): boolean;
}

const reading = permissions.viewChannel | permissions.readMessageHistory;
const listed: readonly number[] = [channelTypes.text, channelTypes.announcement];

export interface AccessDeps {
  rest: DiscordRest;
  directory: Directory;
}

/** A channel, or a private thread in it, as somebody looks at it. */
interface Looked {
  guild: GuildFacts;
  channel: ChannelFacts;
  thread: ChannelFacts | undefined;
  person: MemberFacts;
}

export function createAccess(deps: AccessDeps): DiscordAccess {
  const { rest, directory } = deps;
  return {
    sees: (guild, channel, { id, roles }) =>
      has(channelPermissions(guild, channel, id, roles), permissions.viewChannel),
    async of(namespace, person) {
      const { person: other, guild, channel } = readPlace({ namespace, thread: "" });
      if (other !== undefined) return other === person ? directMessages(namespace) : undefined;
      if (guild === undefined || channel === undefined) return undefined;
      const looked = await lookAt(directory, guild, channel, person);
      return looked === undefined ? undefined : accessTo(deps, looked);
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

/** Undefined where the bot is not, and for somebody who is not in the server. */
async function lookAt(
  directory: Directory,
  guildId: string,
  channelId: string,
  id: string,
): Promise<Looked | undefined> {
  if (!(await directory.guilds(true)).includes(guildId)) return undefined;
  const [guild, person, found] = await Promise.all([
    directory.guild(guildId),
    directory.member(guildId, id),
    unlessRefused(directory.channel(channelId), ({ code }) => code === "forbidden"),
  ]);
  if (person === undefined || found?.guild_id !== guildId) return undefined;
  const thread = isThreadType(found.type) ? found : undefined;
  const channel = thread === undefined ? found : await directory.channel(thread.parent_id ?? "");
  return channel === undefined ? undefined : { guild, channel, thread, person };
}

async function accessTo(
  { rest, directory }: AccessDeps,
  { guild, channel, thread, person }: Looked,
): Promise<ChannelAccess | undefined> {
  const self = await directory.self();
  const bot = await directory.member(guild.id, self.id);
  const mine = channelPermissions(guild, channel, self.id, bot?.roles ?? []);
  const theirs = channelPermissions(guild, channel, person.id, person.roles);
  if (!has(mine & theirs, reading)) return undefined;
  if (thread !== undefined && !(await isThreadMember(rest, thread.id, person.id))) return undefined;
  const writing = thread === undefined ? permissions.sendMessages : permissions.sendMessagesInThreads;
  const { id, name, topic = "" } = thread ?? channel;
  return {
    namespace: channelPlace(guild.id, id).namespace,
    name,
    ...(topic === "" ? {} : { topic }),
    open: thread === undefined && has(channelPermissions(guild, channel, "", []), reading),
    write: has(mine & theirs, writing) && !(await isLocked(rest, thread)),
    pin: has(theirs, permissions.pinMessages) || has(theirs, permissions.manageMessages),
  };
}

async function isThreadMember(rest: DiscordRest, thread: string, person: string): Promise<boolean> {
  const found = rest.request("GET", `/channels/${thread}/thread-members/${person}`);
  return (await unlessRefused(found, ({ code }) => code === "gone" || code === "forbidden")) !== undefined;
}

/** A thread that was archived opens again by a message; a locked one does not. */
async function isLocked(rest: DiscordRest, thread: ChannelFacts | undefined): Promise<boolean> {
  if (thread === undefined) return false;
  const { thread_metadata } = await rest.request<APIThreadChannel>("GET", `/channels/${thread.id}`);
  return thread_metadata?.locked === true;
}

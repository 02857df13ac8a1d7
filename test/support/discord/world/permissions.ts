import { refusals } from "../api/api-error.ts";
import {
  allPermissions,
  bitfield,
  ordinaryPermissions,
  type PermissionName,
  permissionBits,
} from "./permission-bits.ts";
import { type Channel, channelTypes, type Guild, type World } from "./world.ts";

/** A user's permissions in a channel, or in the whole guild. Source: Discord reference, "Permission Hierarchy". */
export function permissionsIn(world: World, user: string, channel: Channel): bigint {
  const guild = world.guildOf(channel);
  if (!guild) return channel.recipient === undefined ? 0n : bitfield(ordinaryPermissions);
  const base = guildPermissions(guild, user);
  if (base === allPermissions || base === 0n) return base;
  const holder = channel.thread && channel.parent !== null ? world.channels.get(channel.parent) : channel;
  const bits = withOverwrites(base, guild, user, holder ?? channel) & leftBy(guild, user);
  if ((bits & permissionBits.ViewChannel) === 0n) return 0n;
  const hidden =
    channel.type === channelTypes.privateThread &&
    !channel.thread?.members.includes(user) &&
    (bits & permissionBits.ManageThreads) === 0n;
  return hidden ? 0n : bits;
}

/** Source: Discord reference, "Permissions for Timed Out Members". */
function leftBy(guild: Guild, user: string): bigint {
  const until = guild.members.find((member) => member.user === user)?.timeoutUntil;
  const isTimedOut = until !== undefined && Date.parse(until) > Date.now();
  return isTimedOut ? bitfield(["ViewChannel", "ReadMessageHistory"]) : allPermissions;
}

/** The permissions of a member's roles in the guild; 0 for other people. */
export function guildPermissions(guild: Guild, user: string): bigint {
  const member = guild.members.find((candidate) => candidate.user === user);
  if (!member) return 0n;
  if (guild.owner === user) return allPermissions;
  const bits = guild.roles
    .filter((role) => role.id === guild.id || member.roles.includes(role.id))
    .reduce((sum, role) => sum | role.permissions, 0n);
  return (bits & permissionBits.Administrator) === 0n ? bits : allPermissions;
}

function withOverwrites(base: bigint, guild: Guild, user: string, channel: Channel): bigint {
  const roles = guild.members.find((member) => member.user === user)?.roles ?? [];
  const ofRoles = channel.overwrites.filter((overwrite) => overwrite.kind === "role");
  const everyone = ofRoles.find((overwrite) => overwrite.id === guild.id);
  const own = channel.overwrites.find((overwrite) => overwrite.kind === "member" && overwrite.id === user);
  const mine = ofRoles.filter((overwrite) => roles.includes(overwrite.id));
  const together = {
    allow: mine.reduce((bits, overwrite) => bits | overwrite.allow, 0n),
    deny: mine.reduce((bits, overwrite) => bits | overwrite.deny, 0n),
  };
  return [everyone, together, own].reduce(
    (bits, overwrite) => (overwrite ? (bits & ~overwrite.deny) | overwrite.allow : bits),
    base,
  );
}

export function may(world: World, user: string, channel: Channel, ...names: PermissionName[]): boolean {
  const needed = bitfield(names);
  return (permissionsIn(world, user, channel) & needed) === needed;
}

/** The right to write, which has another name in threads. */
export function sendPermission(channel: Channel): PermissionName {
  return channel.thread ? "SendMessagesInThreads" : "SendMessages";
}

/** The channel, if the bot sees it. Throws 10003 if there is none, 50001 if the bot does not see it. */
export function seenByBot(world: World, id: string): Channel {
  const channel = world.channels.get(id);
  if (!channel) throw refusals.unknownChannel();
  const guild = world.guildOf(channel);
  if ((guild && !guild.joined) || !may(world, world.bot, channel, "ViewChannel"))
    throw refusals.missingAccess();
  return channel;
}

/** Throws 50013 if the bot lacks any of these. */
export function requireOfBot(world: World, channel: Channel, ...names: PermissionName[]): void {
  if (!may(world, world.bot, channel, ...names)) throw refusals.missingPermissions();
}

import { PermissionFlagsBits } from "discord-api-types/v10";
import type { ChatPerson } from "../../../core/ports/chat-platform.ts";
import type { Trust } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import { type Directory, permissionChannel } from "./directory.ts";
import { channelPermissions, guildPermissions, has } from "./directory-facts.ts";
import { readPlace } from "./discord-place.ts";

/** Maximum servers searched for the author of a direct message. */
const maxGuilds = 50;

/**
 * A person's name, standing and trust in a place. Whoever may manage the channel is a manager; operators are named in the
 * configuration. @throws DiscordProblem
 */
export async function whoIs(
  directory: Directory,
  operators: ReadonlySet<string>,
  place: Place,
  id: string,
): Promise<ChatPerson> {
  const { guild, channel } = readPlace(place);
  const user = directory.knownUser(id);
  if (guild === undefined) return inDirectMessage(directory, operators, id);
  const member = await directory.member(guild, id);
  const base = { id, name: member?.name ?? user?.name ?? id, roles: member?.roles ?? [] };
  const isBot = user?.bot === true || directory.knownUser(id)?.bot === true;
  if (isBot) return { ...base, trust: "guest", standing: "bot" };
  if (operators.has(id)) return { ...base, trust: "operator", standing: "member" };
  if (member === undefined) return { ...base, trust: "guest", standing: "stranger" };
  const trust = await trustIn(directory, guild, channel ?? "", id, member.roles);
  return { ...base, trust, standing: "member" };
}

async function trustIn(
  directory: Directory,
  guildId: string,
  channelId: string,
  userId: string,
  roles: readonly string[],
): Promise<Trust> {
  const guild = await directory.guild(guildId);
  const channel = await permissionChannel(directory, await directory.channel(channelId));
  const bits =
    channel === undefined
      ? guildPermissions(guild, userId, roles)
      : channelPermissions(guild, channel, userId, roles);
  return has(bits, PermissionFlagsBits.ManageChannels) ? "manager" : "member";
}

/** The shared server may belong to another process, so all servers are requested if none of this process matches. */
async function sharesGuild(directory: Directory, userId: string): Promise<boolean> {
  const seen = new Set<string>();
  for (const all of [false, true]) {
    for (const guild of (await directory.guilds(all)).slice(0, maxGuilds)) {
      if (seen.has(guild)) continue;
      seen.add(guild);
      if ((await directory.member(guild, userId)) !== undefined) return true;
    }
  }
  return false;
}

async function inDirectMessage(
  directory: Directory,
  operators: ReadonlySet<string>,
  id: string,
): Promise<ChatPerson> {
  const user = await directory.user(id);
  const base = { id, name: user?.name ?? id, roles: [] };
  if (user?.bot === true) return { ...base, trust: "guest", standing: "bot" };
  if (operators.has(id)) return { ...base, trust: "operator", standing: "member" };
  const isMember = await sharesGuild(directory, id);
  return isMember
    ? { ...base, trust: "member", standing: "member" }
    : { ...base, trust: "guest", standing: "stranger" };
}

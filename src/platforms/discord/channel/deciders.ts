import type { APIGuildMember } from "discord.js";
import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import type { Decider } from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { isSnowflake } from "../connection/discord-facts.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import { isThreadMember } from "./channel-access.ts";
import { permissionChannel } from "./directory.ts";
import {
  channelPermissions,
  type GuildFacts,
  has,
  type MemberFacts,
  memberFacts,
} from "./directory-facts.ts";
import type { DiscordContext } from "./discord-context.ts";
import { readPlace } from "./discord-place.ts";

const maxDeciders = 20;
/** Maximum members per request. Source: Discord reference, "List Guild Members". */
const maxMembers = 1_000;

/** See `ChatPlatform.deciders`. @throws DiscordProblem */
export async function decidersIn(
  context: DiscordContext,
  operators: ReadonlySet<string>,
  place: Place,
  approver: "manager" | "operator",
): Promise<Decider[]> {
  // The setting may name operators of several platforms; only Discord ids count.
  const named = [...operators].filter(isSnowflake).slice(0, maxDeciders);
  const there = await presentDeciders(context, named, place, approver);
  const elsewhere = approver === "operator" ? named.filter((id) => !there.includes(id)) : [];
  const all = [...there.map((id) => ({ id, here: true })), ...elsewhere.map((id) => ({ id, here: false }))];
  return all.slice(0, maxDeciders);
}

async function presentDeciders(
  context: DiscordContext,
  operators: readonly string[],
  place: Place,
  approver: "manager" | "operator",
): Promise<string[]> {
  const { guild: guildId, channel: channelId, person = "" } = readPlace(place);
  if (guildId === undefined || channelId === undefined)
    return approver === "manager" || operators.includes(person) ? [person] : [];
  const { directory } = context;
  const guild = await directory.guild(guildId);
  const candidates =
    approver === "operator"
      ? await Promise.all(operators.map((id) => directory.member(guildId, id)))
      : await knownMembers(context, guild);
  return withAccess(context, { guild, channelId }, candidates, approver);
}

/** Members seen recently, then members listed by Discord (which takes a privileged intent), then the owner. */
async function knownMembers(
  { rest, directory }: DiscordContext,
  guild: GuildFacts,
): Promise<(MemberFacts | undefined)[]> {
  const query = { limit: maxMembers };
  const request = rest.request<APIGuildMember[]>("GET", `/guilds/${guild.id}/members`, { query });
  const listed = (await unlessRefused(request, "forbidden")) ?? [];
  const people = listed.filter(({ user }) => user.bot !== true);
  const seen = directory.knownMembers(guild.id).filter(({ id }) => directory.knownUser(id)?.bot !== true);
  const owner = await directory.member(guild.id, guild.owner_id);
  return [...seen, ...people.map((member) => memberFacts(member.user, member)), owner];
}

/**
 * The candidates who see the place and, for a manager's decision, manage it. Others are left out: a mention would add them to a
 * private thread.
 */
async function withAccess(
  { rest, directory }: DiscordContext,
  { guild, channelId }: { guild: GuildFacts; channelId: string },
  candidates: readonly (MemberFacts | undefined)[],
  approver: "manager" | "operator",
): Promise<string[]> {
  const found = await directory.channel(channelId);
  const channel = await permissionChannel(directory, found);
  if (channel === undefined) return [];
  const needed =
    PermissionFlagsBits.ViewChannel | (approver === "manager" ? PermissionFlagsBits.ManageChannels : 0n);
  const able = candidates.flatMap((member) =>
    member !== undefined && has(channelPermissions(guild, channel, member.id, member.roles), needed)
      ? [member.id]
      : [],
  );
  const ids = [...new Set(able)].slice(0, maxDeciders);
  if (found?.type !== ChannelType.PrivateThread) return ids;
  const isIn = await Promise.all(ids.map((id) => isThreadMember(rest, channelId, id)));
  return ids.filter((_, at) => isIn[at]);
}

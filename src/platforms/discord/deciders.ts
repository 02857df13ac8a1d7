import type { APIGuildMember } from "discord.js";
import type { ChatActions } from "../../core/chat-actions.ts";
import type { Decider } from "../../core/chat-platform.ts";
import type { Place } from "../../core/place.ts";
import type { Directory } from "./directory.ts";
import { isSnowflake, permissions } from "./discord-facts.ts";
import { readPlace } from "./discord-place.ts";
import { type DiscordRest, unlessRefused } from "./discord-rest.ts";
import { channelPermissions, has } from "./permission-bits.ts";

interface DecidersDeps {
  rest: DiscordRest;
  directory: Directory;
  actions: Pick<ChatActions, "access">;
  operators: ReadonlySet<string>;
}

const most = 20;

/** As `ChatPlatform.deciders`. @throws DiscordProblem */
export async function findDeciders(
  deps: DecidersDeps,
  place: Place,
  approver: "manager" | "operator",
): Promise<Decider[]> {
  // The operators of all platforms may stand in one setting.
  const operators = [...deps.operators].filter(isSnowflake);
  const ids = approver === "operator" ? operators : await managersOf(deps, place);
  const sees = async (id: string) => (await deps.actions.access(place.namespace, id)) !== undefined;
  const found = await Promise.all(ids.slice(0, most).map(async (id) => ({ id, here: await sees(id) })));
  return found.sort((one, other) => Number(other.here) - Number(one.here));
}

/** Those who manage the channel, as far as Discord lists members to the bot; the owner in any case. */
async function managersOf({ rest, directory }: DecidersDeps, place: Place): Promise<string[]> {
  const { guild: id, channel: channelId } = readPlace(place);
  if (id === undefined || channelId === undefined) return [];
  const [guild, channel] = await Promise.all([directory.guild(id), directory.channel(channelId)]);
  const request = rest.request<APIGuildMember[]>("GET", `/guilds/${id}/members`, { query: { limit: 1_000 } });
  const members = (await unlessRefused(request, ({ code }) => code === "forbidden")) ?? [];
  const managers = members.filter(({ user, roles }) => {
    if (user.bot === true || channel === undefined) return false;
    return has(channelPermissions(guild, channel, user.id, roles), permissions.manageChannels);
  });
  return [...new Set([...managers.map(({ user }) => user.id), guild.owner_id])];
}

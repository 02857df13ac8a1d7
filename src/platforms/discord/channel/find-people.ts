import type { APIGuildMember } from "discord.js";
import type { ChatActions, KnownGroup, KnownPerson } from "../../../core/ports/chat-actions.ts";
import { isSnowflake } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import type { DiscordAccess } from "./channel-access.ts";
import { displayName, type GuildFacts, guildPermissions, mayCallRole } from "./directory-facts.ts";
import type { DiscordContext } from "./discord-context.ts";
import { readPlace } from "./discord-place.ts";

/** Maximum members per request. Source: Discord reference, "Search Guild Members", "List Guild Members". */
const maxMembers = 1_000;

type FindPeople = NonNullable<ChatActions["people"]>;

/** Finds members and roles of a server, as `ChatActions.people`. In direct messages there is only the person. */
export async function findPeople(
  context: DiscordContext,
  access: DiscordAccess,
  namespace: string,
  { words, asker, most }: Parameters<FindPeople>[1],
): ReturnType<FindPeople> {
  const { directory } = context;
  const wanted = words
    .toLowerCase()
    .replace(/[<>@&!]/g, "")
    .split(/\s+/)
    .filter(Boolean);
  const { guild: guildId, channel: channelId, person = "" } = readPlace({ namespace, thread: "" });
  if (guildId === undefined || channelId === undefined) {
    const { name = person } = (await directory.user(person)) ?? {};
    return { people: [{ id: person, name, here: true }], groups: [], more: false };
  }
  const [guild, members, channel] = await Promise.all([
    directory.guild(guildId),
    membersFor(context.rest, guildId, wanted),
    directory.channel(channelId),
  ]);
  const found = members
    .map((member) => ({ member, known: knownPerson(guild, member) }))
    .filter(({ known: { id, name, full_name = "", title = "" } }) =>
      hasAll(`${id} ${name} ${full_name} ${title}`, wanted),
    );
  const people = await Promise.all(
    found.slice(0, most).map(async ({ member: { user, roles }, known }) => ({
      ...known,
      here: channel !== undefined && (await access.sees(guild, channel, { id: user.id, roles })),
    })),
  );
  const groups = await groupsFor(context, guild, asker);
  const named = groups.filter(({ id, name }) => hasAll(`${id} ${name}`, wanted));
  return { people, groups: named.slice(0, most), more: found.length > most };
}

/**
 * A message notifies a role that anybody may mention. For another role both the person and the bot need Mention Everyone.
 * Source: Discord reference, "Allowed Mentions Object".
 */
async function groupsFor(
  { directory }: DiscordContext,
  guild: GuildFacts,
  asker: string,
): Promise<KnownGroup[]> {
  const { id: self } = await directory.self();
  const [theirs = 0n, mine = 0n] = await Promise.all(
    [asker, self].map(async (id) =>
      guildPermissions(guild, id, (await directory.member(guild.id, id))?.roles ?? []),
    ),
  );
  return rolesOf(guild).map(([id, role]) => ({
    id,
    name: role.name,
    callable: mayCallRole(theirs & mine, role),
  }));
}

/** Without the privileged intent Discord lists no members: then people are found by the beginning of their names only. */
async function membersFor(
  rest: DiscordRest,
  guild: string,
  [first]: readonly string[],
): Promise<APIGuildMember[]> {
  const path = `/guilds/${guild}/members` as const;
  const limit = maxMembers;
  if (first === undefined) {
    const listed = rest.request<APIGuildMember[]>("GET", path, { query: { limit } });
    return (await unlessRefused(listed, "forbidden")) ?? [];
  }
  if (!isSnowflake(first)) return rest.request("GET", `${path}/search`, { query: { query: first, limit } });
  const found = await unlessRefused(rest.request<APIGuildMember>("GET", `${path}/${first}`), "gone");
  return found === undefined ? [] : [found];
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function knownPerson(guild: GuildFacts, { user, nick, roles }: APIGuildMember): Omit<KnownPerson, "here"> {
  const name = nick ?? displayName(user);
  const title = roles.flatMap((id) => guild.roles.get(id)?.name ?? []).join(", ");
  return {
    id: user.id,
    name,
    full_name: user.username === name ? undefined : user.username,
    title: title || undefined,
    standing: user.bot === true ? "bot" : undefined,
  };
}

/** All roles except @everyone and the roles of bots. */
function rolesOf(guild: GuildFacts) {
  return [...guild.roles].filter(([id, { bot_id }]) => id !== guild.id && bot_id === undefined);
}

import type { APIGuildMember } from "discord.js";
import type { ChatActions, KnownGroup, KnownPerson } from "../../../core/ports/chat-actions.ts";
import { isSnowflake } from "../connection/discord-facts.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import type { AccessDeps, DiscordAccess } from "./channel-access.ts";
import { displayName, type GuildFacts, guildPermissions, mayCallRole } from "./directory-facts.ts";
import { readPlace } from "./discord-place.ts";

/** Maximum members per request. Source: Discord reference, "Search Guild Members", "List Guild Members". */
const maxMembers = 1_000;

/** Finds members and roles of a server. In direct messages there is only the person. */
export function createFindPeople(
  { rest, directory }: AccessDeps,
  access: DiscordAccess,
): NonNullable<ChatActions["people"]> {
  /**
   * A message notifies a role that anybody may mention. For another role both the person and the bot need Mention Everyone.
   * Source: Discord reference, "Allowed Mentions Object".
   */
  const groupsFor = async (guild: GuildFacts, asker: string): Promise<KnownGroup[]> => {
    const { id: self } = await directory.self();
    const [theirs, mine] = await Promise.all(
      [asker, self].map(async (id) =>
        guildPermissions(guild, id, (await directory.member(guild.id, id))?.roles ?? []),
      ),
    );
    return rolesOf(guild).map(([id, role]) => ({
      id,
      name: role.name,
      callable: mayCallRole((theirs ?? 0n) & (mine ?? 0n), role),
    }));
  };
  /** Without the privileged intent Discord lists no members: then people are found by the beginning of their names only. */
  const list = (guild: string) =>
    unlessRefused(
      rest.request<APIGuildMember[]>("GET", `/guilds/${guild}/members`, { query: { limit: maxMembers } }),
      ({ code }) => code === "forbidden",
    );
  const search = (guild: string, word: string) =>
    rest.request<APIGuildMember[]>("GET", `/guilds/${guild}/members/search`, {
      query: { query: word, limit: maxMembers },
    });
  const membersFor = async (guild: string, words: readonly string[]): Promise<APIGuildMember[]> => {
    const [first] = words;
    if (first === undefined) return (await list(guild)) ?? [];
    if (!isSnowflake(first)) return search(guild, first);
    const path = `/guilds/${guild}/members/${first}` as const;
    const found = await unlessRefused(
      rest.request<APIGuildMember>("GET", path),
      ({ code }) => code === "gone",
    );
    return found === undefined ? [] : [found];
  };

  return async (namespace, { words, asker, most }) => {
    const wanted = words
      .toLowerCase()
      .replace(/[<>@&!]/g, "")
      .split(/\s+/)
      .filter(Boolean);
    const { guild: guildId, channel: channelId, person } = readPlace({ namespace, thread: "" });
    if (guildId === undefined || channelId === undefined) {
      const user = await directory.user(person ?? "");
      const name = user?.name ?? person ?? "";
      return { people: [{ id: person ?? "", name, here: true }], groups: [], more: false };
    }
    const [guild, members, channel] = await Promise.all([
      directory.guild(guildId),
      membersFor(guildId, wanted),
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
    const groups = (await groupsFor(guild, asker)).filter(({ id, name }) => hasAll(`${id} ${name}`, wanted));
    return { people, groups: groups.slice(0, most), more: found.length > most };
  };
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
    ...(user.username === name ? {} : { full_name: user.username }),
    ...(title === "" ? {} : { title }),
    ...(user.bot === true ? { standing: "bot" as const } : {}),
  };
}

/** All roles except @everyone and the roles of bots. */
function rolesOf(guild: GuildFacts) {
  return [...guild.roles].filter(([id, { bot_id }]) => id !== guild.id && bot_id === undefined);
}

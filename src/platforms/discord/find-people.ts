import type { APIGuildMember } from "discord.js";
import type { ChatActions, KnownGroup, KnownPerson } from "../../core/chat-actions.ts";
import type { AccessDeps, DiscordAccess } from "./channel-access.ts";
import { displayName, type GuildFacts } from "./directory-facts.ts";
import { isSnowflake, permissions } from "./discord-facts.ts";
import { readPlace } from "./discord-place.ts";
import { unlessRefused } from "./discord-rest.ts";
import { guildPermissions, has } from "./permission-bits.ts";

/** Members a request answers at most. Source: Discord reference, "Search Guild Members", "List Guild Members". */
const mostMembers = 1_000;

/** Looks members and roles of a server up. In direct messages there is only the person. */
export function createFindPeople(
  { rest, directory }: AccessDeps,
  access: DiscordAccess,
): NonNullable<ChatActions["people"]> {
  /** Without the privileged intent Discord lists nobody: then people are found by the beginnings of their names. */
  const list = (guild: string) =>
    unlessRefused(
      rest.request<APIGuildMember[]>("GET", `/guilds/${guild}/members`, { query: { limit: mostMembers } }),
      ({ code }) => code === "forbidden",
    );
  const search = (guild: string, word: string) =>
    rest.request<APIGuildMember[]>("GET", `/guilds/${guild}/members/search`, {
      query: { query: word, limit: mostMembers },
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
    if (guildId === undefined) {
      const user = await directory.user(person ?? "");
      const name = user?.name ?? person ?? "";
      return { people: [{ id: person ?? "", name, here: true }], groups: [], more: false };
    }
    const [guild, members, channel] = await Promise.all([
      directory.guild(guildId),
      membersFor(guildId, wanted),
      channelId === undefined ? undefined : directory.channel(channelId),
    ]);
    const isHere = (member: APIGuildMember) =>
      channel !== undefined && access.sees(guild, channel, { id: member.user.id, roles: member.roles });
    const people = members
      .map((member) => knownPerson(guild, member, isHere(member)))
      .filter(({ id, name, full_name = "", title = "" }) =>
        hasAll(`${id} ${name} ${full_name} ${title}`, wanted),
      );
    const roles = (await directory.member(guildId, asker))?.roles ?? [];
    const callsAll = has(guildPermissions(guild, asker, roles), permissions.mentionEveryone);
    const groups = groupsOf(guild, callsAll).filter(({ id, name }) => hasAll(`${id} ${name}`, wanted));
    return { people: people.slice(0, most), groups: groups.slice(0, most), more: people.length > most };
  };
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function knownPerson(guild: GuildFacts, { user, nick, roles }: APIGuildMember, here: boolean): KnownPerson {
  const name = nick ?? displayName(user);
  const title = roles.flatMap((id) => guild.roles.get(id)?.name ?? []).join(", ");
  return {
    id: user.id,
    name,
    ...(user.username === name ? {} : { full_name: user.username }),
    ...(title === "" ? {} : { title }),
    here,
    ...(user.bot === true ? { standing: "bot" as const } : {}),
  };
}

/** Roles but for everyone's, and those of bots. */
function groupsOf(guild: GuildFacts, callsAll: boolean): KnownGroup[] {
  return [...guild.roles].flatMap(([id, { name, mentionable, bot_id }]) =>
    id === guild.id || bot_id !== undefined ? [] : [{ id, name, callable: mentionable || callsAll }],
  );
}

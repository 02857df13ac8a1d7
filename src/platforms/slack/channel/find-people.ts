import type { ChatActions, KnownGroup, KnownPerson } from "../../../core/ports/chat-actions.ts";
import { channelThread } from "../../../core/ports/chat-platform.ts";
import { timeZoneNamed } from "../../../core/values/inbound.ts";
import { targetOf } from "./slack-place.ts";
import type { SlackContext } from "./slack-rooms.ts";
import type { Member, UserGroup } from "./workspace-lists.ts";

/** Finds people and user groups. Members of the channel come first. */
export function createFindPeople({ directory }: SlackContext): NonNullable<ChatActions["people"]> {
  const { lists } = directory;
  return async (namespace, { words, asker, most }) => {
    const target = targetOf({ namespace, thread: channelThread });
    const { team, channel } = target;
    const here = channel === undefined ? new Set([target.person]) : await lists.members(team, channel);
    const [members, groups, { standing }] = await Promise.all([
      lists.people(team),
      lists.groups(team),
      directory.person(target, asker),
    ]);
    const people = members
      .map((member) => knownPerson(team, member, here))
      .toSorted((a, b) => Number(b.here) - Number(a.here));
    const found = best(people, words, ({ id, name, full_name, title }) => [id, name, full_name, title]);
    const known = groups.flatMap((group) => knownGroup(group, standing === "member"));
    return {
      people: found.slice(0, most),
      groups: best(known, words, ({ id, name }) => [id, name]).slice(0, most),
      more: found.length > most,
    };
  };
}

/** No group if it is disabled, which Slack marks with a date of deletion. */
function knownGroup(
  { id, handle, name, user_count, date_delete = 0 }: UserGroup,
  callable: boolean,
): KnownGroup[] {
  if (date_delete > 0) return [];
  const members = user_count === undefined ? undefined : Number(user_count);
  return [{ id, name: handle || name || id, members, callable }];
}

function knownPerson(team: string, member: Member, here: ReadonlySet<string>): KnownPerson {
  const { id = "", profile = {}, real_name, name } = member;
  const called = profile.display_name || real_name || name || id;
  const full = profile.real_name || real_name;
  const zone = member.is_bot === true ? undefined : timeZoneNamed(member.tz ?? "");
  return {
    id,
    name: called,
    full_name: full && full !== called ? full : undefined,
    title: profile.title || undefined,
    time_zone: zone,
    here: here.has(id),
    standing: standingOf(team, member),
  };
}

function standingOf(team: string, member: Member): KnownPerson["standing"] {
  if (member.is_bot === true || member.id === "USLACKBOT") return "bot";
  if (member.team_id !== undefined && member.team_id !== team) return "outsider";
  return member.is_restricted === true || member.is_ultra_restricted === true ? "guest" : undefined;
}

/** The entries whose texts contain all words; entries with texts that begin with them come first. */
function best<T>(all: readonly T[], words: string, textsOf: (one: T) => (string | undefined)[]): T[] {
  const wanted = words
    .toLowerCase()
    .replace(/[<>@#&]/g, "")
    .split(/\s+/)
    .filter(Boolean);
  const rank = (one: T): number | undefined => {
    const texts = textsOf(one).flatMap((text) => text?.toLowerCase() ?? []);
    if (!wanted.every((word) => texts.some((text) => text.includes(word)))) return undefined;
    return wanted.every((word) => texts.some((text) => text.startsWith(word))) ? 0 : 1;
  };
  return all
    .flatMap((one) => {
      const found = rank(one);
      return found === undefined ? [] : [{ one, found }];
    })
    .toSorted((a, b) => a.found - b.found)
    .map(({ one }) => one);
}

import type { webApi } from "@slack/bolt";
import type { ChatActions, KnownGroup, KnownPerson } from "../../core/chat-actions.ts";
import { channelThread } from "../../core/chat-platform.ts";
import type { Clock } from "../../core/clock.ts";
import { timeZoneNamed } from "../../core/time-zone.ts";
import { createLookup } from "./lookup.ts";
import { refusedWith } from "./slack-call.ts";
import { targetOf } from "./slack-place.ts";
import type { SlackContext } from "./slack-rooms.ts";

type Member = NonNullable<webApi.UsersListResponse["members"]>[number];

/** How long the list of a workspace's people holds, ms, and how many of them it has at most. */
const listAge = 5 * 60_000;
const mostPeople = 10_000;

/** Looks people and user groups up. @param membersOf who is in a channel */
export function createFindPeople(
  context: SlackContext,
  clock: Clock,
  membersOf: (team: string, channel: string) => Promise<ReadonlySet<string>>,
): NonNullable<ChatActions["people"]> {
  const people = createLookup(clock, listAge, (team) => listPeople(context, team));
  const groups = createLookup(clock, listAge, (team) => listGroups(context, team));
  return async (namespace, { words, most }) => {
    const { team, channel } = targetOf({ namespace, thread: channelThread });
    const here = channel === undefined ? new Set<string>() : await membersOf(team, channel);
    const known = (await people.get(team)).map((member) => knownPerson(team, member, here));
    const found = best(known, words, ({ id, name, full_name, title }) => [id, name, full_name, title]);
    const groupsFound = best(await groups.get(team), words, ({ id, name }) => [id, name]);
    return {
      people: found.slice(0, most),
      groups: groupsFound.slice(0, most),
      more: found.length > most,
    };
  };
}

async function listPeople({ workspaces }: SlackContext, team: string): Promise<Member[]> {
  const found: Member[] = [];
  let cursor: string | undefined;
  do {
    const answer = await workspaces.call(team, "list people", ({ read }) =>
      read.users.list({ limit: 200, ...(cursor && { cursor }) }),
    );
    found.push(...(answer.members ?? []).filter(({ deleted }) => deleted !== true));
    cursor = answer.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined && found.length < mostPeople);
  return found;
}

/** Installations from before the scope have no groups. */
async function listGroups({ workspaces }: SlackContext, team: string): Promise<KnownGroup[]> {
  try {
    const { usergroups = [] } = await workspaces.call(team, "list user groups", ({ read }) =>
      read.usergroups.list({ include_count: true }),
    );
    return usergroups.flatMap(({ id, handle, name, user_count, date_delete = 0 }) => {
      if (id === undefined || date_delete > 0) return [];
      const members = user_count === undefined ? {} : { members: Number(user_count) };
      return [{ id, name: handle || name || id, ...members, callable: true }];
    });
  } catch (error) {
    if (refusedWith(error, "missing_scope", "unknown_method", "not_allowed_token_type")) return [];
    throw error;
  }
}

function knownPerson(team: string, member: Member, here: ReadonlySet<string>): KnownPerson {
  const { id = "", profile = {}, real_name, name } = member;
  const called = profile.display_name || real_name || name || id;
  const full = profile.real_name || real_name;
  const zone = member.is_bot === true ? undefined : timeZoneNamed(member.tz ?? "");
  const standing = standingOf(team, member);
  return {
    id,
    name: called,
    ...(full && full !== called ? { full_name: full } : {}),
    ...(profile.title ? { title: profile.title } : {}),
    ...(zone === undefined ? {} : { time_zone: zone }),
    here: here.has(id),
    ...(standing === undefined ? {} : { standing }),
  };
}

function standingOf(team: string, member: Member): KnownPerson["standing"] {
  if (member.is_bot === true || member.id === "USLACKBOT") return "bot";
  if (member.team_id !== undefined && member.team_id !== team) return "outsider";
  return member.is_restricted === true || member.is_ultra_restricted === true ? "guest" : undefined;
}

/** Those that have all words in one of their texts, the ones that begin with them first. */
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

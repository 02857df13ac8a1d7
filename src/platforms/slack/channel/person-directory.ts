import type { webApi } from "@slack/bolt";
import { unlessLate } from "../../../base/time-limit.ts";
import { type ChatPerson, type Decider, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import { type Trust, timeZoneNamed } from "../../../core/values/inbound.ts";
import { fallbackTo, refusedWith } from "../connection/slack-call.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import { createLookup } from "./lookup.ts";
import { isPersonId, type SlackTarget } from "./slack-place.ts";
import { createWorkspaceLists, type WorkspaceLists } from "./workspace-lists.ts";

/** A person as Slack returns them. */
interface Profile {
  id: string;
  name: string;
  standing: ChatPerson["standing"];
  /** Whether the person is an admin or owner of the workspace. */
  admin: boolean;
  /** IANA name; undefined for bots. */
  time_zone?: string | undefined;
}

/** A channel as Slack returns it. */
interface Channel {
  id: string;
  name: string;
  about: string;
  creator: string;
}

export interface PersonDirectory {
  /** A person's name, standing and trust in a place. @throws PlatformError */
  person(target: SlackTarget, id: string): Promise<ChatPerson>;
  /** See `ChatPlatform.deciders`. */
  deciders(target: SlackTarget, approver: "manager" | "operator"): Promise<Decider[]>;
  readonly lists: WorkspaceLists;
  /** A person's name; undefined if it is not found soon. */
  name(team: string, id: string): Promise<string | undefined>;
  /** A channel's name; undefined if it is not found soon. */
  channelName(team: string, id: string): Promise<string | undefined>;
  /** A user group's name, without `@`; undefined if it is not found soon. */
  groupName(team: string, id: string): Promise<string | undefined>;
  /** @throws PlatformError */
  channel(team: string, id: string): Promise<Channel>;
  /** The channel of the direct messages with a person. @throws PlatformError */
  directChannel(team: string, person: string): Promise<string>;
  /** Whether the bot can write in a conversation that a person sees. Not cached; true if Slack does not answer soon. */
  isMember(team: string, person: string, channel: string): Promise<boolean>;
  /** Caches the direct channel of a message. */
  learnDirectChannel(team: string, person: string, channel: string): void;
}

/** Maximum wait for the names in a message, ms. After it the message is stored with ids: it must be stored within 3 s. */
const maxNameWaitMs = 800;

/** Lifetime of cached people and channels, ms. A person who becomes a guest is treated as one after it. */
const profileAge = 10 * 60_000;

export function createPersonDirectory(
  workspaces: Workspaces,
  operators: readonly string[],
  clock: Clock,
): PersonDirectory {
  const profiles = createLookup(clock, profileAge, (key) => readProfile(workspaces, ...split(key)));
  const channels = createLookup(clock, profileAge, (key) => readChannel(workspaces, ...split(key)));
  const directs = createLookup(clock, 24 * 3_600_000, (key) => openDirect(workspaces, ...split(key)));

  const lists = createWorkspaceLists(workspaces, clock);
  const creatorOf = async (team: string, channel: string) =>
    (await channels.get(join(team, channel))).creator;

  const trustOf = async (profile: Profile, target: SlackTarget): Promise<Trust> => {
    if (operators.includes(profile.id)) return "operator";
    if (profile.standing !== "member") return "guest";
    if (target.channel === undefined) return "member";
    if (profile.admin) return "manager";
    const { creator } = await channels.get(join(target.team, target.channel)).catch(noChannel);
    return creator === profile.id ? "manager" : "member";
  };
  const soon = <T>(found: Promise<T>) => unlessLate(maxNameWaitMs, clock, found);
  return {
    async person(target, id) {
      const profile = await profiles.get(join(target.team, id));
      const { name, standing, time_zone } = profile;
      return { id, name, standing, roles: [], time_zone, trust: await trustOf(profile, target) };
    },
    deciders: async (target, approver) => {
      const may = approver === "operator" ? ["member", "guest"] : ["member"];
      const found = await decidersOf({ lists, operators, creatorOf }, target, approver);
      const known = found.map(async (decider) => {
        const profile = await profiles.get(join(target.team, decider.id)).catch(fallbackTo(undefined));
        return profile !== undefined && may.includes(profile.standing) ? [decider] : [];
      });
      return (await Promise.all(known)).flat();
    },
    name: async (team, id) => (await soon(profiles.get(join(team, id)).catch(fallbackTo(undefined))))?.name,
    channelName: async (team, id) =>
      (await soon(channels.get(join(team, id)).catch(fallbackTo(undefined))))?.name,
    groupName: async (team, id) => {
      const groups = await soon(lists.groups(team).catch(fallbackTo(undefined)));
      const { handle, name } = groups?.find((group) => group.id === id) ?? {};
      return handle || name;
    },
    lists,
    channel: (team, id) => channels.get(join(team, id)),
    directChannel: (team, person) => directs.get(join(team, person)),
    isMember: async (team, person, channel) =>
      channel.startsWith("D")
        ? channel === (await directs.get(join(team, person)).catch(fallbackTo(undefined)))
        : (await soon(isMember(workspaces, team, channel))) !== false,
    learnDirectChannel: (team, person, channel) => directs.put(join(team, person), channel),
  };
}

const join = (team: string, id: string) => `${team}/${id}`;
const split = (key: string) => key.split("/") as [string, string];

/** The creator of a channel that cannot be looked up is unknown; people then get the lower trust. */
function noChannel(error: unknown): Pick<Channel, "creator"> {
  if (!(error instanceof PlatformError) || error.isTemporary) throw error;
  return { creator: "" };
}

/** A person, requested from Slack. @throws PlatformError */
export async function readProfile(workspaces: Workspaces, team: string, id: string): Promise<Profile> {
  if (id.startsWith("B")) return { id, name: id, standing: "bot", admin: false };
  try {
    const { user = {} } = await workspaces.call(team, "say who a person is", ({ read }) =>
      read.users.info({ user: id }),
    );
    const { display_name, real_name } = user.profile ?? {};
    return {
      id,
      name: display_name || real_name || user.real_name || user.name || id,
      standing: standingOf(user, team),
      admin: [user.is_admin, user.is_owner, user.is_primary_owner].includes(true),
      time_zone: user.is_bot === true ? undefined : timeZoneNamed(user.tz ?? ""),
    };
  } catch (error) {
    // Slack hides people of other companies until they share a conversation.
    if (refusedWith(error, "user_not_found", "user_not_visible")) {
      return { id, name: id, standing: "outsider", admin: false };
    }
    throw error;
  }
}

type User = NonNullable<webApi.UsersInfoResponse["user"]>;

/** People of one Enterprise organisation belong to several workspaces. */
function standingOf(user: User, team: string): ChatPerson["standing"] {
  if (user.is_bot === true) return "bot";
  const teams = [user.team_id ?? team, ...(user.enterprise_user?.teams ?? [])];
  // Somebody who has left keeps their profile.
  const isGone = user.deleted === true || user.is_stranger === true;
  if (isGone || !teams.includes(team)) return "outsider";
  return user.is_restricted === true || user.is_ultra_restricted === true ? "guest" : "member";
}

async function readChannel(workspaces: Workspaces, team: string, id: string): Promise<Channel> {
  const { channel = {} } = await workspaces.call(team, "say what a channel is", ({ read }) =>
    read.conversations.info({ channel: id }),
  );
  const about = channel.topic?.value || channel.purpose?.value || "";
  return { id, name: channel.name ?? id, about, creator: channel.creator ?? "" };
}

/** Whether the bot is a member. Slack hides private conversations without it. */
async function isMember(workspaces: Workspaces, team: string, id: string): Promise<boolean> {
  try {
    const { channel } = await workspaces.call(team, "say what a channel is", ({ read }) =>
      read.conversations.info({ channel: id }),
    );
    return channel?.is_member !== false;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return !refusedWith(error, "channel_not_found", "not_in_channel");
  }
}

async function openDirect(workspaces: Workspaces, team: string, person: string): Promise<string> {
  const { channel } = await workspaces.call(team, "open a direct message", ({ write }) =>
    write.conversations.open({ users: person }),
  );
  if (channel?.id !== undefined) return channel.id;
  throw new PlatformError("gone", "Slack opened no direct message with that person.");
}

/** Maximum deciders that are named. */
const maxDeciders = 20;

interface DecidersDeps {
  lists: WorkspaceLists;
  /** Configured, for all workspaces. */
  operators: readonly string[];
  creatorOf(team: string, channel: string): Promise<string>;
}

/**
 * People who may decide in a place; members of the channel come first. Managers are the channel's creator and the workspace's
 * admins and owners, if they are in the channel. People whose lookup fails are left out.
 */
async function decidersOf(
  deps: DecidersDeps,
  target: SlackTarget,
  approver: "manager" | "operator",
): Promise<Decider[]> {
  const { team, channel, person } = target;
  const members =
    channel === undefined
      ? new Set([person])
      : await deps.lists.members(team, channel).catch(fallbackTo(new Set<string>()));
  const isManager = approver === "manager";
  // The setting may name operators of several platforms; only Slack ids count.
  const ids = isManager ? await managersOf(deps, target) : deps.operators.filter(isPersonId);
  return [...new Set(ids)]
    .map((id) => ({ id, here: members.has(id) }))
    .filter(({ here }) => here || !isManager)
    .toSorted((a, b) => Number(b.here) - Number(a.here))
    .slice(0, maxDeciders);
}

async function managersOf(
  { lists, creatorOf }: DecidersDeps,
  { team, channel }: SlackTarget,
): Promise<string[]> {
  if (channel === undefined) return [];
  const [creator, people] = await Promise.all([
    creatorOf(team, channel).catch(fallbackTo("")),
    lists.people(team).catch(fallbackTo([])),
  ]);
  const admins = people.filter(({ is_admin, is_owner }) => is_admin === true || is_owner === true);
  return [creator, ...admins.map(({ id = "" }) => id)];
}

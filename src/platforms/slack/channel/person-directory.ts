import type { webApi } from "@slack/bolt";
import { unlessLate } from "../../../base/time-limit.ts";
import { type ChatPerson, type Decider, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import { type Trust, timeZoneNamed } from "../../../core/values/inbound.ts";
import { fallbackTo, refusedWith } from "../connection/slack-call.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import { Lookup } from "./lookup.ts";
import { isPersonId, type SlackTarget } from "./slack-place.ts";
import { WorkspaceLists } from "./workspace-lists.ts";

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

/** Maximum wait for the names in a message, ms. After it the message is stored with ids: it must be stored within 3 s. */
const maxNameWaitMs = 800;

/** Lifetime of cached people and channels, ms. A person who becomes a guest is treated as one after it. */
const profileAge = 10 * 60_000;

/** Maximum deciders that are named. */
const maxDeciders = 20;

const join = (team: string, id: string) => `${team}/${id}`;
const split = (key: string) => key.split("/") as [string, string];

/** The people and channels of the workspaces. */
export class PersonDirectory {
  readonly lists: WorkspaceLists;
  readonly #workspaces: Workspaces;
  readonly #operators: readonly string[];
  readonly #clock: Clock;
  readonly #profiles: Lookup<Profile>;
  readonly #channels: Lookup<Channel>;
  readonly #directs: Lookup<string>;

  /** @param operators configured, for all workspaces */
  constructor(workspaces: Workspaces, operators: readonly string[], clock: Clock) {
    this.#workspaces = workspaces;
    this.#operators = operators;
    this.#clock = clock;
    this.lists = new WorkspaceLists(workspaces, clock);
    this.#profiles = new Lookup(clock, profileAge, (key) => readProfile(workspaces, ...split(key)));
    this.#channels = new Lookup(clock, profileAge, (key) => readChannel(workspaces, ...split(key)));
    this.#directs = new Lookup(clock, 24 * 3_600_000, (key) => openDirect(workspaces, ...split(key)));
  }

  /** A person's name, standing and trust in a place. @throws PlatformError */
  async person(target: SlackTarget, id: string): Promise<ChatPerson> {
    const profile = await this.#profiles.get(join(target.team, id));
    const { name, standing, time_zone } = profile;
    return { id, name, standing, roles: [], time_zone, trust: await this.#trustOf(profile, target) };
  }

  /** See `ChatPlatform.deciders`. */
  async deciders(target: SlackTarget, approver: "manager" | "operator"): Promise<Decider[]> {
    const may = approver === "operator" ? ["member", "guest"] : ["member"];
    const known = (await this.#candidates(target, approver)).map(async (decider) => {
      const profile = await this.#profiles.get(join(target.team, decider.id)).catch(fallbackTo(undefined));
      return profile !== undefined && may.includes(profile.standing) ? [decider] : [];
    });
    return (await Promise.all(known)).flat();
  }

  /** A person's name; undefined if it is not found soon. */
  async name(team: string, id: string): Promise<string | undefined> {
    return (await this.#soon(this.#profiles.get(join(team, id))))?.name;
  }

  /** A channel's name; undefined if it is not found soon. */
  async channelName(team: string, id: string): Promise<string | undefined> {
    return (await this.#soon(this.#channels.get(join(team, id))))?.name;
  }

  /** A user group's name, without `@`; undefined if it is not found soon. */
  async groupName(team: string, id: string): Promise<string | undefined> {
    const groups = await this.#soon(this.lists.groups(team));
    const { handle, name } = groups?.find((group) => group.id === id) ?? {};
    return handle || name;
  }

  /** @throws PlatformError */
  channel(team: string, id: string): Promise<Channel> {
    return this.#channels.get(join(team, id));
  }

  /** The channel of the direct messages with a person. @throws PlatformError */
  directChannel(team: string, person: string): Promise<string> {
    return this.#directs.get(join(team, person));
  }

  /** Whether the bot can write in a conversation that a person sees. Not cached; true if Slack does not answer soon. */
  async isMember(team: string, person: string, channel: string): Promise<boolean> {
    if (channel.startsWith("D"))
      return channel === (await this.directChannel(team, person).catch(fallbackTo(undefined)));
    return (await this.#soon(isMember(this.#workspaces, team, channel))) !== false;
  }

  /** Caches the direct channel of a message. */
  learnDirectChannel(team: string, person: string, channel: string): void {
    this.#directs.put(join(team, person), channel);
  }

  /** Undefined if it is refused, or not found soon. */
  #soon<T>(found: Promise<T>): Promise<T | undefined> {
    return unlessLate(maxNameWaitMs, this.#clock, found.catch(fallbackTo(undefined)));
  }

  async #trustOf(profile: Profile, { team, channel }: SlackTarget): Promise<Trust> {
    if (this.#operators.includes(profile.id)) return "operator";
    if (profile.standing !== "member") return "guest";
    if (channel === undefined) return "member";
    if (profile.admin) return "manager";
    const { creator } = await this.channel(team, channel).catch(noChannel);
    return creator === profile.id ? "manager" : "member";
  }

  /**
   * People who may decide in a place; members of the channel come first. Managers are the channel's creator and the workspace's
   * admins and owners, if they are in the channel. People whose lookup fails are left out.
   */
  async #candidates(target: SlackTarget, approver: "manager" | "operator"): Promise<Decider[]> {
    const { team, channel, person } = target;
    const members =
      channel === undefined
        ? new Set([person])
        : await this.lists.members(team, channel).catch(fallbackTo(new Set<string>()));
    const isManager = approver === "manager";
    // The setting may name operators of several platforms; only Slack ids count.
    const ids = isManager ? await this.#managersOf(team, channel) : this.#operators.filter(isPersonId);
    return [...new Set(ids)]
      .map((id) => ({ id, here: members.has(id) }))
      .filter(({ here }) => here || !isManager)
      .toSorted((a, b) => Number(b.here) - Number(a.here))
      .slice(0, maxDeciders);
  }

  async #managersOf(team: string, channel: string | undefined): Promise<string[]> {
    if (channel === undefined) return [];
    const [{ creator }, people] = await Promise.all([
      this.channel(team, channel).catch(fallbackTo({ creator: "" })),
      this.lists.people(team).catch(fallbackTo([])),
    ]);
    const admins = people.filter(({ is_admin, is_owner }) => is_admin === true || is_owner === true);
    return [creator, ...admins.map(({ id = "" }) => id)];
  }
}

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

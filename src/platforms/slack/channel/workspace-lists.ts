import type { webApi } from "@slack/bolt";
import type { Clock } from "../../../core/ports/storage.ts";
import { unlessRefused } from "../connection/slack-call.ts";
import type { Workspaces } from "../connection/workspaces.ts";
import { Lookup } from "./lookup.ts";

export type Member = NonNullable<webApi.UsersListResponse["members"]>[number];
export type UserGroup = NonNullable<webApi.UsergroupsListResponse["usergroups"]>[number] & { id: string };

/** Lifetime of the cached lists of people and groups, ms. */
const listAge = 5 * 60_000;
/** Lifetime of the cached list of a channel's members, ms. */
const membersAge = 60_000;
const maxPeople = 10_000;
const maxMembers = 20_000;

/** Entries per page, Slack's maximum: `users.list` may be called only about 20 times a minute. */
const pageSize = 999;

/** Lists of a workspace, read as a whole because Slack cannot search them. Each rejects with `PlatformError`. */
export class WorkspaceLists {
  readonly #workspaces: Workspaces;
  readonly #people: Lookup<Member[]>;
  readonly #groups: Lookup<UserGroup[]>;
  readonly #members: Lookup<Set<string>>;

  constructor(workspaces: Workspaces, clock: Clock) {
    this.#workspaces = workspaces;
    this.#people = new Lookup(clock, listAge, (team) => this.#readPeople(team));
    this.#groups = new Lookup(clock, listAge, (team) => this.#readGroups(team));
    this.#members = new Lookup(clock, membersAge, (key) => {
      const [team = "", channel = ""] = key.split("/");
      return this.#readMembers(team, channel);
    });
  }

  /** People and bots, without deactivated ones; at most 10,000. */
  people(team: string): Promise<readonly Member[]> {
    return this.#people.get(team);
  }

  /** User groups; none for installations without the scope. */
  groups(team: string): Promise<readonly UserGroup[]> {
    return this.#groups.get(team);
  }

  /** Ids of a channel's members; at most 20,000. */
  members(team: string, channel: string): Promise<ReadonlySet<string>> {
    return this.#members.get(`${team}/${channel}`);
  }

  async #readPeople(team: string): Promise<Member[]> {
    const all = await readPages(
      maxPeople,
      (page) => this.#workspaces.call(team, "list people", ({ read }) => read.users.list(page)),
      ({ members }) => members,
    );
    return all.filter(({ deleted }) => deleted !== true);
  }

  async #readGroups(team: string): Promise<UserGroup[]> {
    const answer = await unlessRefused(["missing_scope", "unknown_method", "not_allowed_token_type"], () =>
      this.#workspaces.call(team, "list user groups", ({ read }) =>
        read.usergroups.list({ include_count: true }),
      ),
    );
    const { usergroups = [] } = answer ?? {};
    return usergroups.flatMap((group) => (group.id === undefined ? [] : [{ ...group, id: group.id }]));
  }

  async #readMembers(team: string, channel: string): Promise<Set<string>> {
    const ids = await readPages(
      maxMembers,
      (page) =>
        this.#workspaces.call(team, "list a channel's members", ({ read }) =>
          read.conversations.members({ channel, ...page }),
        ),
      ({ members }) => members,
    );
    return new Set(ids);
  }
}

/** A page's cursor for the next one. */
interface Paged {
  response_metadata?: { next_cursor?: string | undefined } | undefined;
}

/** Reads a list page by page to its end, until there are `most` entries, or until a cursor repeats. */
export async function readPages<T, Page extends Paged>(
  most: number,
  read: (page: { limit: number; cursor?: string }) => Promise<Page>,
  itemsOf: (page: Page) => readonly T[] | undefined,
): Promise<T[]> {
  const found: T[] = [];
  const seen = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    seen.add(cursor);
    const page = await read({ limit: pageSize, ...(cursor && { cursor }) });
    found.push(...(itemsOf(page) ?? []));
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (!seen.has(cursor) && cursor !== undefined && found.length < most);
  return found.slice(0, most);
}

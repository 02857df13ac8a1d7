import type { APIThreadChannel } from "discord.js";
import { channelTypes } from "../connection/discord-facts.ts";
import type { DiscordRest } from "../connection/discord-rest.ts";

/** What Discord answers to a request for threads. */
interface ThreadPage {
  threads: APIThreadChannel[];
  has_more?: boolean;
}

/** Threads of a page. Source: Discord reference, "List Public Archived Threads". */
const perPage = 100;

/** The public threads of a channel, or the posts of a forum. */
export interface ChannelThreads {
  /** The latest first, by when they began. */
  threads: APIThreadChannel[];
  /** There are older ones that were not looked at. */
  more: boolean;
}

/**
 * Threads that are active, and those that were archived since a time (ms since the epoch), in so many pages.
 * @throws DiscordProblem
 */
export async function threadsIn(
  rest: DiscordRest,
  { guild, channel }: { guild: string; channel: string },
  { since = 0, pages }: { since?: number | undefined; pages: number },
): Promise<ChannelThreads> {
  const active = await rest.request<ThreadPage>("GET", `/guilds/${guild}/threads/active`);
  const found = active.threads.filter(
    ({ parent_id, type }) => parent_id === channel && type !== channelTypes.privateThread,
  );
  let before: string | undefined;
  let isOver = false;
  for (let page = 0; page < pages && !isOver; page += 1) {
    const query = { limit: perPage, ...(before === undefined ? {} : { before }) };
    const path = `/channels/${channel}/threads/archived/public` as const;
    const { threads, has_more } = await rest.request<ThreadPage>("GET", path, { query });
    found.push(...threads);
    before = threads.at(-1)?.thread_metadata?.archive_timestamp;
    isOver = has_more !== true || before === undefined || Date.parse(before) < since;
  }
  const latest = found.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
  return { threads: latest, more: !isOver };
}

import type {
  APIMessage,
  APIMessageSearchIndexNotReadyResponse,
  APIMessageSearchResult,
} from "discord-api-types/v10";
import { beginningOf } from "../../../base/markdown-text.ts";
import type { MessageQuery } from "../../../core/ports/chat-actions.ts";
import { channelTypes, snowflakeAt } from "../connection/discord-facts.ts";
import { readPlace } from "../connection/discord-place.ts";
import { unlessRefused } from "../connection/discord-rest.ts";
import { belongsTo, threadsIn } from "./channel-history.ts";
import { isSaid, type ReadDeps } from "./read-thread.ts";

/** Bounds of the request. Source: Discord reference, "Search Guild Messages". */
const perRequest = 25;
const maxChannels = 500;
const maxContent = 1_024;
const maxWordsBetween = 100;

const maxRequests = 4;
const maxArchivePages = 2;

type Answer = APIMessageSearchResult | APIMessageSearchIndexNotReadyResponse;

/**
 * Looks for messages in a channel and its threads by Discord's own search, the latest first. Undefined where it cannot tell now: in direct
 * messages, without the Message Content intent, and while Discord makes its index of the server. @throws DiscordProblem
 */
export async function searchMessages(
  deps: ReadDeps,
  namespace: string,
  wanted: MessageQuery,
): Promise<APIMessage[] | undefined> {
  const place = readPlace({ namespace, thread: "" });
  const { guild, channel } = place;
  if (guild === undefined || channel === undefined) return undefined;
  const query = { ...queryFor(wanted), channel_id: await channelsIn(deps, guild, channel) };
  const found: APIMessage[] = [];
  for (let page = 0; page < maxRequests && found.length < wanted.most; page += 1) {
    const path = `/guilds/${guild}/messages/search` as const;
    const request = deps.rest.request<Answer>("GET", path, {
      query: { ...query, offset: page * perRequest },
    });
    const answer = await unlessRefused(request, ({ code }) => code === "forbidden");
    if (answer === undefined || !("messages" in answer) || answer.doing_deep_historical_index)
      return undefined;
    // Nested for the messages around, which are no longer sent.
    for (const message of answer.messages.flat() as APIMessage[])
      if (isSaid(message) && (await belongsTo(deps.directory, place, message.channel_id)))
        found.push(message);
    if (answer.total_results <= (page + 1) * perRequest) break;
  }
  return found.slice(0, wanted.most);
}

function queryFor({ words, author, since, until }: MessageQuery) {
  return {
    limit: perRequest,
    sort_by: "timestamp",
    sort_order: "desc",
    include_nsfw: "true",
    ...(words.length === 0
      ? {}
      : { content: beginningOf(words.join(" "), maxContent), slop: maxWordsBetween }),
    ...(author === undefined ? {} : { author_id: author }),
    ...(since === undefined ? {} : { min_id: String(BigInt(snowflakeAt(since)) - 1n) }),
    ...(until === undefined ? {} : { max_id: snowflakeAt(until + 1) }),
  };
}

/** A channel and its latest threads: Discord does not say whether the one finds the others. */
async function channelsIn({ rest, directory }: ReadDeps, guild: string, channel: string): Promise<string[]> {
  const facts = await directory.channel(channel);
  if (facts?.type === channelTypes.privateThread) return [channel];
  const { threads } = await threadsIn(rest, { guild, channel }, { pages: maxArchivePages });
  return [channel, ...threads.map(({ id }) => id)].slice(0, maxChannels);
}

import { z } from "zod";
import type { ChatHost } from "../../../app/app.ts";
import type {
  ChannelMessage,
  ChatActions,
  FoundReference,
  MessageQuery,
  Searcher,
} from "../../../core/ports/chat-actions.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import { AbsentFeature } from "../connection/absent-features.ts";
import { slackCall } from "../connection/slack-call.ts";
import type { ActionTokens } from "./action-tokens.ts";
import { fitting } from "./said-text.ts";
import { isTimestamp, slackNamespace, targetOf, timeOf } from "./slack-place.ts";
import type { SlackContext } from "./slack-rooms.ts";

/** Slack's limit for results of one call. */
const maxResults = 20;

/** All kinds of conversations of a person. */
const everything = "public_channel,private_channel,mpim,im";

/** https://docs.slack.dev/reference/methods/assistant.search.context. The texts are not read: Slack does not want them stored. */
const resultsSchema = z.looseObject({
  results: z.looseObject({
    messages: fitting(
      z.looseObject({
        channel_id: z.string(),
        channel_name: z.string().nullish(),
        message_ts: z.string(),
        author_name: z.string().nullish(),
        author_user_id: z.string().nullish(),
        permalink: z.string(),
      }),
    ),
  }),
});

/** What searching takes. */
export interface SearchContext extends SlackContext, Pick<ChatHost, "clock" | "logger"> {
  tokens: ActionTokens;
}

/**
 * Slack's Real-time Search with the rights of the person whose message came with a token. Its results are references: the bot reads the
 * messages again with its own rights. Undefined without a token, where the workspace has no such search, and after a refusal.
 */
export function createSlackSearch(
  context: SearchContext,
  message: ChatActions["message"],
): Required<Pick<ChatActions, "search" | "searchAll">> {
  const without = new AbsentFeature(context.clock);
  /** Undefined after a refusal. */
  const tryKinds = async (team: string, kinds: string, wanted: Record<string, unknown>) => {
    const feature = { team: `${team} ${kinds}`, channel: kinds };
    if (without.isAbsent(feature)) return undefined;
    try {
      return await search(context, team, { ...wanted, channel_types: kinds });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      without.note(error, feature);
      context.logger.debug({ err: error, team }, "Slack did not search");
      return undefined;
    }
  };
  const find = async (query: MessageQuery, by: Searcher, within: string | undefined) => {
    const { team } = targetOf({ namespace: by.namespace, thread: "" });
    const token = by.message === undefined ? undefined : await context.tokens.of(by.namespace, by.message);
    if (token === undefined) return undefined;
    const wanted = { ...argumentsOf(query, within), action_token: token };
    const all = by.private ? await tryKinds(team, everything, wanted) : undefined;
    // The scopes for private kinds are optional.
    return all ?? tryKinds(team, "public_channel", wanted);
  };
  return {
    searchAll: (query, by) => find(query, by, undefined),
    async search(namespace, query, by) {
      const { channel } = targetOf({ namespace, thread: "" });
      if (channel === undefined || by === undefined) return undefined;
      const found = (await find(query, by, channel))?.filter((each) => each.namespace === namespace) ?? [];
      // Slack may not have searched this channel: then other means do.
      if (found.length === 0) return undefined;
      const read = await Promise.all(found.map(({ reference }) => message(namespace, reference)));
      const there = read.filter((each): each is ChannelMessage => each !== undefined);
      return there.toSorted((a, b) => b.at - a.at).slice(0, query.most);
    },
  };
}

function argumentsOf({ words, author, since, until }: MessageQuery, channel: string | undefined) {
  const where = channel === undefined ? [] : [`in:<#${channel}>`];
  const who = author === undefined ? [] : [`from:<@${author}>`];
  return {
    query: [...words, ...who, ...where].join(" "),
    content_types: "messages",
    limit: maxResults,
    after: since === undefined ? undefined : Math.floor(since / 1_000),
    before: until === undefined ? undefined : Math.ceil(until / 1_000),
  };
}

/** Not through `workspaces.call`: a refused action token must not count as a refused token of the workspace. */
async function search(
  { workspaces }: SearchContext,
  team: string,
  wanted: Record<string, unknown>,
): Promise<FoundReference[]> {
  const { write } = await workspaces.of(team);
  const answer = await slackCall("search", () => write.apiCall("assistant.search.context", wanted));
  const { messages } = resultsSchema.parse(answer).results;
  return (messages ?? []).flatMap(
    ({ channel_id, channel_name, message_ts, permalink, author_name, author_user_id }) => {
      if (!isTimestamp(message_ts)) return [];
      const author = author_name || author_user_id || "somebody";
      const namespace = slackNamespace(team, channel_id);
      const at = timeOf(message_ts);
      return [{ namespace, reference: message_ts, channel: channel_name ?? "", author, at, link: permalink }];
    },
  );
}

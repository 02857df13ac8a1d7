import type {
  ChannelMessage,
  ChatActions,
  FoundMessages,
  IndexedMessage,
  MessageIndex,
  MessageQuery,
  Searcher,
} from "../../core/ports/chat-actions.ts";
import { channelThread } from "../../core/ports/chat-platform.ts";

/** Maximum messages of a channel's history that are searched, threads of it, and messages of a thread. */
const maxMessages = 1_000;
const maxThreads = 40;
const perThread = 200;

/**
 * Searches the messages of a channel: with the platform's own search where it has one, otherwise in the channel's index if that is on,
 * otherwise in its latest messages and their threads. Checks no rights.
 * @param isIndexed whether a channel's messages are indexed
 */
export function createSearch(
  actionsOf: (namespace: string) => ChatActions | undefined,
  index: Pick<MessageIndex, "search" | "extent">,
  isIndexed: (namespace: string) => Promise<boolean>,
) {
  return async (namespace: string, query: MessageQuery, by?: Searcher): Promise<FoundMessages> => {
    const actions = actionsOf(namespace);
    if (actions === undefined) return { messages: [], by: "history", complete: true };
    const messages = await actions.search?.(namespace, query, by);
    if (messages !== undefined) return { messages, by: "platform", complete: true };
    if (!(await isIndexed(namespace))) return lookThrough(actions, namespace, query);
    const { since } = await index.extent(namespace);
    const found = await index.search(namespace, query);
    const indexed = await Promise.all(found.map((message) => asMessage(actions, message)));
    const complete = since !== undefined && query.since !== undefined && query.since >= since;
    return { messages: indexed, by: "index", complete, since };
  };
}

async function asMessage(actions: ChatActions, indexed: IndexedMessage): Promise<ChannelMessage> {
  const { namespace, reference, author, text, at, thread } = indexed;
  const link = await actions.link(namespace, reference, thread);
  return { id: reference, author: { ...author, bot: false, self: false }, text, at, files: [], link, thread };
}

async function lookThrough(
  actions: ChatActions,
  namespace: string,
  { words, author, since, until, most }: MessageQuery,
): Promise<FoundMessages> {
  const place = { namespace, thread: channelThread };
  const { messages, more } = await actions.history(place, { since, until, most: maxMessages });
  const opened = messages.filter(({ replies = 0 }) => replies > 0).slice(-maxThreads);
  const replies = await Promise.all(
    opened.map(async ({ thread, id }) => {
      const place = { namespace, thread: thread ?? id };
      return (await actions.history(place, { since, until, most: perThread })).messages;
    }),
  );
  const all = new Map([...messages, ...replies.flat()].map((message) => [message.id, message]));
  const fits = matcher(words);
  const found = [...all.values()]
    .filter((message) => (author === undefined || message.author.id === author) && fits(message.text))
    .sort((a, b) => b.at - a.at);
  const first = more ? messages[0]?.at : undefined;
  return { messages: found.slice(0, most), by: "history", complete: !more, since: first };
}

/** Matches texts as the index does: all words, each from its beginning, ignoring case and accents. */
function matcher(words: readonly string[]): (text: string) => boolean {
  const wanted = words.flatMap(tokensOf);
  return (text) => {
    const tokens = tokensOf(text);
    return wanted.every((word) => tokens.some((token) => token.startsWith(word)));
  };
}

function tokensOf(text: string): string[] {
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

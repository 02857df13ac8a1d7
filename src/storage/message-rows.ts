import type { IndexedMessage, MessageIndex } from "../core/ports/chat-actions.ts";

export const extent =
  "SELECT count(*) AS n, min(at) AS since, max(at) AS newest FROM messages WHERE namespace = $1";

/** How much of a channel is in the index, from a row of `extent`. */
export function extentOf(
  row: Record<string, unknown> | undefined,
): Awaited<ReturnType<MessageIndex["extent"]>> {
  const messages = Number(row?.n ?? 0);
  return messages === 0 ? { messages } : { messages, since: Number(row?.since), newest: Number(row?.newest) };
}

/** A row of the table `messages`, which has the same columns in every database. */
export function messageOf(row: Record<string, unknown>): IndexedMessage {
  const { namespace, reference, thread, author_id, author, at, text } = row;
  return {
    namespace: String(namespace),
    reference: String(reference),
    ...(thread === null ? {} : { thread: String(thread) }),
    author: { id: String(author_id), name: String(author) },
    text: String(text),
    at: Number(at),
  };
}

import type { IndexedMessage } from "../core/ports/chat-actions.ts";

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

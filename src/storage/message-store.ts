import type { IndexedMessage, MessageIndex, MessageQuery } from "../core/ports/chat-actions.ts";
import type { Row, Tables, Work } from "./tables.ts";

/** The table `messages`, and what differs between databases: the index of words. */
export interface MessageTables extends Tables {
  /** Stores a message in place of an earlier one with its reference. */
  put(message: IndexedMessage): Work<void>;
  /** Removes the messages that match a condition; returns how many. */
  remove(where: string, ...values: (string | number)[]): Promise<number>;
  /** SQL for messages as `m` that contain words, beginning with `FROM`; `$1` is the match. */
  readonly found: string;
  /** The match for words, each of them a prefix; empty if there are none. */
  match(namespace: string, query: MessageQuery): string;
  scrub(): Promise<void>;
}

const extent = "SELECT count(*) AS n, min(at) AS since, max(at) AS newest FROM messages WHERE namespace = $1";

/** The index of messages in these tables. */
export function createMessageStore(tables: MessageTables): MessageIndex {
  return {
    put: (messages) =>
      tables.write(function* () {
        for (const message of messages) yield* tables.put(message);
      }),
    async remove(namespace, reference) {
      await tables.remove("namespace = $1 AND reference = $2", namespace, reference);
    },
    clear: (namespace) => tables.remove("namespace = $1", namespace),
    async clearBefore(before, namespace) {
      const all = await tables.all("SELECT DISTINCT namespace FROM messages");
      let count = 0;
      for (const each of namespace === undefined ? all.map((row) => String(row.namespace)) : [namespace])
        count += await tables.remove("namespace = $1 AND at < $2", each, before);
      return count;
    },
    async clearAuthor(author, isThere, { dryRun = false } = {}) {
      const counts = "SELECT namespace, count(*) AS n FROM messages WHERE author_id = $1 GROUP BY namespace";
      let count = 0;
      for (const { namespace, n } of await tables.all(counts, author))
        if (isThere(String(namespace)))
          count += dryRun
            ? Number(n)
            : await tables.remove("author_id = $1 AND namespace = $2", author, String(namespace));
      return count;
    },
    scrub: () => tables.scrub(),
    search: (namespace, query) => search(tables, namespace, query),
    extent: async (namespace) => extentOf((await tables.all(extent, namespace))[0]),
  };
}

async function search(
  tables: MessageTables,
  namespace: string,
  query: MessageQuery,
): Promise<IndexedMessage[]> {
  const match = tables.match(namespace, query);
  if (match === "") return [];
  const { since = 0, until = Number.MAX_SAFE_INTEGER, author = null, most } = query;
  const rows = await tables.all(
    `SELECT m.namespace, m.reference, m.thread, m.author_id, m.author, m.at, m.text ${tables.found}
     AND m.namespace = $2 AND m.at BETWEEN $3 AND $4 AND (CAST($5 AS TEXT) IS NULL OR m.author_id = $5)
     ORDER BY m.at DESC, m.ordinal DESC LIMIT $6`,
    ...[match, namespace, since, until, author, most],
  );
  return rows.map(messageOf);
}

/** How much of a channel is in the index, from a row of `extent`. */
function extentOf(row: Row | undefined): Awaited<ReturnType<MessageIndex["extent"]>> {
  const messages = Number(row?.n ?? 0);
  return messages === 0 ? { messages } : { messages, since: Number(row?.since), newest: Number(row?.newest) };
}

/** A row of the table `messages`, which has the same columns in every database. */
function messageOf(row: Row): IndexedMessage {
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

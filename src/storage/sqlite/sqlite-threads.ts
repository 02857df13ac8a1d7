import type { ThreadReading, ThreadRecord } from "../../core/log/turn-log.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";

const defaultThreads = 200;

const finishedBefore = `
  SELECT turn_id, ordinal FROM turns
  WHERE thread = ? AND namespace = ? AND ordinal < ? AND kind = 'message' AND status = 'finished'
  ORDER BY ordinal DESC LIMIT ?`;

const latestThreads = `
  SELECT thread, title, turns, last_at, unfinished FROM threads
  WHERE namespace = ? ORDER BY last_at DESC, thread LIMIT ?`;

const nextThreads = `
  SELECT thread, title, turns, last_at, unfinished FROM threads
  WHERE namespace = ? AND thread > ? ORDER BY thread LIMIT ?`;

/** Threads read at a time. */
const pageSize = 200;

/** Conversations and where they are. */
export function createThreadReading(connection: SqliteConnection): ThreadReading {
  return {
    async finished({ namespace, thread }, before, limit) {
      const rows = connection.all(finishedBefore, thread, namespace, before, limit);
      return rows.map((row) => ({ turn_id: row.turn_id as string, ordinal: row.ordinal as number }));
    },

    async deletions({ namespace, thread }) {
      const select = "SELECT deletions FROM threads WHERE namespace = ? AND thread = ?";
      return Number(connection.get(select, namespace, thread)?.deletions ?? 0);
    },

    async threads(namespace, limit = defaultThreads) {
      return connection.all(latestThreads, namespace, limit).map(toThread);
    },

    async *everyThread(namespace) {
      for (let last = ""; ; ) {
        const page = connection.all(nextThreads, namespace, last, pageSize).map(toThread);
        yield* page;
        if (page.length < pageSize) return;
        last = page.at(-1)?.thread ?? "";
      }
    },

    async namespaces(platform) {
      // All that begins with `platform:`; `;` follows `:` in the order of bytes.
      const rows =
        platform === undefined
          ? connection.all("SELECT namespace FROM namespaces ORDER BY namespace")
          : connection.all(
              "SELECT namespace FROM namespaces WHERE namespace >= ? AND namespace < ? ORDER BY namespace",
              `${platform}:`,
              `${platform};`,
            );
      return rows.map((row) => row.namespace as string);
    },
  };
}

function toThread(row: SqlRow): ThreadRecord {
  return {
    thread: row.thread as string,
    title: row.title as string,
    turns: row.turns as number,
    last_at: row.last_at as number,
    busy: Number(row.unfinished) > 0,
  };
}

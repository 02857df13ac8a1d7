import type { ThreadReading } from "../../core/log/turn-log.ts";
import type { Tables } from "../tables.ts";
import { threadOf } from "./turn-rows.ts";

const defaultThreads = 200;
/** Threads read at a time. */
const pageSize = 200;

const finishedBefore = `
  SELECT turn_id, ordinal FROM turns
  WHERE thread = $1 AND namespace = $2 AND ordinal < $3 AND kind = 'message' AND status = 'finished'
  ORDER BY ordinal DESC LIMIT $4`;

const columns = "thread, title, turns, last_at, unfinished";
const latestThreads = `SELECT ${columns} FROM threads WHERE namespace = $1 ORDER BY last_at DESC, thread LIMIT $2`;
const nextThreads = `
  SELECT ${columns} FROM threads WHERE namespace = $1 AND thread > $2 ORDER BY thread LIMIT ${pageSize}`;

/** Threads, and the namespaces they belong to. */
export function createThreadReading(tables: Pick<Tables, "all">): ThreadReading {
  return {
    async finished({ namespace, thread }, before, limit) {
      const rows = await tables.all(finishedBefore, thread, namespace, before, limit);
      return rows.map((row) => ({ turn_id: row.turn_id as string, ordinal: row.ordinal as number }));
    },

    async deletions({ namespace, thread }) {
      const select = "SELECT deletions FROM threads WHERE namespace = $1 AND thread = $2";
      const [row] = await tables.all(select, namespace, thread);
      return Number(row?.deletions ?? 0);
    },

    async threads(namespace, limit = defaultThreads) {
      return (await tables.all(latestThreads, namespace, limit)).map(threadOf);
    },

    async *everyThread(namespace) {
      for (let last = ""; ; ) {
        const page = (await tables.all(nextThreads, namespace, last)).map(threadOf);
        yield* page;
        if (page.length < pageSize) return;
        last = page.at(-1)?.thread ?? "";
      }
    },

    async namespaces(platform) {
      // All that begins with `platform:`; `;` follows `:` in byte order.
      const rows =
        platform === undefined
          ? await tables.all("SELECT namespace FROM namespaces ORDER BY namespace")
          : await tables.all(
              "SELECT namespace FROM namespaces WHERE namespace >= $1 AND namespace < $2 ORDER BY namespace",
              ...[`${platform}:`, `${platform};`],
            );
      return rows.map((row) => row.namespace as string);
    },
  };
}

import type { TurnFilter, TurnReading } from "../../core/log/turn-log.ts";
import { noUsage } from "../../core/log/usage.ts";
import { recordColumns, turnRecordOf, usageOf } from "../turns/turn-rows.ts";
import type { SqliteConnection, SqlValue } from "./sqlite-connection.ts";
import { readEvents } from "./sqlite-events.ts";

const sums = `total(input_tokens) AS input_tokens, total(cached_tokens) AS cached_tokens,
  total(cache_write_tokens) AS cache_write_tokens, total(output_tokens) AS output_tokens,
  total(cost_usd) AS cost_usd, total(unpriced_tokens) AS unpriced_tokens`;

/** Turns and their events. */
export function createReading(connection: SqliteConnection): TurnReading {
  return {
    async read(turnId, afterSeq = -1) {
      return readEvents(connection, turnId, afterSeq);
    },

    async get(turnId) {
      const row = connection.get(`SELECT ${recordColumns} FROM turns WHERE turn_id = ?`, turnId);
      return row === undefined ? undefined : turnRecordOf(row, connection.parse);
    },

    async find(key) {
      const row = connection.get("SELECT turn_id FROM turns WHERE key = ?", key);
      return row?.turn_id as string | undefined;
    },

    async list(filter) {
      const { from, values } = conditionsOf(filter);
      const select = `SELECT ${recordColumns} ${from} ORDER BY ordinal DESC LIMIT ?`;
      return connection
        .all(select, ...values, filter.limit ?? 50)
        .map((row) => turnRecordOf(row, connection.parse));
    },

    async usage({ namespace, user, since }) {
      // Without a narrower query the namespaces are searched one by one, so that the one index by time serves both.
      const from =
        namespace !== undefined || user !== undefined
          ? "turns"
          : "namespaces CROSS JOIN turns USING (namespace)";
      const inNamespace = namespace === undefined ? "" : "namespace = ? AND";
      const ofUser = user === undefined ? "" : "author_id = ? AND";
      const given = [namespace, user].filter((value) => value !== undefined);
      const select = `SELECT ${sums} FROM ${from} WHERE ${inNamespace} ${ofUser} accepted_at >= ?`;
      const row = connection.get(select, ...given, since);
      return row === undefined ? noUsage : usageOf(row);
    },
  };
}

function conditionsOf(filter: TurnFilter): { from: string; values: SqlValue[] } {
  const isUnfinished = filter.status !== undefined && filter.status !== "finished";
  const conditions: [string, SqlValue | undefined][] = [
    ["thread = ?", filter.thread],
    ["namespace = ?", filter.namespace],
    ["author_id = ?", filter.author],
    // Repeated so that SQLite uses the index of unfinished turns.
    [isUnfinished ? "status = ? AND status <> 'finished'" : "status = ?", filter.status],
    ["ordinal < (SELECT ordinal FROM turns WHERE turn_id = ?)", filter.before],
  ];
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = given.length === 0 ? "" : `WHERE ${given.map(({ sql }) => sql).join(" AND ")}`;
  const from = `FROM turns ${isUnfinished ? "INDEXED BY turns_unfinished" : ""} ${where}`;
  return { from, values: given.map(({ value }) => value) };
}

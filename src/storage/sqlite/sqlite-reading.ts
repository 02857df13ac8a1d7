import { noUsage, type TurnOutcome, type UsageTotal } from "../../core/log/turn-event.ts";
import type { TurnFilter, TurnReading, TurnRecord, TurnStatus } from "../../core/log/turn-log.ts";
import type { Author, Inbound } from "../../core/values/inbound.ts";
import type { SqliteConnection, SqlRow, SqlValue } from "./sqlite-connection.ts";
import { readEvents } from "./sqlite-events.ts";

const columns = `turn_id, namespace, thread, kind, author, text, status, outcome, answer, merged_into,
  accepted_at, started_at, finished_at,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, cost_usd, unpriced_tokens`;

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
      const row = connection.get(`SELECT ${columns} FROM turns WHERE turn_id = ?`, turnId);
      return row === undefined ? undefined : toRecord(connection, row);
    },

    async find(key) {
      const row = connection.get("SELECT turn_id FROM turns WHERE key = ?", key);
      return row?.turn_id as string | undefined;
    },

    async list(filter) {
      const { from, values } = conditionsOf(filter);
      const select = `SELECT ${columns} ${from} ORDER BY ordinal DESC LIMIT ?`;
      return connection.all(select, ...values, filter.limit ?? 50).map((row) => toRecord(connection, row));
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
      return row === undefined ? noUsage : toUsage(row);
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

// This adapter wrote the columns, so their types are known.
function toRecord(connection: SqliteConnection, row: SqlRow): TurnRecord {
  const optional = <T>(value: unknown) => (value === null ? undefined : (value as T));
  return {
    turn_id: row.turn_id as string,
    namespace: row.namespace as string,
    thread: row.thread as string,
    kind: row.kind as Inbound["kind"],
    author: connection.parse(row.author) as Author,
    text: row.text as string,
    status: row.status as TurnStatus,
    outcome: optional<TurnOutcome>(row.outcome),
    answer: optional<string>(row.answer),
    merged_into: optional<string>(row.merged_into),
    accepted_at: row.accepted_at as number,
    started_at: optional<number>(row.started_at),
    finished_at: optional<number>(row.finished_at),
    ...toUsage(row),
  };
}

function toUsage(row: SqlRow): UsageTotal {
  const input_tokens = row.input_tokens as number;
  const output_tokens = row.output_tokens as number;
  const unpriced_tokens = row.unpriced_tokens as number;
  return {
    input_tokens,
    cached_tokens: row.cached_tokens as number,
    cache_write_tokens: row.cache_write_tokens as number,
    output_tokens,
    ...(input_tokens + output_tokens > unpriced_tokens ? { cost_usd: row.cost_usd as number } : {}),
    unpriced_tokens,
  };
}

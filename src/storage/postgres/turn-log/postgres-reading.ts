import type { TurnFilter, TurnReading, TurnStatus } from "../../../core/log/turn-log.ts";
import { noUsage } from "../../../core/log/usage.ts";
import { recordColumns, turnRecordOf, usageOf } from "../../turns/turn-rows.ts";
import type { PostgresRow, PostgresValue } from "../postgres-connection.ts";
import { readEvents } from "./postgres-events.ts";
import type { TurnStore } from "./turn-store.ts";

const sums = [
  ...["input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "unpriced_tokens"].map(
    (column) => `coalesce(sum(${column}), 0)::bigint AS ${column}`,
  ),
  "coalesce(sum(cost_usd), 0) AS cost_usd",
].join(", ");

/** Turns and their events. */
export function createReading(turns: TurnStore): TurnReading {
  const recordOf = (row: PostgresRow) => {
    const answer = row.answer === null ? null : turns.parse(row.answer);
    return turnRecordOf({ ...row, text: turns.parse(row.text), answer }, turns.parse);
  };
  return {
    read: (turnId, afterSeq) => readEvents(turns, turns.parse, turnId, afterSeq),

    async get(turnId) {
      const row = await turns.get(`SELECT ${recordColumns} FROM turns WHERE turn_id = $1`, turnId);
      return row && recordOf(row);
    },

    async find(key) {
      const row = await turns.get("SELECT turn_id FROM turns WHERE key = $1", key);
      return row && String(row.turn_id);
    },

    async list(filter) {
      const { where, values } = conditionsOf(filter);
      const select = `SELECT ${recordColumns} FROM turns ${where} ORDER BY ordinal DESC LIMIT $1`;
      return (await turns.all(select, filter.limit ?? 50, ...values)).map(recordOf);
    },

    async usage({ namespace, user, since }) {
      const ofUser = user === undefined ? "" : "AND author_id = $2";
      const inNamespace = namespace === undefined ? "" : `AND namespace = $${user === undefined ? 2 : 3}`;
      // Without a narrower query the namespaces are searched one by one, so that the one index by time serves both.
      const from =
        namespace !== undefined || user !== undefined
          ? `turns WHERE accepted_at >= $1 ${ofUser} ${inNamespace}`
          : `namespaces CROSS JOIN LATERAL (
              SELECT ${sums} FROM turns WHERE turns.namespace = namespaces.namespace AND accepted_at >= $1) AS used`;
      const given = [user, namespace].filter((value) => value !== undefined);
      const row = await turns.get(`SELECT ${sums} FROM ${from}`, since, ...given);
      return row === undefined ? noUsage : usageOf(row);
    },
  };
}

// No parameter, so that an index of unfinished turns can be used.
const statusIs: Record<TurnStatus, string> = {
  queued: "status = 'queued'",
  running: "status = 'running'",
  waiting: "status = 'waiting'",
  finished: "status = 'finished'",
};

/** The parameter `$1` is the limit. */
function conditionsOf(filter: TurnFilter): { where: string; values: PostgresValue[] } {
  const { thread, namespace, author, status, before } = filter;
  const conditions: [(parameter: string) => string, string | undefined][] = [
    [(name) => `thread = ${name}`, thread],
    [(name) => `namespace = ${name}`, namespace],
    [(name) => `author_id = ${name}`, author],
    [(name) => `ordinal < (SELECT ordinal FROM turns WHERE turn_id = ${name})`, before],
  ];
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const all = given.map(({ sql }, at) => sql(`$${at + 2}`));
  if (status !== undefined) all.push(statusIs[status]);
  return {
    where: all.length === 0 ? "" : `WHERE ${all.join(" AND ")}`,
    values: given.map(({ value }) => value),
  };
}

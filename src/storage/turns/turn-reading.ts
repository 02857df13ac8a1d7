import type {
  Signal,
  ThreadReading,
  ThreadRecord,
  TurnFilter,
  TurnReading,
  TurnSignals,
} from "../../core/log/turn-log.ts";
import { noUsage } from "../../core/log/usage.ts";
import { inPages, type Row } from "../tables.ts";
import { inboundOf, recordColumns, threadOf, turnRecordOf, usageOf } from "./turn-rows.ts";
import type { TurnTables } from "./turn-tables.ts";
import { isSaid } from "./turn-texts.ts";

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

/** The sums that `usageOf` reads. */
export const sums = [
  ...["input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "unpriced_tokens"].map(
    (column) => `CAST(coalesce(sum(${column}), 0) AS BIGINT) AS ${column}`,
  ),
  "coalesce(sum(cost_usd), 0) AS cost_usd",
].join(", ");

// The status is given twice, so that the index of unfinished turns serves.
const queuedByAuthor = `
  SELECT other.turn_id FROM turns JOIN turns AS other ON other.line = turns.line AND other.ordinal > turns.ordinal
  WHERE turns.turn_id = $1 AND other.status = 'queued' AND other.status <> 'finished'
    AND other.author_id = turns.author_id
  ORDER BY other.ordinal`;

/** Turns with their events and signals, threads, and the namespaces they belong to. */
export function createTurnReading(
  tables: TurnTables,
): TurnReading & ThreadReading & Pick<TurnSignals, "signals" | "steering"> {
  const recordOf = (row: Row) => turnRecordOf(row, tables);
  const read: TurnReading["read"] = async (turnId, afterSeq = -1) =>
    (await tables.all(tables.selectEvents, turnId, afterSeq)).map((row) => tables.toEvent(turnId, row));
  return {
    read,

    async get(turnId) {
      const [row] = await tables.all(`SELECT ${recordColumns} FROM turns WHERE turn_id = $1`, turnId);
      return row && recordOf(row);
    },

    async find(key) {
      const [row] = await tables.all("SELECT turn_id FROM turns WHERE key = $1", key);
      return row && String(row.turn_id);
    },

    async list(filter) {
      const { isUnfinished, where, values } = conditionsOf(filter, tables);
      const from = `${isUnfinished ? tables.sql.unfinished : "turns"} ${where}`;
      const select = `SELECT ${recordColumns} FROM ${from} ORDER BY ordinal DESC LIMIT $1`;
      return (await tables.all(select, filter.limit ?? 50, ...values)).map(recordOf);
    },

    async signals(turnId) {
      const rows = await tables.all("SELECT body FROM signals WHERE turn_id = $1 ORDER BY id", turnId);
      return rows.map(({ body }) => tables.parse(body) as Signal);
    },

    async steering(turnId) {
      const queued = (await tables.all(queuedByAuthor, turnId)).map(({ turn_id }) => String(turn_id));
      const found = await Promise.all(
        queued.map(async (turn_id) => ({ turn_id, inbound: inboundOf((await read(turn_id))[0]) })),
      );
      return found.flatMap(({ turn_id, inbound }) =>
        inbound === undefined || !isSaid(inbound) ? [] : [{ turn_id, inbound }],
      );
    },

    async usage({ namespace, user, since }) {
      const { where, values } = whereOf([
        ["namespace = $", namespace],
        ["author_id = $", user],
      ]);
      const from = values.length === 0 ? tables.sql.everywhere : `turns ${where} AND accepted_at >= $1`;
      const [row] = await tables.all(`SELECT ${sums} FROM ${from}`, since, ...values);
      return row === undefined ? noUsage : usageOf(row);
    },

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

    everyThread: (namespace) =>
      inPages<ThreadRecord>(pageSize, async (last) =>
        (await tables.all(nextThreads, namespace, last?.thread ?? "")).map(threadOf),
      ),

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

/** The parameter `$1` is the limit. */
function conditionsOf(
  { thread, namespace, author, status, event, asks, before }: TurnFilter,
  { sql: { decider } }: TurnTables,
) {
  const has = "EXISTS (SELECT 1 FROM events WHERE events.turn_id = turns.turn_id AND events.type =";
  const isUnfinished = status !== undefined && status !== "finished";
  const { where, values } = whereOf([
    ["thread = $", thread],
    ["namespace = $", namespace],
    ["author_id = $", author],
    ["status = $", status],
    [`${has} $)`, event],
    [`${has} 'approval_requested' AND ${decider} = $)`, asks],
    ["ordinal < (SELECT ordinal FROM turns WHERE turn_id = $)", before],
  ]);
  // Said again without a parameter, so that the index of unfinished turns serves.
  return { isUnfinished, where: isUnfinished ? `${where} AND status <> 'finished'` : where, values };
}

/** The conditions whose values are given, with parameters from `$2` on in place of each `$`. */
function whereOf(conditions: readonly [sql: string, value: string | undefined][]) {
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const all = given.map(({ sql }, at) => sql.replace("$", () => `$${at + 2}`)).join(" AND ");
  return { where: all === "" ? "" : `WHERE ${all}`, values: given.map(({ value }) => value) };
}

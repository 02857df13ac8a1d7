import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { TurnFilter, TurnReading } from "../../core/log/turn-log.ts";
import { noUsage } from "../../core/log/usage.ts";
import type { Row, Tables } from "../tables.ts";
import { recordColumns, turnRecordOf, usageOf } from "./turn-rows.ts";

/** The tables of a turn log, and what differs between databases. */
interface TurnTables extends Pick<Tables, "all"> {
  parse(text: unknown): unknown;
  read(turnId: string, afterSeq?: number): Promise<TurnEvent[]>;
  /** The row with its texts as people wrote them. */
  plain(row: Row): Row;
  /** SQL for the turns of which some are not finished. */
  readonly unfinished: string;
  /**
   * SQL for the turns accepted at or after `$1`, of all namespaces. The namespaces are searched one by one, so that the index by namespace
   * and time serves.
   */
  readonly everywhere: string;
  /** SQL for the id of the person who alone decides, of an event that asks for approval. */
  readonly decider: string;
}

/** The sums that `usageOf` reads. */
export const sums = [
  ...["input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "unpriced_tokens"].map(
    (column) => `CAST(coalesce(sum(${column}), 0) AS BIGINT) AS ${column}`,
  ),
  "coalesce(sum(cost_usd), 0) AS cost_usd",
].join(", ");

/** Turns and their events. */
export function createTurnReading(tables: TurnTables): TurnReading {
  const recordOf = (row: Row) => turnRecordOf(tables.plain(row), tables.parse);
  return {
    read: (turnId, afterSeq) => tables.read(turnId, afterSeq),

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
      const from = `${isUnfinished ? tables.unfinished : "turns"} ${where}`;
      const select = `SELECT ${recordColumns} FROM ${from} ORDER BY ordinal DESC LIMIT $1`;
      return (await tables.all(select, filter.limit ?? 50, ...values)).map(recordOf);
    },

    async usage({ namespace, user, since }) {
      const { where, values } = whereOf([
        ["namespace = $", namespace],
        ["author_id = $", user],
      ]);
      const from = values.length === 0 ? tables.everywhere : `turns ${where} AND accepted_at >= $1`;
      const [row] = await tables.all(`SELECT ${sums} FROM ${from}`, since, ...values);
      return row === undefined ? noUsage : usageOf(row);
    },
  };
}

/** The parameter `$1` is the limit. */
function conditionsOf(
  { thread, namespace, author, status, event, asks, before }: TurnFilter,
  { decider }: Pick<TurnTables, "decider">,
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

import { leasePrefix } from "../key-value-leases.ts";
import { pieceWords } from "../postgres/postgres-knowledge.ts";
import { messageWords } from "../postgres/postgres-message-index.ts";
import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { eventColumns, toEvent } from "../sqlite/sqlite-events.ts";
import type { Row, Value } from "../tables.ts";
import { eventBodyOf } from "../turns/turn-rows.ts";
import { gap, quotedWord } from "../words.ts";
import type { SourceFile } from "./source.ts";

/** A table of the target, and the rows of the source that it gets. */
export interface CopiedTable {
  name: string;
  file: SourceFile;
  /** Columns of the source's rows that identify and order them. */
  key: readonly string[];
  /** The source's rows, without an order; by default, the table of the same name. */
  select?: string;
  /** What columns of the target get instead of the source's columns of the same names. */
  convert?(row: Row, source: Pick<SqliteConnection, "parse">): Record<string, Value>;
  /** The column that numbers new rows: they continue after the highest number, or after that of `SELECT`, as `last`. */
  numbered?: { column: string; last?: string };
}

// Not copied: `lanes`, `life`, `probe` and `texts`, which PostgreSQL does without or makes anew.
export const copiedTables: readonly CopiedTable[] = [
  {
    name: "turns",
    file: "turns.db",
    key: ["ordinal"],
    select: `
      SELECT turns.*, kind = 'message' AND (
        SELECT json_extract(body, '$.inbound.cause') FROM events WHERE turn_id = turns.turn_id AND seq = 0) IS NULL AS said
      FROM turns`,
    // The leases are over; their ends are by the clock of a machine. Whoever claims first on the target frees what ran.
    convert: ({ head, status, due_at, lease, text, answer }) => ({
      ready: Number(head === 1 && due_at === 0),
      due_at: status === "waiting" ? Number(due_at) : 0,
      lease: status === "running" ? (lease as string | null) : null,
      lease_ends: 0,
      worker: null,
      text: JSON.stringify(text),
      answer: answer === null ? null : JSON.stringify(answer),
    }),
    numbered: { column: "ordinal" },
  },
  {
    name: "events",
    file: "turns.db",
    key: ["turn_id", "seq"],
    select: `SELECT turn_id, ${eventColumns} FROM events`,
    convert: (row, source) =>
      row.texts === null
        ? {}
        : { body: JSON.stringify(eventBodyOf(toEvent(source, row.turn_id as string, row))) },
  },
  { name: "signals", file: "turns.db", key: ["id"], numbered: { column: "id" } },
  { name: "threads", file: "turns.db", key: ["namespace", "thread"] },
  { name: "namespaces", file: "turns.db", key: ["namespace"] },
  { name: "due_entries", file: "turns.db", key: ["ordinal"], numbered: { column: "ordinal" } },
  {
    name: "kv",
    file: "state.db",
    key: ["key"],
    // Leases are a table of their own in the target, and over.
    select: `SELECT key, value FROM keyv WHERE namespace = '' AND substr(key, 1, ${leasePrefix.length}) <> '${leasePrefix}'`,
    // Keyv's wrapping.
    convert: ({ value }, { parse }) => ({
      value: JSON.stringify((parse(value) as { value: unknown }).value),
    }),
  },
  {
    name: "documents",
    file: "knowledge.db",
    key: ["id"],
    // Ids of removed documents are not given again.
    numbered: {
      column: "id",
      last: "SELECT seq AS last FROM sqlite_sequence WHERE name = 'documents'",
    },
  },
  {
    name: "pieces",
    file: "knowledge.db",
    key: ["ordinal"],
    // Without pieces of documents that were removed.
    select: `
      SELECT p.*, w.text AS text, d.title AS title FROM pieces AS p
      CROSS JOIN documents AS d ON d.id = p.document CROSS JOIN words AS w ON w.rowid = p.ordinal`,
    convert({ namespace, text: stored, title, place }) {
      const text = String(stored).replaceAll(gap, "");
      return { text, words: pieceWords(String(namespace), text, `${title} ${place}`) };
    },
    numbered: { column: "ordinal" },
  },
  {
    name: "messages",
    file: "messages.db",
    key: ["ordinal"],
    convert: ({ namespace, text }) => ({
      words: messageWords(String(namespace), String(text)).map(quotedWord).join(" "),
    }),
    numbered: { column: "ordinal" },
  },
];

/** The rows of a source, without an order. */
export function selectOf({ name, select = `SELECT * FROM ${name}` }: CopiedTable): string {
  return select;
}

import { leasePrefix } from "../key-value-leases.ts";
import type { PostgresValue } from "../postgres/postgres-connection.ts";
import { pieceWords } from "../postgres/postgres-knowledge.ts";
import { messageWords } from "../postgres/postgres-message-index.ts";
import { quotedWord } from "../postgres/postgres-words.ts";
import type { SqliteConnection, SqlRow } from "../sqlite/sqlite-connection.ts";
import { eventColumns, toEvent } from "../sqlite/sqlite-events.ts";
import { eventBodyOf } from "../turns/turn-rows.ts";
import { gap } from "../words.ts";
import type { SourceFile } from "./source.ts";

/** A table of the target, and the rows of the source that it gets. */
export interface CopiedTable {
  name: string;
  file: SourceFile;
  /** Its columns, with their types. */
  columns: Readonly<Record<string, string>>;
  /** Columns of the source's rows that identify and order them. */
  key: readonly string[];
  /** The source's rows, without an order. */
  select: string;
  /** What is stored of a row under names of columns, instead of what it has there. */
  convert?(row: SqlRow, source: Pick<SqliteConnection, "parse">): Record<string, PostgresValue>;
  /** The column that numbers new rows: they continue after the highest number, or after that of `SELECT`, as `last`. */
  numbered?: { column: string; last?: string };
}

// Not copied: `lanes`, `probe` and `texts`, which PostgreSQL does without or makes anew.
export const copiedTables: readonly CopiedTable[] = [
  {
    name: "turns",
    file: "turns.db",
    columns: {
      ...{ ordinal: "bigint", turn_id: "text", key: "text", line: "text", namespace: "text", thread: "text" },
      ...{ kind: "text", lane: "text", said: "boolean", author_id: "text", author: "text", status: "text" },
      ...{ ready: "boolean", due_at: "bigint", lease: "text", woken: "integer", seq_from: "bigint" },
      ...{ crashes: "integer", late_crashes: "integer", suspect: "boolean", outcome: "text" },
      ...{ merged_into: "text", accepted_at: "bigint", started_at: "bigint", finished_at: "bigint" },
      ...{ input_tokens: "bigint", cached_tokens: "bigint", cache_write_tokens: "bigint" },
      ...{ output_tokens: "bigint", unpriced_tokens: "bigint", cost_usd: "double precision" },
      ...{ details: "boolean", text: "text", answer: "text" },
    },
    key: ["ordinal"],
    select: `
      SELECT turns.*, kind = 'message' AND (
        SELECT json_extract(body, '$.inbound.cause') FROM events WHERE turn_id = turns.turn_id AND seq = 0) IS NULL AS said
      FROM turns`,
    // The leases are over: the first bot on the target frees what ran, as after a crash. A lease's end was by the clock of a machine.
    convert: ({ head, status, due_at, lease, text, answer }) => ({
      ready: Number(head === 1 && due_at === 0),
      due_at: status === "waiting" ? Number(due_at) : 0,
      lease: status === "running" ? (lease as string | null) : null,
      text: JSON.stringify(text),
      answer: answer === null ? null : JSON.stringify(answer),
    }),
    numbered: { column: "ordinal" },
  },
  {
    name: "events",
    file: "turns.db",
    columns: { turn_id: "text", seq: "bigint", at: "bigint", type: "text", body: "text" },
    key: ["turn_id", "seq"],
    select: `SELECT turn_id, ${eventColumns} FROM events`,
    convert: (row, source) =>
      row.texts === null
        ? {}
        : { body: JSON.stringify(eventBodyOf(toEvent(source, row.turn_id as string, row))) },
  },
  {
    name: "signals",
    file: "turns.db",
    columns: { id: "bigint", turn_id: "text", at: "bigint", body: "text" },
    key: ["id"],
    select: "SELECT * FROM signals",
    numbered: { column: "id" },
  },
  {
    name: "threads",
    file: "turns.db",
    columns: {
      ...{ namespace: "text", thread: "text", title: "text", root: "text", turns: "bigint" },
      ...{ unfinished: "bigint", last_at: "bigint", deletions: "bigint", opened: "bigint" },
    },
    key: ["namespace", "thread"],
    select: "SELECT * FROM threads",
  },
  {
    name: "namespaces",
    file: "turns.db",
    columns: { namespace: "text" },
    key: ["namespace"],
    select: "SELECT * FROM namespaces",
  },
  {
    name: "life",
    file: "turns.db",
    columns: { id: "integer", state: "text", after_crash: "boolean", at_once: "bigint" },
    key: ["id"],
    select: "SELECT * FROM life",
  },
  {
    name: "due_entries",
    file: "turns.db",
    columns: {
      ...{ ordinal: "bigint", id: "text", namespace: "text", kind: "text", due_at: "bigint", value: "text" },
    },
    key: ["ordinal"],
    select: "SELECT * FROM due_entries",
    numbered: { column: "ordinal" },
  },
  {
    name: "kv",
    file: "state.db",
    columns: { key: "text", value: "text" },
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
    columns: {
      ...{ id: "bigint", namespace: "text", title: "text", source: "text", author: "text", by_name: "text" },
      ...{ at: "bigint", pieces: "bigint", characters: "bigint" },
    },
    key: ["id"],
    select: "SELECT * FROM documents",
    // Ids of removed documents are not given again.
    numbered: {
      column: "id",
      last: "SELECT seq AS last FROM sqlite_sequence WHERE name = 'documents'",
    },
  },
  {
    name: "pieces",
    file: "knowledge.db",
    columns: {
      ...{ ordinal: "bigint", namespace: "text", document: "bigint", place: "text", text: "text" },
      ...{ words: "tsvector", model: "text", vector: "bytea" },
    },
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
    columns: {
      ...{ ordinal: "bigint", namespace: "text", reference: "text", thread: "text", author_id: "text" },
      ...{ author: "text", at: "double precision", text: "text", words: "tsvector" },
    },
    key: ["ordinal"],
    select: "SELECT * FROM messages",
    convert: ({ namespace, text }) => ({
      words: messageWords(String(namespace), String(text)).map(quotedWord).join(" "),
    }),
    numbered: { column: "ordinal" },
  },
];

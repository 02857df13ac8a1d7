import {
  type PostgresConnection,
  type PostgresSession,
  storableText,
} from "../postgres/postgres-connection.ts";
import type { Row, Value } from "../tables.ts";
import { type CopiedTable, selectOf } from "./copied-tables.ts";
import { type MigrationRecord, writeRecord } from "./migration-record.ts";
import type { MigrationSource } from "./source.ts";

/** Rows of a batch, and bytes after which it ends. */
const maxRows = 500;
const maxBytes = 4_000_000;

/** Called after each step of long work. What it throws ends the migration, which can be continued. */
export type OnProgress = (what: string, done: number, total: number) => void;

export interface Migration {
  source: MigrationSource;
  connection: PostgresConnection;
  progress: OnProgress;
  record: MigrationRecord;
}

type Position = MigrationRecord["copied"][string];

/** A row for a target, and its place among those of the source. */
export interface CopiedRow {
  key: (string | number)[];
  values: Value[];
}

/** Number of the source's rows of a table. */
export function countOf(table: CopiedTable, source: MigrationSource): number {
  return Number(source.database(table.file).get(`SELECT count(*) AS n FROM (${selectOf(table)})`)?.n);
}

type Insert = (session: PostgresSession, rows: readonly CopiedRow[]) => Promise<unknown>;

/** A column of the target. */
interface Column {
  name: string;
  type: string;
}

/** Copies the rows of a table that are not in the target yet. */
export async function copyTable(table: CopiedTable, migration: Migration): Promise<void> {
  const { source, connection, record } = migration;
  const columns = (await connection.all(columnsOfTable, table.name)) as unknown as Column[];
  const names = columns.map(({ name }) => name).join(", ");
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(", ");
  const insert = `INSERT INTO ${table.name} (${names}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`;
  await copyRows(table.name, rowsAfter(table, columns, source, record.copied[table.name]), {
    ...migration,
    total: countOf(table, source),
    insert: (session, rows) =>
      session.run(insert, ...columns.map((_column, at) => rows.map(({ values }) => values[at] as string))),
  });
}

const columnsOfTable = `
  SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;

/** Inserts rows in batches; each is one transaction with the note of where it ends. */
export async function copyRows(
  name: string,
  rows: Iterable<CopiedRow> | AsyncIterable<CopiedRow>,
  copy: Migration & { total: number; insert: Insert },
): Promise<void> {
  const { connection, record, progress, total, insert } = copy;
  for await (const batch of batchesOf(rows)) {
    const before = record.copied[name]?.rows ?? 0;
    const copied: Position = { after: batch.at(-1)?.key ?? [], rows: before + batch.length };
    const next = { ...record, copied: { ...record.copied, [name]: copied } };
    await connection.transaction(async (session) => {
      await insert(session, batch);
      await writeRecord(session, next);
    });
    record.copied = next.copied;
    progress(name, copied.rows, total);
  }
}

function* rowsAfter(
  table: CopiedTable,
  columns: readonly Column[],
  source: MigrationSource,
  position: Position | undefined,
): Generator<CopiedRow> {
  const { file, key, convert } = table;
  const database = source.database(file);
  const place = key.join(", ");
  const where = position === undefined ? "" : `WHERE (${place}) > (${key.map(() => "?").join(", ")})`;
  const select = `SELECT * FROM (${selectOf(table)}) ${where} ORDER BY ${place}`;
  for (const row of database.iterate(select, ...(position?.after ?? []))) {
    const converted: Row = { ...row, ...convert?.(row, database) };
    yield {
      key: key.map((name) => row[name] as string | number),
      values: columns.map(({ name, type }) => {
        const value = converted[name] as Value | undefined;
        if (value === undefined) throw new Error(`Nothing is known for the column ${name} of ${table.name}`);
        return storable(value, type);
      }),
    };
  }
}

/** SQLite keeps fractions in columns of whole numbers. */
function storable(value: Value, type: string): Value {
  if (typeof value === "string") return storableText(value);
  return typeof value === "number" && type === "bigint" ? Math.ceil(value) : value;
}

async function* batchesOf(rows: Iterable<CopiedRow> | AsyncIterable<CopiedRow>): AsyncGenerator<CopiedRow[]> {
  let batch: CopiedRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += row.values.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (batch.length < maxRows && bytes < maxBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(value: Value): number {
  if (typeof value === "string") return value.length;
  return value instanceof Uint8Array ? value.byteLength : 0;
}

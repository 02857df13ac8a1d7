import type { PostgresConnection } from "../postgres/postgres-connection.ts";
import { findDifference } from "./compare.ts";
import { copiedTables } from "./copied-tables.ts";
import { copyFiles } from "./copy-files.ts";
import { copyTable, type Migration, type OnProgress } from "./copy-tables.ts";
import { MigrationError, type MigrationRecord, readRecord, writeRecord } from "./migration-record.ts";
import { type MigrationSource, openSource } from "./source.ts";

export interface MigrationOptions {
  /** The data folder, which this process has locked. */
  folder: string;
  /** Identifies the data folder, wherever it is. */
  source: string;
  /** The target, which this process holds. */
  connection: PostgresConnection;
  now(): number;
  progress: OnProgress;
}

export interface MigrationResult {
  /** Whether it had finished before, and nothing was done. */
  known: boolean;
  /** ms since the epoch. */
  finished_at: number;
  /** Rows copied, by table. */
  rows: Record<string, number>;
}

/**
 * Copies everything in the SQLite stores of a data folder, and the files of turns, to an empty schema. The source stays as it is. A
 * migration that was interrupted continues where it was; if a bot has used the data folder since, it begins again. Nothing else may use
 * either side meanwhile. A bot refuses a target whose migration has not finished.
 * @throws MigrationError if the target has other data, or differs in the end; StorageError
 */
export async function migrateStores(options: MigrationOptions): Promise<MigrationResult> {
  const { folder, connection, now, progress } = options;
  const found = await readRecord(connection);
  if (found !== undefined && found.source !== options.source)
    throw new MigrationError(`${connection.place} has the data of another data folder. ${otherTarget}`);
  if (found?.finished_at !== undefined) return { known: true, ...resultOf(found, found.finished_at) };
  const source = openSource(folder);
  try {
    const record = await begin(found, source, options);
    const migration: Migration = { source, connection, progress, record };
    for (const table of copiedTables) await copyTable(table, migration);
    await copyFiles(migration);
    const difference = await findDifference(migration);
    if (difference !== undefined) {
      await writeRecord(connection, { ...record, state: "" });
      throw new MigrationError(
        `${difference} No bot will start on it. The data folder is unchanged. Run the command again to copy everything anew.`,
      );
    }
    await continueNumbers(migration);
    const finished_at = now();
    await writeRecord(connection, { ...record, finished_at });
    return { known: false, ...resultOf(record, finished_at) };
  } finally {
    await source.close();
  }
}

const otherTarget =
  "Nothing was copied. Name an empty database, or drop its schema `knack` if nobody needs that data.";

const tables = [...copiedTables.map(({ name }) => name), "files", "blobs"];

function resultOf({ copied }: MigrationRecord, finished_at: number) {
  const rows = Object.entries(copied).map(([name, { rows }]) => [name, rows] as const);
  return { finished_at, rows: Object.fromEntries(rows) };
}

/** The record of a migration that begins or continues. @throws MigrationError if the target has other data */
async function begin(
  found: MigrationRecord | undefined,
  { state }: MigrationSource,
  { source, connection }: MigrationOptions,
): Promise<MigrationRecord> {
  if (found === undefined) await refuseOtherData(connection);
  if (found?.state === state) return found;
  const record: MigrationRecord = { source, state, copied: {} };
  await connection.transaction(async (session) => {
    await session.run(`TRUNCATE ${tables.join(", ")}`);
    await writeRecord(session, record);
  });
  return record;
}

async function refuseOtherData(connection: PostgresConnection): Promise<void> {
  const used: string[] = [];
  for (const name of tables)
    if ((await connection.get(`SELECT 1 FROM ${name} LIMIT 1`)) !== undefined) used.push(name);
  if (used.length === 0) return;
  throw new MigrationError(`${connection.place} has data already (${used.join(", ")}). ${otherTarget}`);
}

/** New rows get higher numbers than all rows of the source had. */
async function continueNumbers({ source, connection }: Migration): Promise<void> {
  for (const { name, file, numbered } of copiedTables) {
    if (numbered === undefined) continue;
    const { column, last = `SELECT max(${column}) AS last FROM ${name}` } = numbered;
    const highest = Number(source.database(file).get(last)?.last ?? 0);
    await connection.run(
      "SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, 1), $3::bigint > 0)",
      ...[name, column, highest],
    );
  }
}

import { createHash } from "node:crypto";
import type { TurnLog, TurnRecord } from "../../core/log/turn-log.ts";
import type { Place } from "../../core/values/place.ts";
import { type PostgresConnection, storableText } from "../postgres/postgres-connection.ts";
import { createPostgresTurnLog } from "../postgres/turn-log/postgres-turn-log.ts";
import { createTurnLog } from "../sqlite/sqlite-turn-log.ts";
import { inPages } from "../tables.ts";
import { copiedTables } from "./copied-tables.ts";
import { copyFiles, filesOf } from "./copy-files.ts";
import { copyTable, countOf, type Migration, type OnProgress } from "./copy-tables.ts";
import {
  MigrationError,
  type MigrationRecord,
  readRecord,
  withoutRecord,
  writeRecord,
} from "./migration-record.ts";
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

/** Turns read at a time. */
const pageSize = 200;

/** Compares what can be counted, and every thread as a reader of the log sees it. Returns the first difference, as a sentence. */
async function findDifference(migration: Migration): Promise<string | undefined> {
  const { source, connection } = migration;
  const countTarget = async (name: string) => {
    const where = name === "kv" ? `WHERE ${withoutRecord}` : "";
    return Number((await connection.get(`SELECT count(*) AS n FROM ${name} ${where}`))?.n);
  };
  const counts = copiedTables.map((table) => ({ name: table.name, here: countOf(table, source) }));
  for (const { name, here } of [...counts, { name: "files", here: (await filesOf(source)).length }]) {
    const there = await countTarget(name);
    if (here !== there) return `Of ${here} ${name}, ${there} are in the database.`;
  }
  return differentThread(migration);
}

async function differentThread({ source, connection, progress }: Migration): Promise<string | undefined> {
  const turns = source.database("turns.db");
  const total = Number(turns.get("SELECT count(*) AS n FROM threads")?.n);
  const here = hashedThreads(createTurnLog(turns));
  const there = hashedThreads(createPostgresTurnLog(connection));
  for (let done = 1; ; done += 1) {
    const [one, other] = await Promise.all([here.next(), there.next()]);
    const found = one.value ?? other.value;
    if (found === undefined) return undefined;
    if (one.value?.hash !== other.value?.hash)
      return `The thread ${found.thread} of ${found.namespace} differs in the database.`;
    progress("threads compared", done, total);
  }
}

/** The threads of a log in order, each with a hash of its title and counts, its turns and their events. */
async function* hashedThreads(
  log: Pick<TurnLog, "namespaces" | "everyThread" | "list" | "read">,
): AsyncGenerator<Place & { hash: string }, undefined> {
  for (const namespace of await log.namespaces())
    for await (const record of log.everyThread(namespace)) {
      const place = { namespace, thread: record.thread };
      const hash = createHash("sha256");
      const add = (value: unknown) => void hash.update(`${JSON.stringify(value)}\n`);
      // PostgreSQL stores these texts without U+0000.
      add({
        ...record,
        namespace: storableText(namespace),
        thread: storableText(record.thread),
        title: storableText(record.title),
      });
      const turns = inPages<TurnRecord>(pageSize, (last) =>
        log.list({ ...place, limit: pageSize, before: last?.turn_id }),
      );
      for await (const turn of turns) {
        add({ ...turn, namespace: "", thread: "" });
        for (const event of await log.read(turn.turn_id)) add(event);
      }
      yield { ...place, hash: hash.digest("hex") };
    }
  return undefined;
}

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { makePrivateFile } from "./private-files.ts";
import { newerVersionError, toStorageError } from "./storage-error.ts";

export type SqlValue = SQLInputValue;
/** A row as the driver gives it; the statement that asked knows its columns. */
export type SqlRow = Record<string, unknown>;

export interface SqliteOptions {
  /** How long to wait for another process's lock, ms; the thread blocks meanwhile. 5,000 unless told. */
  busyTimeoutMs?: number;
  /** The file may not grow beyond this many pages of 4,096 bytes; no limit unless told. */
  maxPages?: number;
}

/**
 * One open SQLite file with its statements prepared once. Everything throws `StorageError` when the environment is to
 * blame. Parameters are positional.
 */
export interface SqliteConnection {
  readonly path: string;
  /** Runs a statement and answers the number of rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** The first row. */
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined;
  all(sql: string, ...values: SqlValue[]): SqlRow[];
  /** Runs `work` in one write transaction; when it throws, nothing was stored. */
  transaction<T>(work: () => T): T;
  /** The value of a stored JSON text. */
  parse(text: unknown): unknown;
  /** Closes the file; a second call does nothing. */
  close(): void;
}

/**
 * Opens or creates a SQLite file (WAL: a commit survives the death of the process; power loss may undo the last ones but
 * damages nothing) and brings it to the newest of `migrations`: entry n leads from version n to n + 1 (`user_version`).
 * @throws StorageError
 */
export async function openSqlite(
  path: string,
  migrations: readonly string[],
  options: SqliteOptions = {},
): Promise<SqliteConnection> {
  const { DatabaseSync } = await import("node:sqlite");
  return guarded(path, () => {
    if (path !== ":memory:") makePrivateFile(path);
    const database = new DatabaseSync(path, { timeout: options.busyTimeoutMs ?? 5_000 });
    try {
      // A checkpoint after 16 MB instead of 4: each costs a sync.
      database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;",
      );
      if (options.maxPages !== undefined)
        database.exec(`PRAGMA max_page_count = ${Number(options.maxPages)}`);
      migrate(database, path, migrations);
    } catch (error) {
      database.close();
      throw error;
    }
    return createConnection(database, path);
  });
}

function migrate(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  const version = () => Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (version() === migrations.length) return;
  inTransaction(database, () => {
    // Read again under the lock: another process may have been faster.
    const found = version();
    if (found > migrations.length) throw newerVersionError(path, found, migrations.length);
    for (const step of migrations.slice(found)) database.exec(step);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function createConnection(database: DatabaseSync, path: string): SqliteConnection {
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    let prepared = statements.get(sql);
    if (prepared === undefined) {
      prepared = database.prepare(sql);
      statements.set(sql, prepared);
    }
    return prepared;
  };
  return {
    path,
    run: (sql, ...values) => guarded(path, () => Number(statement(sql).run(...values).changes)),
    get: (sql, ...values) => guarded(path, () => statement(sql).get(...values)),
    all: (sql, ...values) => guarded(path, () => statement(sql).all(...values)),
    transaction: (work) =>
      guarded(path, () => inTransaction(database, work, (sql) => void statement(sql).run())),
    parse: (text) => guarded(path, () => JSON.parse(String(text))),
    close() {
      statements.clear();
      if (database.isOpen) database.close();
    },
  };
}

function inTransaction<T>(
  database: DatabaseSync,
  work: () => T,
  execute: (sql: string) => void = (sql) => database.exec(sql),
): T {
  execute("BEGIN IMMEDIATE");
  try {
    const result = work();
    execute("COMMIT");
    return result;
  } catch (error) {
    // SQLite has already rolled back by itself after some failures, a full disk among them.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error, path);
  }
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseExactly } from "../../base/exact-number.ts";
import { makePrivateFile } from "../private-files.ts";
import { newerVersionError, StorageError, toStorageError } from "./storage-error.ts";
import { copyBeforeUpgrade, copyFor, type Upgrade } from "./upgrade-copies.ts";
import {
  logPages,
  nowhere,
  openWriteAheadLog,
  usualBusyTimeoutMs,
  type WriteAheadLog,
  type WriteAheadLogOptions,
} from "./write-ahead-log.ts";

export type SqlValue = SQLInputValue;
/** A row as the driver gives it; the statement that asked knows its columns. */
export type SqlRow = Record<string, unknown>;

export interface SqliteOptions extends WriteAheadLogOptions {
  /** The file may not grow beyond this many pages of 4,096 bytes; no limit unless told. */
  maxPages?: number;
  /** Told when the file was brought to a newer format. */
  upgraded?: ((upgrade: Upgrade) => void) | undefined;
}

/** A step to the next format: statements, or a function, which runs in the transaction of the whole upgrade. */
export type Migration = string | ((database: DatabaseSync) => void);

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
  /** Runs `work` in one transaction; when it throws, nothing was stored. Only within `write`. */
  transaction<T>(work: () => T): T;
  /**
   * Runs `work`, which is one statement or one transaction. While another process holds the write lock it is tried again,
   * without blocking the thread; further writes queue behind it. Rejects when the lock is not free in time.
   */
  write<T>(work: () => T): Promise<T>;
  /** Resolves when every write so far is on the disk; at once for a database in memory. */
  durable(): Promise<void>;
  /** Takes what was deleted out of the write-ahead log too. */
  truncateLog(): Promise<void>;
  /** Takes what was deleted out of all files of the database. Writes wait until it resolves. */
  rebuild(): Promise<void>;
  /** The value of a stored JSON text. */
  parse(text: unknown): unknown;
  /** Closes the file; a second call does nothing. */
  close(): Promise<void>;
}

/** How long one try of a statement blocks the thread for another process's lock, ms. */
export const blockingMs = 1;

/**
 * Opens or creates a SQLite file and brings it to the newest of `migrations`: entry n leads from version n to n + 1
 * (`user_version`). Before the first step a file that is not new is copied. A write survives the death of the process; power loss may undo it until `durable` resolves, and
 * damages nothing.
 * @throws StorageError
 */
export async function openSqlite(
  path: string,
  migrations: readonly Migration[],
  options: SqliteOptions = {},
): Promise<SqliteConnection> {
  const { busyTimeoutMs = usualBusyTimeoutMs } = options;
  const database = await openMigrated(path, migrations, options);
  try {
    return createConnection(database, path, busyTimeoutMs, await openLog(database, path, options));
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Brings a file that something else opens to the newest format, as `openSqlite` does. @throws StorageError */
export async function migrateSqlite(
  path: string,
  migrations: readonly Migration[],
  options: Pick<SqliteOptions, "busyTimeoutMs" | "upgraded">,
): Promise<void> {
  (await openMigrated(path, migrations, options)).close();
}

function openMigrated(path: string, migrations: readonly Migration[], options: SqliteOptions) {
  const { busyTimeoutMs = usualBusyTimeoutMs } = options;
  const until = performance.now() + busyTimeoutMs;
  return whileLocked(() => openDatabase(path, migrations, options), until);
}

function openLog(
  database: DatabaseSync,
  path: string,
  options: WriteAheadLogOptions,
): Promise<WriteAheadLog> {
  const look = database.prepare(logPages);
  return openWriteAheadLog(path, () => look.get(), options);
}

/** A database that is gone with the process. */
export function openSqliteInMemory(migrations: readonly Migration[]): SqliteConnection {
  return createConnection(openDatabase(":memory:", migrations, {}), ":memory:", 0, nowhere);
}

function openDatabase(
  path: string,
  migrations: readonly Migration[],
  { maxPages, upgraded }: SqliteOptions,
): DatabaseSync {
  return guarded(path, () => {
    if (path !== ":memory:") makePrivateFile(path);
    const database = new DatabaseSync(path, { timeout: blockingMs });
    try {
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;");
      // Always: a text that SQLite moves to another page would else stay readable in the old one, and outlive its deletion.
      database.prepare("PRAGMA secure_delete = ON").get();
      if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Number(maxPages)}`);
      const upgrade = migrate(database, path, migrations);
      if (upgrade !== undefined) upgraded?.(upgrade);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function migrate(
  database: DatabaseSync,
  path: string,
  migrations: readonly Migration[],
): Upgrade | undefined {
  const version = () => Number(database.prepare("PRAGMA user_version").get()?.user_version);
  const to = migrations.length;
  if (version() === to) return undefined;
  return inTransaction(database, () => {
    // Read again under the lock: another process may have been faster.
    const from = version();
    if (from > to) throw newerVersionError(path, { found: from, known: to, ...copyFor(path, to) });
    if (from === to) return undefined;
    const isNew = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    const copy = isNew ? undefined : copyBeforeUpgrade(path, from);
    for (const step of migrations.slice(from)) {
      if (typeof step === "string") database.exec(step);
      else step(database);
    }
    database.exec(`PRAGMA user_version = ${to}`);
    return copy === undefined ? undefined : { path, from, to, copy };
  });
}

function createConnection(
  database: DatabaseSync,
  path: string,
  busyTimeoutMs: number,
  log: WriteAheadLog,
): SqliteConnection {
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    let prepared = statements.get(sql);
    if (prepared === undefined) {
      prepared = database.prepare(sql);
      statements.set(sql, prepared);
    }
    return prepared;
  };
  const write = createWriteQueue(busyTimeoutMs);
  return {
    path,
    run: (sql, ...values) =>
      guarded(path, () => {
        const changes = Number(statement(sql).run(...values).changes);
        if (!database.isTransaction) log.wrote();
        return changes;
      }),
    get: (sql, ...values) => guarded(path, () => statement(sql).get(...values)),
    all: (sql, ...values) => guarded(path, () => statement(sql).all(...values)),
    transaction: (work) =>
      guarded(path, () => {
        const result = inTransaction(database, work, (sql) => void statement(sql).run());
        log.wrote();
        return result;
      }),
    write: (work) => write(work),
    durable: log.durable,
    truncateLog: log.truncate,
    rebuild: () => write(log.rebuild, { alone: true }),
    parse: (text) => guarded(path, () => parseExactly(String(text))),
    async close() {
      await log.close();
      statements.clear();
      if (database.isOpen) database.close();
    },
  };
}

/** `alone`: writes that come meanwhile wait until this one has ended. */
type WriteQueue = <T>(work: () => T | Promise<T>, options?: { alone?: true }) => Promise<T>;

/** Runs writes at once while nobody else holds the lock, else one after another in the order they came. */
export function createWriteQueue(timeoutMs: number): WriteQueue {
  let queue: Promise<unknown> | undefined;
  return async (work, { alone = false } = {}) => {
    const until = performance.now() + timeoutMs;
    if (queue === undefined && !alone) {
      try {
        return await work();
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    const done = Promise.allSettled([queue]).then(() => whileLocked(work, until));
    queue = done;
    try {
      return await done;
    } finally {
      if (queue === done) queue = undefined;
    }
  };
}

/** Tries until the lock is free, or the time is up: then the error of the last try. `until` as `performance.now` counts. */
async function whileLocked<T>(work: () => T | Promise<T>, until: number): Promise<T> {
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, 100)) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || performance.now() + pauseMs > until) throw error;
    }
    await sleep(pauseMs);
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof StorageError && error.code === "locked";
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

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseExactly } from "../../base/exact-number.ts";
import { madeOnce } from "../../base/made-once.ts";
import type { Upgrade } from "../../core/ports/storage.ts";
import { makePrivateFile } from "../private-files.ts";
import { otherFormatError, StorageError, toStorageError } from "../storage-error.ts";
import { type StoreFormat, stepsFrom } from "../store-format.ts";
import type { Row, Value } from "../tables.ts";
import { copyBeforeUpgrade, copyFor } from "./upgrade-copies.ts";
import {
  defaultBusyTimeoutMs,
  logPages,
  noWriteAheadLog,
  openWriteAheadLog,
  type WriteAheadLog,
  type WriteAheadLogOptions,
} from "./write-ahead-log.ts";

export interface SqliteOptions extends WriteAheadLogOptions {
  /** Maximum pages of 4,096 bytes of the file; no limit by default. */
  maxPages?: number;
  /** Called when the file was upgraded to a newer format. */
  upgraded?: ((upgrade: Upgrade) => void) | undefined;
}

/**
 * One open SQLite file with prepared statements. Everything throws `StorageError` when the environment is to blame. Parameters are
 * positional: `?`, `?1` or, as in PostgreSQL, `$1`.
 */
export interface SqliteConnection {
  readonly path: string;
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: Value[]): number;
  /** The first row. */
  get(sql: string, ...values: Value[]): Row | undefined;
  all(sql: string, ...values: Value[]): Row[];
  /** The rows one after another, each read when it is needed. */
  iterate(sql: string, ...values: Value[]): Iterable<Row>;
  /**
   * Runs `work`, which is one statement. While another process holds the write lock it is retried without blocking the thread, and further
   * writes queue behind it. Rejects if the lock is not free in time.
   */
  write<T>(work: () => T): Promise<T>;
  /** Runs `work` in one transaction, as `write` does; if it throws, nothing is stored. */
  transaction<T>(work: () => T): Promise<T>;
  /** Resolves when all writes so far are on the disk; immediately for a database in memory. */
  durable(): Promise<void>;
  /** Removes deleted content from the write-ahead log too. */
  truncateLog(): Promise<void>;
  /** Removes deleted content from all files of the database. Writes wait until it resolves. */
  rebuild(): Promise<void>;
  /** The value of a stored JSON text. */
  parse(text: unknown): unknown;
  /** Closes the file; a second call does nothing. */
  close(): Promise<void>;
}

/** How long one attempt of a statement blocks the thread for another process's lock, ms. */
export const blockingMs = 1;

/**
 * Opens or creates a SQLite file of this format, whose number is its `user_version`. An older file is copied and upgraded in one
 * transaction. A write survives the death of the process; power loss may undo it until `durable` resolves, and damages nothing.
 * @throws StorageError; `other_format` if no steps lead from the file's format to this one
 */
export async function openSqlite(
  path: string,
  format: StoreFormat,
  options: SqliteOptions = {},
): Promise<SqliteConnection> {
  const { busyTimeoutMs = defaultBusyTimeoutMs } = options;
  const database = await openUpgraded(path, format, options);
  try {
    const look = database.prepare(logPages);
    const log = await openWriteAheadLog(path, () => look.get(), options);
    return createConnection(database, path, busyTimeoutMs, log);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates or upgrades a file that another library opens, as `openSqlite` does. @throws StorageError */
export async function prepareSqlite(
  path: string,
  format: StoreFormat,
  options: Pick<SqliteOptions, "busyTimeoutMs" | "upgraded">,
): Promise<void> {
  (await openUpgraded(path, format, options)).close();
}

function openUpgraded(path: string, format: StoreFormat, options: SqliteOptions) {
  const { busyTimeoutMs = defaultBusyTimeoutMs } = options;
  const until = performance.now() + busyTimeoutMs;
  return whileLocked(() => openDatabase(path, format, options), until);
}

/** A database that is lost with the process. */
export function openSqliteInMemory(format: StoreFormat): SqliteConnection {
  return createConnection(openDatabase(":memory:", format, {}), ":memory:", 0, noWriteAheadLog);
}

/** Opens a file of this format that exists, and changes nothing in it: writes are refused. @throws StorageError */
export function openSqliteToRead(path: string, { number }: StoreFormat): SqliteConnection {
  const database = guarded(path, () => new DatabaseSync(path, { readOnly: true, timeout: blockingMs }));
  try {
    const found = versionOf(database);
    if (found !== number) throw otherFormatError(path, { found, known: number });
    return createConnection(database, path, 0, noWriteAheadLog);
  } catch (error) {
    database.close();
    throw toStorageError(error, path);
  }
}

function openDatabase(
  path: string,
  format: StoreFormat,
  { maxPages, upgraded }: SqliteOptions,
): DatabaseSync {
  return guarded(path, () => {
    if (path !== ":memory:") makePrivateFile(path);
    const database = new DatabaseSync(path, { timeout: blockingMs });
    try {
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;");
      // Always on: text that SQLite moves to another page would otherwise stay readable in the old one, and outlive its deletion.
      database.prepare("PRAGMA secure_delete = ON").get();
      if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Number(maxPages)}`);
      const upgrade = prepareTables(database, path, format);
      if (upgrade !== undefined) upgraded?.(upgrade);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Makes the tables of an empty file, or converts those of an older one. Returns what was upgraded. */
function prepareTables(database: DatabaseSync, path: string, format: StoreFormat): Upgrade | undefined {
  const to = format.number;
  if (versionOf(database) === to) return undefined;
  return inTransaction(database, () => {
    // Read again under the lock: another process may have been faster.
    const from = versionOf(database);
    if (from === to) return undefined;
    const isNew = from === 0 && database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    const steps = isNew ? [format.tables] : stepsFrom(format, from);
    if (steps === undefined) throw otherFormatError(path, { found: from, known: to, ...copyFor(path, to) });
    const copy = isNew ? undefined : copyBeforeUpgrade(path, from);
    for (const step of steps) database.exec(step);
    database.exec(`PRAGMA user_version = ${to}`);
    return copy === undefined ? undefined : { path, from, to, copy };
  });
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/**
 * SQLite binds values by position to `?1`, and only by name to `$1`. It compiles a statement again each time a bare `LIMIT ?` is bound,
 * because it plans with the value; that takes ten times as long as running it.
 */
function prepare(database: DatabaseSync, sql: string): StatementSync {
  return database.prepare(sql.replace(/\$(\d)/g, "?$1").replace(/(?<=\bLIMIT )\?\d*/g, "$& + 0"));
}

/** The driver refuses booleans and lists. */
function bound(values: readonly Value[]): SQLInputValue[] {
  return values as SQLInputValue[];
}

/** A statement of its own, so that others of the same text leave its place alone. */
function* iterate(
  database: DatabaseSync,
  path: string,
  sql: string,
  values: readonly Value[],
): Generator<Row> {
  try {
    yield* prepare(database, sql).iterate(...bound(values));
  } catch (error) {
    throw toStorageError(error, path);
  }
}

function createConnection(
  database: DatabaseSync,
  path: string,
  busyTimeoutMs: number,
  log: WriteAheadLog,
): SqliteConnection {
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string) => madeOnce(statements, sql, () => prepare(database, sql));
  const write = createWriteQueue(busyTimeoutMs);
  return {
    path,
    run: (sql, ...values) =>
      guarded(path, () => {
        const changes = Number(statement(sql).run(...bound(values)).changes);
        if (!database.isTransaction) log.wrote();
        return changes;
      }),
    get: (sql, ...values) => guarded(path, () => statement(sql).get(...bound(values))),
    all: (sql, ...values) => guarded(path, () => statement(sql).all(...bound(values))),
    iterate: (sql, ...values) => iterate(database, path, sql, values),
    write: (work) => write(work),
    transaction: (work) =>
      write(() =>
        guarded(path, () => {
          const result = inTransaction(database, work, (sql) => void statement(sql).run());
          log.wrote();
          return result;
        }),
      ),
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

/** `alone`: later writes wait until this one has ended. */
type WriteQueue = <T>(work: () => T | Promise<T>, options?: { alone?: true }) => Promise<T>;

/** Runs writes immediately while nobody else holds the lock, otherwise one after another in their order. */
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

/** Retries until the lock is free or the time is up, which throws the last error. `until` is on the clock of `performance.now`. */
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
    // SQLite has already rolled back by itself after some failures, such as a full disk.
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

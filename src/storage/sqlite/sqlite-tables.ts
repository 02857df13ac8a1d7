import type { Tables, Work } from "../tables.ts";
import type { SqliteConnection, SqlValue } from "./sqlite-connection.ts";

/** The tables of an open file. */
export function sqliteTables(connection: SqliteConnection): Tables {
  return {
    all: (sql, ...values) => connection.all(sql, ...(values as SqlValue[])),
    write: (work) => connection.write(() => connection.transaction(() => carryOut(connection, work()))),
  };
}

/** Carries out work within a transaction. Its statements have no lists as values. */
export function carryOut<T>(connection: SqliteConnection, work: Work<T>): T {
  let step = work.next();
  while (!step.done) {
    const [sql, ...values] = step.value;
    step = work.next(connection.all(sql, ...(values as SqlValue[])));
  }
  return step.value;
}

/** Work that uses the connection itself. */
// biome-ignore lint/correctness/useYield: its statements are carried out at once.
export function* atOnce<T>(work: () => T): Work<T> {
  return work();
}

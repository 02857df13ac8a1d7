import type { Tables, Work } from "../tables.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** The tables of an open file. */
export function sqliteTables(connection: SqliteConnection): Tables {
  return {
    all: connection.all,
    write: (work) => connection.transaction(() => carryOut(connection, work())),
  };
}

/** Carries out work within a transaction. Its statements have no lists as values. */
function carryOut<T>(connection: SqliteConnection, work: Work<T>): T {
  let step = work.next();
  while (!step.done) {
    const [sql, ...values] = step.value;
    step = work.next(connection.all(sql, ...values));
  }
  return step.value;
}

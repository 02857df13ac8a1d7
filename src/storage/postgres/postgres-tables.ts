import type { Tables, Work } from "../tables.ts";
import type { PostgresConnection, PostgresSession } from "./postgres-connection.ts";

/** The tables of a schema. */
export function postgresTables(connection: Pick<PostgresConnection, "all" | "transaction">): Tables {
  return {
    all: connection.all,
    write: (work) => connection.transaction((session) => carryOut(session, work())),
  };
}

/** Carries out work within a transaction. */
async function carryOut<T>(session: PostgresSession, work: Work<T>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    const [sql, ...values] = step.value;
    step = work.next(await session.all(sql, ...values));
  }
  return step.value;
}

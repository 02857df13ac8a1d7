import type { Tables, Value, Work } from "../tables.ts";
import { type PostgresConnection, type PostgresSession, storableText } from "./postgres-connection.ts";

/** The tables of a schema. In every text, U+FFFD stands for U+0000. */
export function postgresTables(connection: Pick<PostgresConnection, "all" | "transaction">): Tables {
  return {
    all: (sql, ...values) => connection.all(sql, ...storable(values)),
    write: (work) => connection.transaction((session) => carryOut(session, work())),
  };
}

/** Carries out work within a transaction. */
async function carryOut<T>(session: PostgresSession, work: Work<T>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    const [sql, ...values] = step.value;
    step = work.next(await session.all(sql, ...storable(values)));
  }
  return step.value;
}

function storable(values: readonly Value[]): Value[] {
  return values.map((value) => (typeof value === "string" ? storableText(value) : value));
}

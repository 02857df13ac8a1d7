import { afterAll } from "vitest";
import { openPostgres } from "../../../src/storage/postgres/postgres-connection.ts";
import { turnLogTables } from "../../../src/storage/postgres/postgres-schema.ts";
import {
  createPostgresTurnLog,
  type PostgresTurnLog,
} from "../../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import { logTime } from "../../support/log-time.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";
import { describeDueEntries } from "../storage/due-entries-contract.ts";
import { turnLogClaimsContract } from "./turn-log-claims.ts";
import { turnLogContract } from "./turn-log-contract.ts";
import { turnLogDetailsContract } from "./turn-log-details.ts";
import { turnLogForgettingContract } from "./turn-log-forgetting.ts";
import { turnLogRemovalContract } from "./turn-log-removal.ts";
import { turnLogUsageContract } from "./turn-log-usage.ts";

const needed = needs("postgresql");

/** A log that closes its connection. */
async function open(schema = freshSchema()): Promise<PostgresTurnLog> {
  const connection = await openPostgres(
    (await testPostgres()).url,
    { number: 1, tables: turnLogTables },
    { schema, poolSize: 4 },
  );
  return { ...createPostgresTurnLog(connection, { clock: logTime }), close: () => connection.close() };
}

const name = "the turn log in PostgreSQL";
const openNew = () => open();

turnLogContract(
  name,
  async () => {
    const schema = freshSchema();
    return { log: await open(schema), another: () => open(schema) };
  },
  needed,
);
turnLogClaimsContract(name, openNew, needed);
turnLogUsageContract(name, openNew, needed);
turnLogForgettingContract(name, openNew, needed);
turnLogDetailsContract(name, openNew, needed);
turnLogRemovalContract(name, openNew, needed);

const closing: PostgresTurnLog[] = [];
afterAll(() => Promise.all(closing.map((log) => log.close())));
describeDueEntries(
  "PostgreSQL",
  async () => {
    const log = await open();
    closing.push(log);
    return log.due;
  },
  needed,
);

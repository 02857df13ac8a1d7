import { afterAll } from "vitest";
import { openPostgres, type PostgresConnection } from "../../../src/storage/postgres/postgres-connection.ts";
import {
  createPostgresTurnLog,
  type PostgresTurnLog,
  type PostgresTurnLogOptions,
} from "../../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import { turnLogTables } from "../../../src/storage/postgres/turn-log/turn-log-tables.ts";
import { logTime } from "../../support/log-time.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";
import { describeDueEntries } from "../storage/due-entries-contract.ts";
import { turnLogClaimsContract } from "./turn-log-claims.ts";
import { turnLogContract } from "./turn-log-contract.ts";
import { turnLogCrashesContract } from "./turn-log-crashes.ts";
import { turnLogDetailsContract } from "./turn-log-details.ts";
import { turnLogForgettingContract } from "./turn-log-forgetting.ts";
import { turnLogRemovalContract } from "./turn-log-removal.ts";
import { turnLogUsageContract } from "./turn-log-usage.ts";

const needed = needs("postgresql");

async function connect(schema = freshSchema()): Promise<PostgresConnection> {
  return openPostgres((await testPostgres()).url, [turnLogTables], { schema, poolSize: 4 });
}

/** A log that closes its connection. */
async function open(
  schema = freshSchema(),
  options: PostgresTurnLogOptions = { clock: logTime, alone: true },
): Promise<PostgresTurnLog> {
  const connection = await connect(schema);
  return { ...createPostgresTurnLog(connection, options), close: () => connection.close() };
}

const name = "the turn log in PostgreSQL";
const openAlone = () => open();

turnLogContract(
  name,
  async () => {
    const schema = freshSchema();
    return { log: await open(schema), another: () => open(schema) };
  },
  needed,
);
turnLogClaimsContract(name, openAlone, needed);
turnLogCrashesContract(name, openAlone, needed);
turnLogUsageContract(name, openAlone, needed);
turnLogForgettingContract(name, openAlone, needed);
turnLogDetailsContract(name, openAlone, needed);
turnLogRemovalContract(name, openAlone, needed);

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

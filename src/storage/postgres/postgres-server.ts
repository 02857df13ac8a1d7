import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ClientBase, Pool, PoolConfig } from "pg";
import { badAddressError, isStarting, toPostgresError } from "./postgres-error.ts";

export interface ServerOptions {
  /** Schema of the tables, made when it is missing; default `knack`. */
  schema?: string;
  /** How long connecting waits for a server that starts or restarts, ms; default 5,000. */
  patienceMs?: number;
}

/** Where a database is, and how to connect to it. Every connection finds the tables of the schema first. */
export interface PostgresServer {
  /** Name and host, for messages: `knack on db.example.com:5432`. Without user and password. */
  readonly place: string;
  readonly schema: string;
  /** A pool, which connects when it is first used. */
  createPool(size: number): Pool;
  /** A connection that the caller ends; its statements may take any time. @throws StorageError */
  connect(): Promise<Client>;
  /** Repeats an attempt to connect while the server starts or restarts. @throws StorageError */
  patiently<T>(attempt: () => Promise<T>): Promise<T>;
}

/** How long connecting, or waiting for a free connection of the pool, may take, ms. */
const connectTimeoutMs = 10_000;
/** A statement that gets no answer in this time has lost its server, ms. */
const answerTimeoutMs = 60_000;
/** Idle connections of a pool are closed after this time, ms. */
const idleTimeoutMs = 60_000;
/** The server ends the transaction of a process that stops in the middle of it, and frees its locks, ms. */
const stoppedTimeoutMs = 10_000;
/** An idle connection is checked this often, ms: a server that vanished from the network says nothing. */
const keepAliveMs = 10_000;

/**
 * The driver takes other text for the name of a database on this machine. An `@` behind the host shows that a character of the password
 * should have been written as %XX: what is read as host or database is a part of the password.
 */
const addressForm = /^postgres(?:ql)?:\/\/[^/?#]*[^@]*$/;

/** Object identifiers of types, https://www.postgresql.org/docs/current/catalog-pg-type.html. */
const int8 = 20;
const jsonTypes = [114, 3802];

/**
 * Reads the address of a database. `int8` is read as a number: all of Knack's are below 2^53. `json` is read as its text, for `parse`.
 * @throws StorageError for an address that cannot be read
 */
export async function locatePostgres(
  url: string,
  { schema = "knack", patienceMs = 5_000 }: ServerOptions,
): Promise<PostgresServer> {
  const { Client, Pool, types } = await import("pg");
  const getTypeParser: typeof types.getTypeParser = (oid: number, format?: "text" | "binary") => {
    if (oid === int8) return Number;
    return jsonTypes.includes(oid) ? String : types.getTypeParser(oid, format as "text");
  };
  const config: PoolConfig = {
    connectionString: url,
    application_name: "knack",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: { getTypeParser },
  };
  const place = placeOf(url, () => new Client(config));
  const patiently = <T>(attempt: () => Promise<T>) => repeated(attempt, place, patienceMs);
  // What uses a lost connection fails; without a listener the error would end the process too. The server may end it in the same moment.
  const ignored = () => {};
  const prepare = async (client: ClientBase) => {
    await client.query(
      `SELECT set_config('search_path', quote_ident($1), false),
              set_config('idle_in_transaction_session_timeout', $2, false)`,
      [schema, String(stoppedTimeoutMs)],
    );
  };
  return {
    place,
    schema,
    patiently,
    createPool(size) {
      const pool = new Pool({
        ...config,
        max: size,
        idleTimeoutMillis: idleTimeoutMs,
        query_timeout: answerTimeoutMs,
        onConnect(client) {
          client.on("error", ignored);
          return prepare(client);
        },
      });
      // The pool has dropped the idle connection that failed; the next call makes another.
      pool.on("error", () => {});
      return pool;
    },
    connect: () =>
      patiently(async () => {
        const client = new Client(config);
        client.on("error", ignored);
        try {
          await client.connect();
          await prepare(client);
          return client;
        } catch (error) {
          await client.end();
          throw error;
        }
      }),
  };
}

function placeOf(url: string, create: () => Client): string {
  if (!addressForm.test(url)) throw badAddressError();
  try {
    const { database, host, port } = create();
    return `${database} on ${host.startsWith("/") ? host : `${host}:${port}`}`;
  } catch {
    throw badAddressError();
  }
}

async function repeated<T>(attempt: () => Promise<T>, place: string, patienceMs: number): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 500)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isStarting(error) || performance.now() + pauseMs > until)
        throw toPostgresError(error, place, true);
    }
    await sleep(pauseMs);
  }
}

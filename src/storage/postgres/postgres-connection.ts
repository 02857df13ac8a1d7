import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase, PoolClient, QueryResult } from "pg";
import { parseExactly } from "../../base/exact-number.ts";
import { madeOnce } from "../../base/made-once.ts";
import type { Upgrade } from "../../core/ports/storage.ts";
import type { StoreFormat } from "../store-format.ts";
import type { Row, Value } from "../tables.ts";
import {
  closedError,
  encodingError,
  isConflict,
  isConnected,
  isLost,
  toPostgresError,
} from "./postgres-error.ts";
import { createListener, type Heard, notify } from "./postgres-listener.ts";
import { locatePostgres, type PostgresServer, type ServerOptions } from "./postgres-server.ts";
import { preparePostgres } from "./postgres-upgrade.ts";

export interface PostgresOptions extends ServerOptions {
  /** Maximum connections of the pool; default 10. */
  poolSize?: number;
  /** Called when the schema was upgraded to a newer format. */
  upgraded?: ((upgrade: Upgrade) => void) | undefined;
}

/**
 * Runs statements with parameters `$1`, `$2`, … PostgreSQL cannot store U+0000: in a text, U+FFFD is stored in its place; the texts of a list
 * must not contain it (`storableText`). Each text is prepared once per connection, so texts are constant: they never contain
 * values. A `SELECT` names its columns, because `*` fails in running processes when a later version adds a column.
 */
export interface PostgresSession {
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** The first row. */
  get(sql: string, ...values: Value[]): Promise<Row | undefined>;
  all(sql: string, ...values: Value[]): Promise<Row[]>;
  /**
   * Tells everyone who listens to the channel, in every process on this schema, when the transaction commits. Equal messages of a
   * transaction arrive once.
   * @throws RangeError if the message has 8,000 bytes or more
   */
  notify(channel: string, message: string): Promise<void>;
}

/**
 * A pool of connections to a database. Every method throws `StorageError` when the environment is to blame. While the server restarts,
 * calls wait a few seconds for it. A statement whose connection is lost fails, because it may have been carried out; outside of a
 * transaction, one that begins with `SELECT` is repeated instead, so it must be harmless to run it twice.
 */
export interface PostgresConnection extends PostgresSession {
  /** Name and host of the database, for messages. */
  readonly place: string;
  readonly schema: string;
  /**
   * Runs `work` in one transaction (read committed); if it throws, nothing is stored. It runs again when it conflicts with another
   * transaction, so it has no other effects. It uses the session that it gets and not the connection: with all connections of the pool in
   * transactions, that would wait for itself. The server ends a transaction that does nothing for 10 seconds.
   */
  transaction<T>(work: (session: PostgresSession) => Promise<T>): Promise<T>;
  /**
   * Calls `heard` with each message to the channel, until the returned function is called. With undefined: messages may have been missed,
   * because the connection was lost and is there again. `heard` must not throw.
   */
  listen(channel: string, heard: Heard): Promise<() => Promise<void>>;
  /**
   * Rewrites tables, so that their files contain nothing that was deleted or replaced; other changes of them wait. What a running
   * transaction or a replication slot can still see stays, and so does what write-ahead log, replicas and backups contain.
   */
  rewrite(...tables: string[]): Promise<void>;
  /** The value of a stored JSON text. */
  parse(text: unknown): unknown;
  /** Waits for running statements and closes all connections; a second call does nothing. */
  close(): Promise<void>;
}

/** A transaction that conflicts with others. The pauses are random and grow, so that the same two do not meet again. */
const onConflict = { passes: isConflict, max: 6, pause: (number: number) => Math.random() * 20 * number };

/** A read whose connection is lost. The pool notices meanwhile which of its other connections were lost too. */
const whenLost = { passes: isLost, max: 4, pause: (number: number) => 50 * 2 ** (number - 1) };

/**
 * Connects to a database whose schema has this format: makes a missing schema, and copies and upgrades an older one. Of several processes
 * that start at once, one does so and the others wait.
 * @throws StorageError; `other_format` if no steps lead from the schema's format to this one
 */
export async function openPostgres(
  url: string,
  format: StoreFormat,
  options: PostgresOptions = {},
): Promise<PostgresConnection> {
  const server = await locatePostgres(url, options);
  const upgrade = await prepareSchema(server, format);
  if (upgrade !== undefined) options.upgraded?.(upgrade);
  return createConnection(server, options.poolSize ?? 10);
}

/** Text with U+FFFD for each U+0000, which PostgreSQL cannot store. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

async function prepareSchema(server: PostgresServer, format: StoreFormat): Promise<Upgrade | undefined> {
  const client = await server.connect();
  try {
    const { rows } = await client.query("SELECT current_setting('server_encoding') AS encoding");
    const encoding = String(rows[0]?.encoding);
    if (encoding !== "UTF8") throw encodingError(server.place, encoding);
    return await preparePostgres(client, server, format);
  } catch (error) {
    throw toPostgresError(error, server.place);
  } finally {
    await client.end();
  }
}

function createConnection(server: PostgresServer, poolSize: number): PostgresConnection {
  const { place, schema } = server;
  const pool = server.createPool(poolSize);
  const listener = createListener(server);
  let closed: Promise<void> | undefined;
  const withClient = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    if (closed !== undefined) throw closedError(place);
    const client = await server.patiently(() => pool.connect());
    let isUsable = true;
    try {
      return await work(client);
    } catch (error) {
      isUsable = isConnected(error);
      throw error;
    } finally {
      client.release(!isUsable);
    }
  };
  return {
    place,
    schema,
    ...createSession(schema, (sql, values) => {
      const attempt = () => withClient((client) => ask(client, place, sql, values));
      return sql.trimStart().startsWith("SELECT") ? repeated(attempt, whenLost) : attempt();
    }),
    transaction: (work) =>
      repeated(() => withClient((client) => inTransaction(client, server, work)), onConflict),
    listen: listener.listen,
    async rewrite(...tables) {
      const client = await server.connect();
      try {
        await client.query(`VACUUM (FULL) ${tables.join(", ")}`);
      } catch (error) {
        throw toPostgresError(error, place);
      } finally {
        await client.end();
      }
    },
    parse(text) {
      try {
        return parseExactly(String(text));
      } catch (error) {
        throw toPostgresError(error, place);
      }
    },
    close() {
      closed ??= Promise.all([listener.close(), pool.end()]).then(() => {});
      return closed;
    },
  };
}

type Ask = (sql: string, values: readonly Value[]) => Promise<QueryResult<Row>>;

function createSession(schema: string, query: Ask): PostgresSession {
  return {
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    get: async (sql, ...values) => (await query(sql, values)).rows[0],
    all: async (sql, ...values) => (await query(sql, values)).rows,
    async notify(channel, message) {
      const { sql, values } = notify(schema, channel, message);
      await query(sql, values);
    },
  };
}

/** Names of prepared statements, by their texts. */
const statementNames = new Map<string, string>();

async function ask(
  client: ClientBase,
  place: string,
  text: string,
  values: readonly Value[],
): Promise<QueryResult<Row>> {
  const name = madeOnce(statementNames, text, () => `knack_${statementNames.size}`);
  try {
    const stored = values.map((value) => (typeof value === "string" ? storableText(value) : value));
    return await client.query({ name, text, values: stored });
  } catch (error) {
    throw toPostgresError(error, place);
  }
}

/** Repeats work that failed for a reason which passes, at most `max` times in all, after pauses in ms. */
async function repeated<T>(
  attempt: () => Promise<T>,
  { passes, max, pause }: { passes(error: unknown): boolean; max: number; pause(number: number): number },
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!passes(error) || number === max) throw error;
    }
    await sleep(pause(number));
  }
}

async function inTransaction<T>(
  client: ClientBase,
  { place, schema }: PostgresServer,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const session = createSession(schema, (sql, values) => ask(client, place, sql, values));
  await session.run("BEGIN");
  try {
    const result = await work(session);
    const { command } = await ask(client, place, "COMMIT", []);
    // Work that went on after an error of a statement.
    if (command !== "COMMIT") throw new Error("a statement of the transaction failed, so nothing was stored");
    return result;
  } catch (error) {
    if (isConnected(error)) await session.run("ROLLBACK");
    throw error;
  }
}

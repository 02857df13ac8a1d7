import { openPostgres, type PostgresConnection } from "../../src/storage/postgres/postgres-connection.ts";
import { createPostgresFileStore } from "../../src/storage/postgres/postgres-file-store.ts";
import { createPostgresKeyValue } from "../../src/storage/postgres/postgres-key-value.ts";
import { createPostgresLeases } from "../../src/storage/postgres/postgres-leases.ts";
import { postgresFormat } from "../../src/storage/postgres/postgres-schema.ts";
import { createPostgresTurnLog } from "../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import type { StoreClock } from "../../src/storage/store-clock.ts";
import { freshSchema, testPostgres } from "../support/postgres.ts";
import type { EmptyStorage, Stores } from "./stores.ts";

/**
 * Storage in PostgreSQL. Processes share a pool of connections, which remembers nothing of them: a pool for each would take longer than what
 * they do.
 */
export function postgresStorage(): { empty: EmptyStorage; close(): Promise<void> } {
  let opened: Promise<Database> | undefined;
  return {
    async empty(clock) {
      opened ??= openDatabase();
      const { connection, clear, heard } = await opened;
      await clear();
      return { open: (owner) => openStores(connection, owner, clock), heard };
    },
    async close() {
      await (await opened)?.connection.close();
    },
  };
}

interface Database {
  connection: PostgresConnection;
  clear(): Promise<void>;
  heard(): Promise<void>;
}

async function openDatabase(): Promise<Database> {
  const { url } = await testPostgres();
  const schema = freshSchema();
  const connection = await openPostgres(url, postgresFormat, { schema, poolSize: 4 });
  const tables = await connection.all(
    "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename <> 'formats'",
    schema,
  );
  const clear = `TRUNCATE ${tables.map(({ tablename }) => tablename).join(", ")} RESTART IDENTITY`;
  // What was told arrives in the order in which it was told.
  let hear = () => {};
  await connection.listen("heard", () => hear());
  return {
    connection,
    clear: async () => void (await connection.run(clear)),
    async heard() {
      const { promise, resolve } = Promise.withResolvers<void>();
      hear = resolve;
      await connection.notify("heard", "");
      await promise;
    },
  };
}

function openStores(shared: PostgresConnection, owner: string, clock: StoreClock): Stores {
  const ends = new Set<() => Promise<void>>();
  const connection: PostgresConnection = {
    ...shared,
    async listen(...given) {
      const end = await shared.listen(...given);
      ends.add(end);
      return async () => {
        ends.delete(end);
        await end();
      };
    },
  };
  const log = createPostgresTurnLog(connection, { clock });
  return {
    log,
    store: createPostgresKeyValue(connection),
    files: createPostgresFileStore(connection),
    leases: createPostgresLeases(connection, owner, clock),
    shared: { calls: log, wire: connection, place: connection.place },
    async close() {
      for (const end of ends) await end();
    },
  };
}

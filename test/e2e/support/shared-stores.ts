import { onTestFinished, type TestOptions } from "vitest";
import type { Leases } from "../../../src/core/ports/storage.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { openPostgres } from "../../../src/storage/postgres/postgres-connection.ts";
import { createPostgresFileStore } from "../../../src/storage/postgres/postgres-file-store.ts";
import { createPostgresKeyValue } from "../../../src/storage/postgres/postgres-key-value.ts";
import { createPostgresLeases } from "../../../src/storage/postgres/postgres-leases.ts";
import { postgresFormat } from "../../../src/storage/postgres/postgres-schema.ts";
import { createPostgresTurnLog } from "../../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import { createMemoryFileStore } from "../../support/fakes/memory-stores.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";
import type { TestAppOptions } from "../../support/test-app.ts";

/** The stores as one process has them. */
type ProcessStores = Required<Pick<TestAppOptions, "store" | "log" | "files">> & { leases: Leases };

/** Empty stores of a bot. Each call opens them for one process, by its name. */
export type OpenForProcess = (owner: string) => Promise<ProcessStores>;

/** Stores that several processes can share. */
export interface SharedStores {
  name: string;
  /** Options of tests that need them. */
  options: TestOptions;
  create(): OpenForProcess;
}

function inMemory(): OpenForProcess {
  const store = createMemoryKeyValue();
  const shared = { store, log: createMemoryTurnLog(), files: createMemoryFileStore() };
  return async (owner) => ({ ...shared, leases: createKeyValueLeases(store, owner) });
}

function inPostgres(): OpenForProcess {
  const schema = freshSchema();
  return async (owner) => {
    const { url } = await testPostgres();
    const connection = await openPostgres(url, postgresFormat, { schema, poolSize: 4 });
    // After the hooks that stop the bots.
    onTestFinished(() => connection.close());
    return {
      store: createPostgresKeyValue(connection),
      log: createPostgresTurnLog(connection),
      files: createPostgresFileStore(connection),
      leases: createPostgresLeases(connection, owner),
    };
  };
}

export const sharedStores: readonly SharedStores[] = [
  { name: "a store in memory", options: {}, create: inMemory },
  { name: "PostgreSQL", options: needs("postgresql"), create: inPostgres },
];

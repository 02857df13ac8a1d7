import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase, startPostgres, testPostgres } from "../support/postgres.ts";

export const storeNames = ["sqlite", "postgres"] as const;
export type StoreName = (typeof storeNames)[number];

/** Where the processes of a bot keep what they share. */
export interface SoakStore {
  /** The environment of the process with this name. */
  env(name: string): Record<string, string>;
  /** Ends all connections of that process, or about half of them. */
  cut(name: string): Promise<void>;
  /** Ends all connections and starts the server again, a moment later. */
  restart(): Promise<void>;
  /** Whether its commits wait for the disk, as the server itself says. */
  syncs(): Promise<boolean>;
}

/** Maximum time for which the server is off, ms. */
const maxOffMs = 2_000;

/** Opens a new store. @param synced whether PostgreSQL has its own settings, and so syncs what it writes; otherwise those of tests */
export async function openStore(name: StoreName, synced: boolean): Promise<SoakStore> {
  if (name === "sqlite") return files;
  const postgres = await (synced ? startPostgres() : testPostgres());
  const url = synced ? postgres.url : await freshDatabase();
  let isThere = Promise.resolve();
  return {
    env: (process) => ({ DATABASE_URL: `${url}?application_name=${process}` }),
    async cut(process) {
      await isThere;
      const part = Math.random() < 0.5 ? 1 : 0.5;
      await postgres.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = '${process}' AND random() < ${part}`,
      );
    },
    restart() {
      isThere = isThere.then(async () => {
        await postgres.stop();
        await sleep(Math.random() * maxOffMs);
        await postgres.start();
      });
      return isThere;
    },
    async syncs() {
      const [row] = await postgres.query("SHOW fsync");
      return row?.fsync === "on";
    },
  };
}

/** SQLite files in the data folder: nothing can be cut off from them. */
const files: SoakStore = {
  env: () => ({}),
  cut: async () => {},
  restart: async () => {},
  syncs: async () => true,
};

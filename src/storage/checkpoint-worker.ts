/** Copies a write-ahead log into its database, in a thread that may wait for the disk. Started by `write-ahead-log.ts`. */
import { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";

const { path, mode } = workerData as { path: string; mode: "PASSIVE" | "TRUNCATE" };

/** How long to wait for readers and writers, ms. */
const timeout = 5_000;

const database = new DatabaseSync(path, { timeout });
try {
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;");
  database.exec(`PRAGMA wal_checkpoint(${mode})`);
  // The first write after a whole checkpoint begins the log again and waits for a sync of its header
  // (https://sqlite.org/src/info/ff5be73dee says why): better here than on the event loop.
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (mode === "PASSIVE") database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT;`);
} finally {
  database.close();
}

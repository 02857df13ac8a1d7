/** Copies a write-ahead log into its database, in a thread that may wait for the disk. Started by `write-ahead-log.ts`. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** Whether the log is begun again from the start of its file, or the file is emptied. */
type Checkpoint = "RESTART" | "TRUNCATE";

/** How long to wait for readers and writers, ms. */
const timeout = 5_000;

const database = new DatabaseSync(workerData as string, { timeout });
database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;");

function checkpoint(mode: Checkpoint): void {
  // Most of it while others go on writing; the few pages that came meanwhile with the write lock held, or a log that is always
  // written to would never begin again.
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  database.exec(`PRAGMA wal_checkpoint(${mode})`);
  if (mode === "TRUNCATE") return;
  // The first write after a whole checkpoint begins the log again and waits for a sync of its header
  // (https://sqlite.org/src/info/ff5be73dee says why): better here than on the event loop.
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT;`);
}

// An error ends the thread; the next checkpoint starts another.
parentPort?.on("message", (mode: Checkpoint) => {
  checkpoint(mode);
  parentPort?.postMessage("done");
});

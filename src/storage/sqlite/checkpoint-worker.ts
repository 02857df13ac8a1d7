/** Copies a write-ahead log into its database, in a thread that may wait for the disk. Started by `write-ahead-log.ts`. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** Whether the log restarts at the beginning of its file, is also emptied, or the database is rewritten first. */
export type Checkpoint = "RESTART" | "TRUNCATE" | "REBUILD";

export interface CheckpointWorkerData {
  path: string;
  /** Maximum wait for readers and writers, ms. */
  timeout: number;
}

const { path, timeout } = workerData as CheckpointWorkerData;
const database = new DatabaseSync(path, { timeout });
database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;");

function checkpoint(mode: Exclude<Checkpoint, "REBUILD">): void {
  // Copies most of the log while others write, and the few pages added meanwhile under the write lock. Otherwise a log under constant
  // writes would never restart.
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  database.exec(`PRAGMA wal_checkpoint(${mode})`);
  if (mode === "TRUNCATE") return;
  // The first write after a full checkpoint restarts the log and waits for a sync of its header (see
  // https://sqlite.org/src/info/ff5be73dee): better here than on the event loop.
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT;`);
}

/** Overwriting deleted content is not enough: a page that was split keeps copies of the rows that moved to another. */
function rebuild(): void {
  database.exec("VACUUM");
  const emptied = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  if (emptied?.busy !== 0) throw new Error("Another process reads the file, so its log cannot be emptied");
}

// An error ends the thread; the next checkpoint starts another.
parentPort?.on("message", (mode: Checkpoint) => {
  if (mode === "REBUILD") rebuild();
  else checkpoint(mode);
  parentPort?.postMessage("done");
});

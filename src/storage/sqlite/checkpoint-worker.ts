/** Copies a write-ahead log into its database, in a thread that may wait for the disk. Started by `write-ahead-log.ts`. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** Whether the log is begun again from the start of its file, the file is emptied, or before that the database is written again. */
export type Checkpoint = "RESTART" | "TRUNCATE" | "REBUILD";

export interface CheckpointWorkerData {
  path: string;
  /** How long to wait for readers and writers, ms. */
  timeout: number;
}

const { path, timeout } = workerData as CheckpointWorkerData;
const database = new DatabaseSync(path, { timeout });
database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;");

function checkpoint(mode: Exclude<Checkpoint, "REBUILD">): void {
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

/** Overwriting what is deleted is not enough: a page that was split keeps copies of the rows that went to another. */
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

import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makePrivate, makePrivateFile } from "./private-files.ts";
import { guarded, StorageError, toStorageError } from "./storage-error.ts";

const holderSchema = z.object({ url: z.string(), pid: z.number() });
/** The running bot of a data folder, and where it listens. */
export type Holder = z.infer<typeof holderSchema>;

/** A data folder that this process owns. Keep the object: the folder becomes free when it is released or the process ends. */
export interface DataFolderLock {
  /** What other users of this machine can read of it although they should not, in words for an operator. */
  exposed: string | undefined;
  /** Tells the command line where this bot listens. */
  publish(info: Holder): Promise<void>;
  release(): Promise<void>;
}

const lockFile = "lock.db";
const holderFile = "bot.json";
/** How long a bot waits while a command of the command line checks the lock, ms. */
const patienceMs = 300;

/**
 * Creates the folder, or restricts it to its owner (0700), and locks it for this process; or returns who holds the lock (undefined if the
 * holder has not said yet). The lock is a SQLite transaction: the system releases it when the process dies, however it dies. Any number of
 * processes can hold it `shared`, and none of them is the bot that `readHolder` finds.
 * @throws StorageError when the folder cannot be used
 */
export async function lockDataFolder(
  path: string,
  { shared = false }: { shared?: boolean } = {},
): Promise<DataFolderLock | { holder: Holder | undefined }> {
  const { DatabaseSync } = await import("node:sqlite");
  const file = join(path, lockFile);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    makePrivateFile(file);
    const database = new DatabaseSync(file, { timeout: patienceMs });
    try {
      database.exec("PRAGMA journal_mode = DELETE");
      // Only a read takes the shared lock.
      if (shared) database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
      else database.exec("BEGIN EXCLUSIVE");
      await rm(join(path, holderFile), { force: true });
    } catch (error) {
      database.close();
      throw error;
    }
    return {
      exposed: await makePrivate(path),
      publish: async (info) => {
        if (!shared) await publishHolder(path, info);
      },
      async release() {
        if (!database.isOpen) return;
        await rm(join(path, holderFile), { force: true });
        database.close();
      },
    };
  } catch (error) {
    const failure = toStorageError(error, file);
    if (isLocked(failure)) return { holder: await readHolderFile(path) };
    throw failure;
  }
}

/**
 * Whether a bot runs on this data folder, and where it listens (undefined: it is just starting). Changes nothing.
 * @throws StorageError when that cannot be determined
 */
export async function readHolder(
  path: string,
): Promise<{ running: false } | { running: true; holder: Holder | undefined }> {
  const { DatabaseSync } = await import("node:sqlite");
  const file = join(path, lockFile);
  if (!existsSync(file)) return { running: false };
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
    } finally {
      database.close();
    }
    return { running: false };
  } catch (error) {
    const failure = toStorageError(error, file);
    if (isLocked(failure)) return { running: true, holder: await readHolderFile(path) };
    throw failure;
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof StorageError && error.code === "locked";
}

async function publishHolder(path: string, info: Holder): Promise<void> {
  const file = join(path, holderFile);
  const draft = `${file}.${process.pid}`;
  await guarded(file, async () => {
    await writeFile(draft, JSON.stringify(info), { mode: 0o600 });
    await rename(draft, file);
  });
}

async function readHolderFile(path: string): Promise<Holder | undefined> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(join(path, holderFile), "utf8")));
  } catch {
    // Not published yet, or being removed: the holder of the lock has not said where it is.
    return undefined;
  }
}

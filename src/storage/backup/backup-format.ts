import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { errorText } from "../../base/error-text.ts";

/** A backup cannot be made or restored; the message says what was kept and what to do. */
export class BackupError extends Error {
  readonly code = "backup_failed";
}

/** The first file of an archive. */
export const manifestFile = "backup.json";
export const manifestSchema = z.object({
  knack_backup: z.literal(1),
  /** Where the conversations are: in the archive, or in a database beside it. */
  store: z.enum(["sqlite", "postgresql"]),
  /** ms since the epoch. */
  made_at: z.number(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** The SQLite databases of a data folder. */
export const databaseFiles = ["turns.db", "state.db", "messages.db", "knowledge.db"] as const;

/** The content of an archive, and later what it has replaced: neither is needed. */
export const draftFolder = "restore.part";
/** Takes the old content of a data folder. */
export const leavingFolder = "restore.leaving";
/** Has all the old content, while the new one moves in. */
export const asideFolder = "restore.aside";

/** Files of a data folder that a restore neither brings nor replaces. */
export function staysInPlace(name: string): boolean {
  return name.startsWith("lock.db") || [draftFolder, leavingFolder, asideFolder].includes(name);
}

/** Files that belong to the running process, the databases, which are copied in another way, and copies of them from before an upgrade. */
export function isLeftOut(name: string): boolean {
  const beforeSuffix = name.replace(/(-wal|-shm|-journal|\.v\d+(\.part.*)?)$/, "");
  return (
    databaseFiles.some((file) => file === beforeSuffix) ||
    staysInPlace(name) ||
    [manifestFile, "staging", "workspaces"].includes(name) ||
    /^(\.probe-|bot\.json)/.test(name)
  );
}

/** Whether a path, or a link at `path`, leads to a place within the archive. */
export function staysWithin(path: string, linkpath = "."): boolean {
  return !isAbsolute(path) && !isAbsolute(linkpath) && !/^\.\.(\/|$)/.test(join(dirname(path), linkpath));
}

/** @throws BackupError for a database that is missing, empty or damaged */
export function checkDatabases(folder: string): void {
  for (const name of databaseFiles) {
    const path = join(folder, name);
    if (!existsSync(path)) throw new BackupError(`There is no ${name}`);
    // Not read-only: closing it then removes the -wal and -shm files that opening it makes.
    const database = new DatabaseSync(path);
    try {
      const { quick_check: found } = database.prepare("PRAGMA quick_check(1)").get() ?? {};
      if (found !== "ok") throw new BackupError(`${name} is damaged (${String(found)})`);
    } catch (error) {
      throw error instanceof BackupError
        ? error
        : new BackupError(`${name} is damaged (${errorText(error)})`, { cause: error });
    } finally {
      database.close();
    }
  }
}

/**
 * To be called before the content of a locked data folder is used: deletes what restores left over.
 * @throws BackupError if one was interrupted while the content moved
 */
export async function refuseHalfRestored(folder: string): Promise<void> {
  if (existsSync(join(folder, leavingFolder)) || existsSync(join(folder, asideFolder)))
    throw new BackupError(
      `A restore into ${folder} was interrupted. Run \`knack restore FILE --replace\` again.`,
    );
  await rm(join(folder, draftFolder), { recursive: true, force: true });
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

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

/** Present in a data folder while its content is replaced. */
export const restoringFile = "restoring";
/** The content of an archive that is not restored yet. */
export const draftFolder = "restore.part";

/** Files of a data folder that belong to its running process, and copies of databases from before an upgrade. */
export function isLeftOut(name: string): boolean {
  if (/\.db(-wal|-shm|-journal|\.v\d+.*)?$/.test(name)) return true;
  return (
    ["bot.json", "staging", "workspaces", restoringFile, draftFolder].includes(name) ||
    /^(\.probe-|bot\.json\.)/.test(name)
  );
}

/** @throws BackupError for a folder whose restore was interrupted: a part of its content is missing */
export function refuseHalfRestored(folder: string): void {
  if (existsSync(join(folder, restoringFile)))
    throw new BackupError(
      `A restore into ${folder} was interrupted. Run it again: \`knack restore FILE --replace\`.`,
    );
}

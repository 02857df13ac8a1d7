import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { extract } from "tar";
import { errorText } from "../../base/error-text.ts";
import { refuseLostLog } from "../sqlite/log-mark.ts";
import { StorageError } from "../storage-error.ts";
import {
  BackupError,
  databaseFiles,
  draftFolder,
  type Manifest,
  manifestFile,
  manifestSchema,
  restoringFile,
} from "./backup-format.ts";
import { staysWithin } from "./make-backup.ts";

/**
 * Replaces the content of a data folder, which this process has locked, with that of an archive. The archive is unpacked and checked beside
 * the old content first. A folder that is not empty needs `replace`.
 * @throws BackupError, StorageError: the old content is as it was
 */
export async function restoreBackup(
  folder: string,
  file: string,
  { store, replace }: { store: Manifest["store"]; replace: boolean },
): Promise<Manifest> {
  const isOwn = (name: string) => name.startsWith("lock.db") || [restoringFile, draftFolder].includes(name);
  const old = (await readdir(folder)).filter((name) => !isOwn(name));
  if (old.length > 0 && !replace)
    throw new BackupError(
      `The data folder ${folder} is not empty. Nothing was restored. Name another one with KNACK_DATA, or delete what it has with --replace.`,
    );
  const draft = join(folder, draftFolder);
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    const manifest = await unpack(file, draft);
    if (manifest.store !== store) throw new BackupError(otherStore(manifest.store));
    if (store === "sqlite") checkDatabases(draft);
    await rm(join(draft, manifestFile));
    await writeFile(join(folder, restoringFile), "", { flush: true });
    for (const name of old) await rm(join(folder, name), { recursive: true, force: true });
    for (const name of await readdir(draft)) await rename(join(draft, name), join(folder, name));
    await rm(join(folder, restoringFile));
    return manifest;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function otherStore(store: Manifest["store"]): string {
  return store === "sqlite"
    ? "The backup has its conversations in SQLite. Nothing was restored. Restore it without DATABASE_URL; `knack migrate` copies it to PostgreSQL."
    : "The backup is of the data folder of a bot on PostgreSQL. Nothing was restored. Restore the database first, and set DATABASE_URL.";
}

async function unpack(file: string, draft: string): Promise<Manifest> {
  const refuse = (why: string, cause?: unknown) =>
    new BackupError(`${file} ${why}. Nothing was restored.`, { cause });
  if (!existsSync(file)) throw refuse("does not exist");
  let wrong: string | undefined;
  let count = 0;
  const take = (path: string, { type, linkpath = "" }: { type?: string; linkpath?: string | undefined }) => {
    count += 1;
    if (count === 1 && path !== manifestFile) wrong ??= "is not a backup of Knack";
    const isKnown =
      type === "File" || type === "Directory" || (type === "SymbolicLink" && staysWithin(path, linkpath));
    if (!isKnown || path.startsWith("/") || path.split("/").includes("..") || path.startsWith("lock.db"))
      wrong ??= `has an entry that no backup has (${path})`;
    return wrong === undefined;
  };
  try {
    const filter = take as NonNullable<NonNullable<Parameters<typeof extract>[0]>["filter"]>;
    await extract({ file, cwd: draft, strict: true, preserveOwner: false, filter });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") throw refuse("does not fit on the disk", error);
    throw refuse(wrong ?? `is damaged, or is not a backup of Knack (${errorText(error)})`, error);
  }
  if (wrong !== undefined) throw refuse(wrong);
  const text = await readFile(join(draft, manifestFile), "utf8").catch(() => "null");
  const manifest = manifestSchema.safeParse(JSON.parse(text));
  if (!manifest.success) throw refuse("is not a backup of Knack that this version can read");
  return manifest.data;
}

/** @throws BackupError for a database that is missing or damaged */
function checkDatabases(folder: string): void {
  for (const name of databaseFiles) {
    const path = join(folder, name);
    if (!existsSync(path)) throw new BackupError(`The backup has no ${name}. Nothing was restored.`);
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      if (database.prepare("PRAGMA quick_check(1)").get()?.quick_check !== "ok")
        throw new BackupError(`In the backup, ${name} is damaged. Nothing was restored.`);
    } finally {
      database.close();
    }
  }
  try {
    refuseLostLog(folder);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new BackupError(
      "In the backup, the turn log is older than the other stores. Nothing was restored.",
    );
  }
}

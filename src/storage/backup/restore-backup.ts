import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { extract } from "tar";
import { errorText } from "../../base/error-text.ts";
import { parsedJson } from "../../base/json-reader.ts";
import { syncToDisk } from "../whole-file.ts";
import {
  asideFolder,
  BackupError,
  checkDatabases,
  draftFolder,
  leavingFolder,
  type Manifest,
  manifestFile,
  manifestSchema,
  staysInPlace,
  staysWithin,
} from "./backup-format.ts";

/**
 * Replaces the content of a data folder, which this process has locked, with that of an archive. The archive is unpacked and checked beside
 * the old content first. A folder that is not empty needs `replace`. A restore that was interrupted is undone first.
 * @throws BackupError: the old content is as it was
 */
export async function restoreBackup(
  folder: string,
  file: string,
  { store, replace }: { store: Manifest["store"]; replace: boolean },
): Promise<Manifest> {
  const draft = join(folder, draftFolder);
  try {
    await undoMove(folder);
    if (!replace && (await contentOf(folder)).length > 0)
      throw new BackupError(
        `The data folder ${folder} is not empty. Name another one with KNACK_DATA, or delete what it has with --replace.`,
      );
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    const manifest = await unpack(file, draft);
    if (manifest.store !== store) throw new BackupError(otherStore(manifest.store));
    if (store === "sqlite") checkDatabases(draft);
    await rm(join(draft, manifestFile));
    await flush(draft);
    await moveIn(folder, draft).catch(async (error: unknown) => {
      await undoMove(folder);
      throw error;
    });
    return manifest;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new BackupError(`Nothing was restored. ${errorText(error)}`, { cause: error });
  } finally {
    // What is left of it goes with the next start.
    await rm(draft, { recursive: true, force: true }).catch(() => {});
  }
}

async function contentOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !staysInPlace(name));
}

/** Renames only, so that it can be undone at any point; the old content is in the draft at the end. */
async function moveIn(folder: string, draft: string): Promise<void> {
  const [leaving, aside] = [join(folder, leavingFolder), join(folder, asideFolder)];
  const names = await readdir(draft);
  await mkdir(leaving, { mode: 0o700 });
  for (const name of await contentOf(folder)) await rename(join(folder, name), join(leaving, name));
  await rename(leaving, aside);
  for (const name of names) await rename(join(draft, name), join(folder, name));
  await syncToDisk(folder);
  await rename(aside, join(draft, asideFolder));
  await syncToDisk(folder);
}

/** Brings the old content back if it has not left for good. Can itself be interrupted and repeated. */
async function undoMove(folder: string): Promise<void> {
  const [leaving, aside] = [join(folder, leavingFolder), join(folder, asideFolder)];
  if (existsSync(aside)) {
    for (const name of await contentOf(folder)) await rm(join(folder, name), { recursive: true });
    await rename(aside, leaving);
  }
  if (!existsSync(leaving)) return;
  for (const name of await readdir(leaving)) await rename(join(leaving, name), join(folder, name));
  await rm(leaving, { recursive: true });
}

function otherStore(store: Manifest["store"]): string {
  return store === "sqlite"
    ? "The backup has its conversations in SQLite. Restore it without DATABASE_URL; `knack migrate` copies it to PostgreSQL."
    : "The backup is of the data folder of a bot on PostgreSQL. Restore the database first, and set DATABASE_URL.";
}

async function unpack(file: string, draft: string): Promise<Manifest> {
  if (!existsSync(file)) throw new BackupError(`${file} does not exist.`);
  let first: string | undefined;
  let refused: string | undefined;
  const take = (path: string, { type, linkpath }: { type?: string; linkpath?: string | undefined }) => {
    first ??= path;
    const isKnown = type === "File" || type === "Directory" || type === "SymbolicLink";
    const leadsOut = path.split("/").includes("..") || !staysWithin(path, linkpath || undefined);
    if (!isKnown || leadsOut || staysInPlace(path)) refused ??= path;
    return first === manifestFile && refused === undefined;
  };
  try {
    const filter = take as NonNullable<NonNullable<Parameters<typeof extract>[0]>["filter"]>;
    await extract({ file, cwd: draft, strict: true, preserveOwner: false, filter });
  } catch (error) {
    throw new BackupError(`${file} is damaged or no backup, or does not fit here (${errorText(error)}).`, {
      cause: error,
    });
  }
  if (first === manifestFile && refused !== undefined)
    throw new BackupError(`${file} has an entry that no backup has (${refused}).`);
  const text = await readFile(join(draft, manifestFile), "utf8").catch(() => "");
  const manifest = manifestSchema.safeParse(parsedJson(text));
  if (!manifest.success)
    throw new BackupError(`${file} is not a backup that this version of Knack can read.`);
  return manifest.data;
}

/** Waits until all files in a folder are on the disk. */
async function flush(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await syncToDisk(join(entry.parentPath, entry.name));
}

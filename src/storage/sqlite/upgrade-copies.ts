import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { UpgradeCopies } from "../../core/ports/storage.ts";
import { makePrivateFile } from "../private-files.ts";
import { noRoomForCopyError, toStorageError } from "../storage-error.ts";

/** Suffix of a copy that is not complete yet. */
const unfinished = ".part";
const copyName = /^(.+\.db)\.v(\d+)(\.part(?:-journal)?)?$/;

/**
 * Copies the database at `path`, of this version, to `<path>.v<version>`, readable for its owner alone, and returns the copy. The caller
 * holds the write lock, so the copy is the state that the upgrade begins with. It gets its name only when it is complete and on the disk;
 * the copy of an interrupted upgrade is replaced.
 * @throws StorageError `full`, before anything is written, when the disk has too little space for it
 */
export function copyBeforeUpgrade(path: string, version: number): string {
  const copy = `${path}.v${version}`;
  const draft = copy + unfinished;
  try {
    // The write-ahead log counts too: it may contain pages that are not in the file yet.
    const needed = statSync(path).size + (existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0);
    const { bavail, bsize } = statfsSync(dirname(path));
    if (bavail * bsize < needed) throw noRoomForCopyError(path, needed, bavail * bsize);
    removeDraft(draft);
    makePrivateFile(draft);
    const source = new DatabaseSync(path, { readOnly: true });
    try {
      source.prepare("VACUUM INTO ?").run(draft);
    } finally {
      source.close();
    }
    sync(draft);
    renameSync(draft, copy);
    sync(dirname(path));
    return copy;
  } catch (error) {
    removeDraft(draft);
    throw toStorageError(error, path);
  }
}

/** With its journal, which SQLite would play back into the next draft. */
function removeDraft(draft: string): void {
  for (const file of [draft, `${draft}-journal`]) rmSync(file, { force: true });
}

/** The newest copy of a database for a program that reads formats up to `known`. */
export function copyFor(path: string, known: number): { copy: string; version: number } | undefined {
  if (!existsSync(dirname(path))) return undefined;
  const versions = readdirSync(dirname(path)).flatMap((name) => {
    const [, of, version, part] = copyName.exec(name) ?? [];
    return of === basename(path) && part === undefined && Number(version) <= known ? [Number(version)] : [];
  });
  const version = Math.max(...versions);
  return versions.length === 0 ? undefined : { copy: `${path}.v${version}`, version };
}

/** The copies of all databases of a data folder. */
export function createUpgradeCopies(folder: string): UpgradeCopies {
  return {
    async remove({ before = Number.POSITIVE_INFINITY, dryRun = false } = {}) {
      const gone: string[] = [];
      for (const name of await readdir(folder)) {
        if (!copyName.test(name)) continue;
        const path = join(folder, name);
        if ((await stat(path)).mtimeMs >= before) continue;
        gone.push(name);
        if (!dryRun) await rm(path, { force: true });
      }
      return gone.sort();
    },
  };
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

import { constants, createWriteStream, existsSync, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdtemp, open, readdir, readlink, rename, rm } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Header, Pax } from "tar";
import { errorText } from "../../base/error-text.ts";
import { syncToDisk } from "../whole-file.ts";
import {
  BackupError,
  checkDatabases,
  databaseFiles,
  isLeftOut,
  type Manifest,
  manifestFile,
  staysWithin,
} from "./backup-format.ts";

export interface BackupOptions {
  store: Manifest["store"];
  /** ms since the epoch. */
  now: number;
  signal: AbortSignal;
}

export interface BackupResult {
  /** Bytes. */
  size: number;
  /** Paths in the data folder that cannot be read, and links that lead out of it. */
  leftOut: readonly string[];
}

/**
 * Writes everything in a data folder to a new gzipped tar archive (0600), also while a bot runs. The databases are copied as of one instant,
 * files after it: what the turn log names is there, and what is newer is as after a crash at that instant. The archive gets its name only
 * when it is complete and on the disk.
 * @throws BackupError; the reason of `signal`: nothing is left of the archive
 */
export async function makeBackup(
  folder: string,
  file: string,
  { store, now, signal }: BackupOptions,
): Promise<BackupResult> {
  const path = resolve(file);
  if (existsSync(path))
    throw new BackupError(`${file} already exists and was not changed. Name another file.`);
  if (path.startsWith(resolve(folder) + sep))
    throw new BackupError(`${file} is in the data folder, and would be lost with it. Name a file elsewhere.`);
  if (!existsSync(store === "sqlite" ? join(folder, "turns.db") : folder))
    throw new BackupError(`${folder} has no data. Name the data folder of the bot with KNACK_DATA.`);
  let draft: string | undefined;
  try {
    draft = await mkdtemp(`${path}.part-`);
    if (store === "sqlite") await copyDatabases(folder, draft, signal);
    const manifest: Manifest = { knack_backup: 1, store, made_at: now };
    const archive = join(draft, "archive");
    const leftOut: string[] = [];
    const target = createWriteStream(archive, { mode: 0o600, flags: "wx", flush: true });
    await pipeline(tarOf(folder, draft, manifest, leftOut), createGzip(), target, { signal });
    await rename(archive, path);
    await syncToDisk(dirname(path));
    return { size: target.bytesWritten, leftOut };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error && "code" in error)) throw error;
    const message = `The backup ${file} could not be made, and nothing is left of it: ${errorText(error)}`;
    throw new BackupError(message, { cause: error });
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
  }
}

/** Copies the databases as of one instant: while all are locked for writing, for some ms, a snapshot of each begins. */
async function copyDatabases(folder: string, target: string, signal: AbortSignal): Promise<void> {
  const opened: DatabaseSync[] = [];
  const openAll = () =>
    databaseFiles
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => {
        const database = new DatabaseSync(join(folder, name), { timeout: 5_000 });
        opened.push(database);
        return { name, database };
      });
  try {
    const locks = openAll();
    const snapshots = openAll();
    for (const { database } of locks) database.exec("BEGIN IMMEDIATE");
    for (const { database } of snapshots) database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    for (const { database } of locks) database.exec("ROLLBACK");
    const progress = () => signal.throwIfAborted();
    for (const { name, database } of snapshots)
      await backup(database, join(target, name), { rate: 1_000, progress });
  } finally {
    for (const database of opened) database.close();
  }
  checkDatabases(target);
}

async function* tarOf(
  folder: string,
  draft: string,
  manifest: Manifest,
  leftOut: string[],
): AsyncGenerator<Buffer> {
  const text = Buffer.from(JSON.stringify(manifest));
  const mtime = new Date(manifest.made_at);
  yield headerOf({ path: manifestFile, type: "File", mode: 0o600, mtime, size: text.length });
  yield Buffer.concat([text, paddingFor(text.length)]);
  for (const name of databaseFiles) yield* entriesOf(draft, name, leftOut);
  for (const name of await readdir(folder)) if (!isLeftOut(name)) yield* entriesOf(folder, name, leftOut);
  yield Buffer.alloc(2 * blockSize);
}

/** A file, a link that stays within the folder, or a folder with what it has. What is deleted meanwhile is passed over. */
async function* entriesOf(root: string, path: string, leftOut: string[]): AsyncGenerator<Buffer> {
  const full = join(root, path);
  try {
    const stat = await lstat(full);
    const entry = { path, mode: stat.mode & 0o777, mtime: stat.mtime };
    if (stat.isFile()) yield* fileOf(await open(full, constants.O_RDONLY | constants.O_NOFOLLOW), entry);
    else if (stat.isSymbolicLink()) {
      const linkpath = await readlink(full);
      if (staysWithin(path, linkpath)) yield headerOf({ ...entry, type: "SymbolicLink", linkpath });
      else leftOut.push(path);
    } else if (stat.isDirectory()) {
      const names = await readdir(full);
      // Its owner can fill it again, whatever its mode.
      yield headerOf({ ...entry, path: `${path}/`, type: "Directory", mode: entry.mode | 0o700 });
      for (const name of names) yield* entriesOf(root, join(path, name), leftOut);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "ELOOP") leftOut.push(path);
    else if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}

/** A file that shrinks while it is read is filled with zeros; one that grows is cut off. */
async function* fileOf(
  file: FileHandle,
  entry: { path: string; mode: number; mtime: Stats["mtime"] },
): AsyncGenerator<Buffer> {
  try {
    const { size } = await file.stat();
    yield headerOf({ ...entry, type: "File", size });
    let left = size;
    while (left > 0) {
      const piece = Buffer.alloc(Math.min(left, 65_536));
      const { bytesRead } = await file.read(piece);
      const taken = bytesRead === 0 ? piece : piece.subarray(0, bytesRead);
      yield taken;
      left -= taken.length;
    }
    yield paddingFor(size);
  } finally {
    await file.close();
  }
}

/** Of a tar archive. */
const blockSize = 512;

function paddingFor(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}

function headerOf(fields: NonNullable<Exclude<ConstructorParameters<typeof Header>[0], Buffer>>): Buffer {
  const header = new Header({ size: 0, ...fields });
  const block = Buffer.alloc(blockSize);
  return header.encode(block) ? Buffer.concat([new Pax(header).encode(), block]) : block;
}

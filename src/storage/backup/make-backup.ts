import { createWriteStream, existsSync } from "node:fs";
import { lstat, mkdtemp, open, readdir, readlink, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { Header, Pack, ReadEntry } from "tar";
import { refuseLostLog } from "../sqlite/log-mark.ts";
import { toStorageError } from "../storage-error.ts";
import { BackupError, databaseFiles, isLeftOut, type Manifest, manifestFile } from "./backup-format.ts";

/**
 * Writes everything in a data folder to a new gzipped tar archive (0600), also while a bot runs. The databases are copied as of one instant,
 * files after it: what the turn log names is there, and what is newer is as after a crash at that instant. The archive gets its name only
 * when it is complete and on the disk. Returns its size in bytes.
 * @throws BackupError, StorageError: nothing is left of the archive
 */
export async function makeBackup(
  folder: string,
  file: string,
  { store, now }: { store: Manifest["store"]; now: number },
): Promise<number> {
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
    const manifest: Manifest = { knack_backup: 1, store, made_at: now };
    await writeFile(join(draft, manifestFile), JSON.stringify(manifest));
    if (store === "sqlite") {
      refuseLostLog(folder);
      await copyDatabases(folder, draft);
    }
    const archive = join(draft, "archive");
    await pack(folder, draft, archive);
    const { size } = await syncFile(archive);
    await rename(archive, path);
    await syncFile(dirname(path));
    return size;
  } catch (error) {
    throw toStorageError(error, path);
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
  }
}

/** Copies the databases as of one instant: while all are locked for writing, for some ms, a snapshot of each begins. */
async function copyDatabases(folder: string, target: string): Promise<void> {
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
    for (const { name, database } of snapshots) await backup(database, join(target, name), { rate: 1_000 });
  } finally {
    for (const database of opened) database.close();
  }
}

async function pack(folder: string, draft: string, archive: string): Promise<void> {
  const packed = new Pack({ gzip: true, portable: true });
  const written = pipeline(
    packed as unknown as AsyncIterable<Buffer>,
    createWriteStream(archive, { mode: 0o600, flags: "wx" }),
  );
  const add = async () => {
    for (const name of [manifestFile, ...databaseFiles])
      if (existsSync(join(draft, name))) await addEntry(packed, draft, name);
    for (const name of await readdir(folder)) if (!isLeftOut(name)) await addEntry(packed, folder, name);
    packed.end();
  };
  // A failure of one ends the other.
  const adding = add().catch((error: unknown) => void packed.emit("error", error));
  await written;
  await adding;
}

/** Adds a file, a link that stays within the folder, or a folder. What is deleted or changed meanwhile is no failure. */
async function addEntry(packed: Pack, root: string, path: string): Promise<void> {
  const full = join(root, path);
  const stat = await lstat(full).catch(() => undefined);
  if (stat === undefined) return;
  const entry = { path, mode: stat.mode & 0o777, mtime: stat.mtime };
  if (stat.isDirectory()) {
    await put(packed, { ...entry, type: "Directory", size: 0 }, []);
    for (const name of await readdir(full).catch(() => [])) await addEntry(packed, root, join(path, name));
  } else if (stat.isSymbolicLink()) {
    const linkpath = await readlink(full).catch(() => sep);
    if (staysWithin(path, linkpath))
      await put(packed, { ...entry, type: "SymbolicLink", size: 0, linkpath }, []);
  } else if (stat.isFile()) {
    const file = await open(full).catch(() => undefined);
    if (file === undefined) return;
    const { size } = await file.stat();
    await put(
      packed,
      { ...entry, type: "File", size },
      exactly(file.createReadStream({ end: Math.max(0, size - 1) }), size),
    );
  }
}

/** Whether a relative link in an archive leads to a place within it. */
export function staysWithin(path: string, linkpath: string): boolean {
  if (linkpath.startsWith(sep)) return false;
  return !relative(resolve("/r"), resolve("/r", dirname(path), linkpath)).startsWith("..");
}

/** A file that shrinks while it is read is filled with zeros. */
async function* exactly(pieces: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const piece of pieces) {
    if (left === 0) continue;
    yield piece.subarray(0, left);
    left -= Math.min(left, piece.length);
  }
  for (; left > 0; left -= Math.min(left, 65_536)) yield Buffer.alloc(Math.min(left, 65_536));
}

async function put(
  packed: Pack,
  header: ConstructorParameters<typeof Header>[0] & object,
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const entry = new ReadEntry(new Header(header as never));
  const ended = new Promise((done) => entry.once("end", done));
  packed.add(entry);
  for await (const piece of pieces)
    if (!entry.write(piece)) await new Promise((done) => entry.once("drain", () => done(undefined)));
  entry.end();
  await ended;
}

async function syncFile(path: string) {
  const handle = await open(path, "r");
  try {
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

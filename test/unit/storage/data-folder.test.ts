import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DataFolderLock, lockDataFolder, readHolder } from "../../../src/storage/data-folder.ts";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { Child } from "./child.ts";

let parent: string;
let folder: string;
const children: Child[] = [];
const locks: DataFolderLock[] = [];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "knack-data-"));
  folder = join(parent, "deep", ".knack");
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  for (const lock of locks.splice(0)) await lock.release();
  await rm(parent, { recursive: true });
});

async function lockHere(): Promise<DataFolderLock> {
  const lock = await lockDataFolder(folder);
  if ("holder" in lock) throw new Error("the folder is held");
  locks.push(lock);
  return lock;
}
async function lockElsewhere(): Promise<Child> {
  const child = new Child("lock-folder.ts", folder);
  children.push(child);
  expect(await child.line()).toBe("locked");
  return child;
}

test("a new folder is made for its owner only", async () => {
  await lockHere();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

describe("a folder that others may read", () => {
  beforeEach(async () => {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await chmod(folder, 0o755);
    for (const name of ["turns.db", "turns.db-wal", "state.db"])
      await writeFile(join(folder, name), "", { mode: 0o644 });
  });

  test("a folder that others may read is taken from them when a bot starts, with its databases [secret-3]", async () => {
    const lock = await lockHere();
    expect(lock.exposed).toBe(undefined);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of ["turns.db", "turns.db-wal", "state.db", "lock.db"])
      expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
  });

  test("a folder that users share is left to them and reported", async () => {
    await chmod(folder, 0o1777);
    expect((await lockHere()).exposed).toMatch(/open to other users of this machine \(mode 1777\)/);
    expect((await stat(folder)).mode & 0o7777).toBe(0o1777);
  });

  test.runIf(process.getuid?.() === 0)(
    "a folder of another user is reported, and can be read by nobody else",
    async () => {
      await chmod(parent, 0o755);
      await chmod(join(parent, "deep"), 0o755);
      await chmod(folder, 0o777);
      // The other user need not be able to enter the clone: all that lies there is read before.
      const code = `const { lockDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, "../../../src/storage/data-folder.ts"))});
process.setgroups([]); process.setgid(65534); process.setuid(65534);
console.log((await lockDataFolder(${JSON.stringify(folder)})).exposed);`;
      const said = execFileSync(process.execPath, ["--input-type=module", "--eval", code]).toString();
      expect(said).toContain("(mode 777) and belongs to user 0");
      expect((await stat(join(folder, "lock.db"))).mode & 0o777).toBe(0o600);
    },
  );
});

test("the stores of a folder are made for its owner only, wherever they are [secret-3]", async () => {
  await mkdir(folder, { recursive: true });
  const log = await openSqliteTurnLog(join(folder, "turns.db"));
  const store = await openKeyValue(join(folder, "state.db"));
  await store.set("key", "value");
  const modes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mode & 0o777);
  expect(new Set(await Promise.all(modes))).toEqual(new Set([0o600]));
  expect(modes.length).toBeGreaterThan(2);
  await log.close();
  await store.close();
});

test("no bot runs in a folder that is missing or was released, and asking leaves no trace", async () => {
  expect(await readHolder(folder)).toEqual({ running: false });
  await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
  const lock = await lockHere();
  await lock.publish({ url: "http://127.0.0.1:1", pid: process.pid });
  await lock.release();
  await lock.release();
  expect(await readHolder(folder)).toEqual({ running: false });
  await lockHere();
});

test("the running bot is known, with its URL once it is published", async () => {
  const lock = await lockHere();
  expect(await readHolder(folder)).toEqual({ running: true, holder: undefined });
  const info = { url: "http://127.0.0.1:3000", pid: process.pid };
  await lock.publish(info);
  expect(await readHolder(folder)).toEqual({ running: true, holder: info });
  expect(JSON.parse(await readFile(join(folder, "bot.json"), "utf8"))).toEqual(info);
});

test("a second bot is refused and told who runs, in the same process and in another", async () => {
  const child = await lockElsewhere();
  const holder = { url: "http://127.0.0.1:4711", pid: child.process.pid };
  expect(await readHolder(folder)).toEqual({ running: true, holder });
  expect(await lockDataFolder(folder)).toEqual({ holder });
  const second = new Child("lock-folder.ts", folder);
  children.push(second);
  expect(await second.line()).toBe(`refused ${JSON.stringify(holder)}`);
  expect(await readHolder(folder)).toEqual({ running: true, holder });
});

test("a killed bot frees the folder, and what it published is not taken for the next one's", async () => {
  await (await lockElsewhere()).kill();
  expect(await readHolder(folder)).toEqual({ running: false });
  await lockHere();
  expect(await readHolder(folder)).toEqual({ running: true, holder: undefined });
});

test("a damaged bot.json counts as missing", async () => {
  await lockHere();
  await writeFile(join(folder, "bot.json"), "{");
  expect(await readHolder(folder)).toEqual({ running: true, holder: undefined });
});

test("a folder that cannot be made is an error that names it", async () => {
  await writeFile(join(parent, "file"), "");
  folder = join(parent, "file", ".knack");
  await expect(lockDataFolder(folder)).rejects.toMatchObject({ name: "Error", code: "unavailable" });
});

import { mkdtemp, readdir, readFile, rm, stat, statfs, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Upgrade } from "../../../src/core/ports/storage.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { turnLogMigrations } from "../../../src/storage/sqlite/turn-log-schema.ts";
import { createUpgradeCopies } from "../../../src/storage/sqlite/upgrade-copies.ts";
import { inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { Child } from "./child.ts";

let folder: string;
let path: string;
let upgrades: Upgrade[];
const children: Child[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-copies-"));
  path = join(folder, "turns.db");
  upgrades = [];
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  await rm(folder, { recursive: true });
});

const newest = turnLogMigrations.length;
const open = () => openSqliteTurnLog(path, { upgraded: (upgrade) => upgrades.push(upgrade) });
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

/** A log in an earlier format, with one thread. */
function createFormat(version: number): void {
  const database = new DatabaseSync(path);
  database.exec(`${turnLogMigrations.slice(0, version).join(";")}; PRAGMA user_version = ${version}`);
  database.exec("INSERT INTO namespaces VALUES ('console:local:heliotrope')");
  database.close();
}
function look(file: string) {
  const database = new DatabaseSync(file, { readOnly: true });
  const version = database.prepare("PRAGMA user_version").get()?.user_version;
  const rows = database.prepare("SELECT namespace FROM namespaces").all();
  database.close();
  return { version, names: rows.map(({ namespace }) => namespace) };
}

describe("an upgrade", () => {
  test("an upgrade leaves a copy of the old database, for its owner only, and says where", async () => {
    createFormat(3);
    const log = await open();
    await log.accept(inbound("later"), "t1", 1);
    await log.close();
    const copy = `${path}.v3`;
    expect(upgrades).toEqual([{ path, from: 3, to: newest, copy }]);
    expect(look(copy)).toEqual({ version: 3, names: ["console:local:heliotrope"] });
    expect(look(path)).toEqual({
      version: newest,
      names: ["console:local:general", "console:local:heliotrope"],
    });
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.includes(".v"))).toEqual(["turns.db.v3"]);
    const bytes = await readFile(copy);
    await (await open()).close();
    expect(upgrades).toHaveLength(1);
    expect(await readFile(copy)).toEqual(bytes);
  });

  test("an upgrade of nothing makes no copy", async () => {
    await (await open()).close();
    expect(upgrades).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.includes(".v"))).toEqual([]);
  });

  test("an upgrade killed while it copied or changed the tables begins again from the old state", async () => {
    createFormat(3);
    const child = new Child("upgrade-until-killed.ts", path);
    children.push(child);
    expect(await child.line()).toBe("changed");
    await child.kill();
    // As a copy looks that was broken off.
    for (const file of ["part", "part-journal"]) await writeFile(`${path}.v3.${file}`, "half of it");
    expect(look(path)).toEqual({ version: 3, names: ["console:local:heliotrope"] });
    await (await open()).close();
    expect(look(`${path}.v3`)).toEqual({ version: 3, names: ["console:local:heliotrope"] });
    expect(look(path).version).toBe(newest);
    expect((await readdir(folder)).filter((name) => name.includes(".part"))).toEqual([]);
  });

  test("an upgrade is refused before any change when the disk has no room for the copy", async () => {
    createFormat(3);
    const { size } = await stat(path);
    const { bavail, bsize } = await statfs(folder);
    // A hole takes no room.
    await truncate(path, size + bavail * bsize + 2_000_000_000);
    const error = await failure(open());
    await truncate(path, size);
    expect(error).toMatchObject({ code: "full", path });
    expect(String(error)).toMatch(
      /too little disk space for a copy of .*turns\.db.*Nothing was changed\. Free disk space/,
    );
    expect(look(path).version).toBe(3);
    expect(await readdir(folder)).not.toContain("turns.db.v3");
    await (await open()).close();
    expect(upgrades).toHaveLength(1);
  });
});

test("a program older than the file names the newest copy that it can read", async () => {
  createFormat(3);
  await (await open()).close();
  for (const version of [2, newest, newest + 1]) await writeFile(`${path}.v${version}`, "");
  await writeFile(join(folder, `state.db.v${newest}`), "");
  await rm(`${path}.v${newest}`);
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${newest + 2}`);
  database.close();
  const message = String(await failure(open()));
  expect(message).toContain(`its format is ${newest + 2}, this program knows up to ${newest}`);
  expect(message).toContain(`A copy from before the upgrade is at ${path}.v3 (format 3)`);
  await rm(`${path}.v3`);
  await rm(`${path}.v2`);
  expect(String(await failure(open()))).not.toContain("A copy");
});

test("upgrade copies are deleted by age or all at once, complete or not, and nothing else is", async () => {
  const copies = createUpgradeCopies(folder);
  const names = [
    "messages.db.v1",
    "state.db.v0",
    "turns.db.v7",
    "turns.db.v8.part",
    "turns.db.v8.part-journal",
  ];
  const others = ["turns.db", "turns.db-wal", "turns.db.v7.txt", "state.dbv0"];
  for (const name of [...names, ...others]) await writeFile(join(folder, name), "");
  await utimes(join(folder, "state.db.v0"), 1, 1);
  expect(await copies.remove({ before: 2_000, dryRun: true })).toEqual(["state.db.v0"]);
  expect(await copies.remove({ before: 2_000 })).toEqual(["state.db.v0"]);
  expect(await copies.remove({ dryRun: true })).toEqual(names.filter((name) => name !== "state.db.v0"));
  expect(await copies.remove()).toHaveLength(4);
  expect(await copies.remove()).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(others.sort());
});

import { existsSync, watch } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, statfs, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Upgrade } from "../../../src/core/ports/storage.ts";
import { openSqlite } from "../../../src/storage/sqlite/sqlite-connection.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { turnLogFormat } from "../../../src/storage/sqlite/turn-log-schema.ts";
import { createUpgradeCopies } from "../../../src/storage/sqlite/upgrade-copies.ts";
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

/** An invented later format: two steps lead to it from today's. */
const later = {
  number: turnLogFormat.number + 2,
  tables: "",
  steps: ["CREATE TABLE later (id)", "INSERT INTO later VALUES (1)"],
};
const today = turnLogFormat.number;
const open = () => openSqlite(path, later, { upgraded: (upgrade) => upgrades.push(upgrade) });
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

/** A log of today's format, with one thread; or one that says it has another format. */
async function createLog(format = today): Promise<void> {
  await (await openSqliteTurnLog(path)).close();
  const database = new DatabaseSync(path);
  database.exec(
    `INSERT INTO namespaces VALUES ('console:local:heliotrope'); PRAGMA user_version = ${format}`,
  );
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
    await createLog();
    const log = await open();
    log.run("INSERT INTO namespaces VALUES ('console:local:general')");
    await log.close();
    const copy = `${path}.v${today}`;
    expect(upgrades).toEqual([{ path, from: today, to: later.number, copy }]);
    expect(look(copy)).toEqual({ version: today, names: ["console:local:heliotrope"] });
    expect(look(path)).toEqual({
      version: later.number,
      names: ["console:local:general", "console:local:heliotrope"],
    });
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.includes(".v"))).toEqual([`turns.db.v${today}`]);
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
    await createLog();
    const isCopied = new Promise<void>((resolve) => {
      const watcher = watch(folder, () => {
        if (!existsSync(`${path}.v${today}`)) return;
        watcher.close();
        resolve();
      });
    });
    const child = new Child("upgrade-until-killed.ts", path);
    children.push(child);
    await isCopied;
    await child.kill();
    // As a copy looks that was broken off.
    for (const file of ["part", "part-journal"]) await writeFile(`${path}.v${today}.${file}`, "half of it");
    expect(look(path)).toEqual({ version: today, names: ["console:local:heliotrope"] });
    await (await open()).close();
    expect(look(`${path}.v${today}`)).toEqual({ version: today, names: ["console:local:heliotrope"] });
    expect(look(path).version).toBe(later.number);
    expect((await readdir(folder)).filter((name) => name.includes(".part"))).toEqual([]);
  });

  test("an upgrade is refused before any change when the disk has no room for the copy", async () => {
    await createLog();
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
    expect(look(path).version).toBe(today);
    expect(await readdir(folder)).not.toContain(`turns.db.v${today}`);
    await (await open()).close();
    expect(upgrades).toHaveLength(1);
  });
});

test("a log of an older format without a step, and one without a number, are refused and left unchanged", async () => {
  for (const format of [0, 9]) {
    await createLog(format);
    const before = await readFile(path);
    const error = await failure(openSqliteTurnLog(path));
    expect(error).toMatchObject({ code: "other_format", path });
    expect(String(error)).toContain(
      `The store ${path} has format ${format}, and this version of Knack reads ${today}: start with a new data folder (KNACK_DATA), or run the version that wrote it`,
    );
    expect(await readFile(path)).toEqual(before);
    expect((await readdir(folder)).filter((name) => name.includes(".v"))).toEqual([]);
    await rm(path);
  }
});

test("a program older than the file names the newest copy that it can read", async () => {
  await createLog();
  await (await open()).close();
  await writeFile(`${path}.v${today + 1}`, "");
  await writeFile(join(folder, `state.db.v${today}`), "");
  const message = String(await failure(openSqliteTurnLog(path)));
  expect(message).toContain(`has format ${later.number}, and this version of Knack reads ${today}`);
  expect(message).toContain(`A copy from before the upgrade is at ${path}.v${today} (format ${today})`);
  await rm(`${path}.v${today}`);
  expect(String(await failure(openSqliteTurnLog(path)))).not.toContain("A copy");
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

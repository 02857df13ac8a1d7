import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { KeyvSqlite } from "@keyv/sqlite";
import { Keyv } from "keyv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KeyValue } from "../../../src/core/ports/storage.ts";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import type { SqliteOptions } from "../../../src/storage/sqlite/sqlite-connection.ts";
import { StorageError } from "../../../src/storage/storage-error.ts";

let folder: string;
let path: string;
const stores: KeyValue[] = [];
const holders: DatabaseSync[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-keyv-"));
  path = join(folder, "store.db");
});
afterEach(async () => {
  for (const holder of holders.splice(0)) holder.close();
  for (const store of stores.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

async function open(options: Pick<SqliteOptions, "upgraded"> = {}): Promise<KeyValue> {
  const store = await openKeyValue(path, { busyTimeoutMs: 50, ...options });
  stores.push(store);
  return store;
}
/** Locks the file on another connection, which is what another process has. */
function holdFile(statement = ""): void {
  const holder = new DatabaseSync(path);
  holders.push(holder);
  holder.exec(`${statement}; BEGIN EXCLUSIVE; CREATE TABLE held (x)`);
}
function sql(statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}
function rows(statement: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const found = database.prepare(statement).all();
  database.close();
  return found.map((row) => ({ ...row }));
}
/** The store as the adapter alone has it: what it does by itself when it opens the file. */
async function byTheAdapter(): Promise<Keyv> {
  const adapter = new KeyvSqlite({ uri: `sqlite://${path}`, driver: "node:sqlite", wal: true });
  await adapter.ready;
  return new Keyv({ store: adapter, serialization: { stringify: JSON.stringify, parse: JSON.parse } });
}
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

test("values outlive the process that wrote them", async () => {
  const first = await openKeyValue(path);
  await first.set("memory:a", { kept: true });
  await first.close();
  expect(await (await open()).get("memory:a")).toEqual({ kept: true });
});

test("a file that is not a database is refused as corrupt", async () => {
  const text = "no database at all ".repeat(300);
  await writeFile(path, text);
  const error = await failure(open());
  expect(error).toBeInstanceOf(StorageError);
  expect(error).toMatchObject({ code: "corrupt", path });
  expect(await readFile(path, "utf8")).toBe(text);
});

test("a missing folder is refused as unavailable", async () => {
  expect(await failure(openKeyValue(join(folder, "missing", "store.db")))).toMatchObject({
    code: "unavailable",
  });
});

test("a damaged value is an error, never an empty answer", async () => {
  const store = await open();
  await store.set("memory:a", 1);
  sql("UPDATE keyv SET value = '{\"value\":'");
  expect(await failure(store.get("memory:a"))).toMatchObject({ code: "corrupt", path });
  expect(await failure(store.update("memory:a", () => 2))).toMatchObject({ code: "corrupt" });
});

test("reading and writing reject when the table is gone", async () => {
  const store = await open();
  sql("DROP TABLE keyv");
  for (const work of [store.get("a"), store.set("a", 1), store.delete("a"), store.update("a", () => 1)]) {
    expect(await failure(work)).toBeInstanceOf(Error);
  }
});

test("a file that another connection holds rejects writing, and then continues", async () => {
  const store = await open();
  await store.set("a", 1);
  holdFile();
  for (const work of [store.set("a", 2), store.delete("a"), store.update("a", () => 3)]) {
    expect(await failure(work)).toMatchObject({ code: "locked", path });
  }
  for (const holder of holders.splice(0)) holder.close();
  expect(await store.get("a")).toBe(1);
  await store.set("a", 4);
  expect(await store.get("a")).toBe(4);
});

test("a file that another connection owns alone cannot be opened", async () => {
  await (await openKeyValue(path)).close();
  holdFile("PRAGMA locking_mode = EXCLUSIVE");
  expect(await failure(open())).toMatchObject({ code: "locked", path });
});

test("a closed key-value store rejects", async () => {
  const store = await open();
  await store.close();
  await store.close();
  expect(await failure(store.get("a"))).toMatchObject({ code: "unavailable" });
  expect(await failure(store.set("a", 1))).toMatchObject({ code: "unavailable" });
});

test("an empty key is refused instead of swallowed", async () => {
  const store = await open();
  expect(await failure(store.set("", 1))).toMatchObject({ code: "unavailable" });
});

test("a deleted or replaced value is not in the files once the store is scrubbed", async () => {
  const store = await open();
  for (let at = 0; at < 60; at += 1) await store.set(`n:${at}`, `${at} secret word `.repeat(at * 9));
  for (let at = 0; at < 60; at += 1) {
    if (at % 2 === 0) await store.delete(`n:${at}`);
    else await store.set(`n:${at}`, "short");
  }
  const bytes = async () =>
    Buffer.concat(await Promise.all([path, `${path}-wal`].map((file) => readFile(file)))).includes(
      "secret word",
    );
  expect(await bytes()).toBe(true);
  await store.scrub();
  expect(await bytes()).toBe(false);
  expect(await store.get("n:1")).toBe("short");
});

describe("the format of the file", () => {
  test("the file format has a number, and another one is refused in the words of the other stores", async () => {
    await (await openKeyValue(path)).close();
    expect(rows("PRAGMA user_version")).toEqual([{ user_version: 1 }]);
    sql("PRAGMA user_version = 2");
    const error = await failure(open());
    expect(error).toMatchObject({ code: "other_format", path });
    expect(String(error)).toContain("has format 2, and this version of Knack reads 1");
  });

  test("the file format is that of the adapter: table and index, and either reads what the other wrote", async () => {
    const store = await open();
    await store.set("memory:a", { kept: "ä" });
    await store.close();
    const ours = rows("SELECT name, sql FROM sqlite_schema ORDER BY name");
    expect(rows("SELECT key, value, namespace, expires FROM keyv")).toEqual([
      { key: "memory:a", value: '{"value":{"kept":"ä"}}', namespace: "", expires: null },
    ]);
    const adapter = await byTheAdapter();
    expect(await adapter.get("memory:a")).toEqual({ kept: "ä" });
    await adapter.set("memory:b", 2);
    await adapter.disconnect();
    expect(await (await open()).get("memory:b")).toBe(2);
    await rm(path);
    for (const file of ["-wal", "-shm"]) await rm(path + file, { force: true });
    await (await byTheAdapter()).disconnect();
    const theirs = rows("SELECT name, sql FROM sqlite_schema ORDER BY name");
    const plain = (schema: unknown) => JSON.stringify(schema).replace(/\\n| |IF NOT EXISTS/g, "");
    expect(plain(ours)).toBe(plain(theirs));
  });

  test("a file of Keyv 5 is refused and left unchanged: the adapter's upgrade of it could lose every value", async () => {
    sql("CREATE TABLE keyv (key VARCHAR(255) PRIMARY KEY, value TEXT)");
    sql(`INSERT INTO keyv VALUES ('keyv:memory:a', '{"value":1}')`);
    const before = await readFile(path);
    const error = await failure(open());
    expect(error).toMatchObject({ code: "other_format", path });
    expect(String(error)).toContain("has format 0, and this version of Knack reads 1");
    expect(rows("SELECT * FROM keyv")).toEqual([{ key: "keyv:memory:a", value: '{"value":1}' }]);
    expect(rows("SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([{ name: "keyv" }]);
    expect((await readFile(path)).length).toBe(before.length);
  });
});

test("an operation that fails holds up no others", async () => {
  const store = await open();
  await store.set("b", "before");
  sql(`CREATE TRIGGER refuse BEFORE INSERT ON keyv WHEN NEW.key LIKE 'bad%'
       BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  const circular: unknown[] = [];
  circular.push(circular);
  const works = [
    store.set("a", 1),
    store.set("bad:1", 1),
    store.set("circular", circular as never),
    store.set("big", 1n as never),
    store.update("bad:2", () => 1),
    store.update("b", () => {
      throw new RangeError("no");
    }),
    store.get("b"),
    store.delete("bad:3"),
    store.update<number>("a", (value = 0) => value + 1),
    store.set("c", 3),
  ];
  const states = (await Promise.allSettled(works)).map(({ status }) => status === "fulfilled");
  expect(states).toEqual([true, false, false, false, false, false, true, true, true, true]);
  expect(await Promise.all(["a", "b", "c", "bad:1"].map((key) => store.get(key)))).toEqual([
    2,
    "before",
    3,
    undefined,
  ]);
  sql("DROP TRIGGER refuse");
  await store.set("bad:1", "good");
  expect(await store.get("bad:1")).toBe("good");
});

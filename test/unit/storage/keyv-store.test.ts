import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { KeyValue } from "../../../src/core/key-value.ts";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { StorageError } from "../../../src/storage/storage-error.ts";
import { Child } from "./child.ts";

let folder: string;
let path: string;
const stores: KeyValue[] = [];
const children: Child[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-keyv-"));
  path = join(folder, "store.db");
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  for (const store of stores.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<KeyValue> {
  const store = await openKeyValue(path, { busyTimeoutMs: 50 });
  stores.push(store);
  return store;
}
async function holdFile(...mode: string[]): Promise<void> {
  const child = new Child("hold-exclusively.ts", path, ...mode);
  children.push(child);
  expect(await child.line()).toBe("held");
}
function sql(statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

test("values outlive the process that wrote them", async () => {
  const first = await openKeyValue(path);
  await first.set("memory:a", { kept: true });
  await first.close();
  expect(await (await open()).get("memory:a")).toEqual({ kept: true });
});

test("a file that is no database is refused as corrupt", async () => {
  await writeFile(path, "no database at all ".repeat(300));
  const error = await failure(open());
  expect(error).toBeInstanceOf(StorageError);
  expect(error).toMatchObject({ code: "corrupt", path });
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

test("a file held by another process rejects writing, and then goes on", async () => {
  const store = await open();
  await store.set("a", 1);
  await holdFile();
  for (const work of [store.set("a", 2), store.delete("a"), store.update("a", () => 3)]) {
    expect(await failure(work)).toMatchObject({ code: "locked", path });
  }
  for (const child of children) await child.kill();
  expect(await store.get("a")).toBe(1);
  await store.set("a", 4);
  expect(await store.get("a")).toBe(4);
});

test("a file another process owns alone cannot be opened", async () => {
  await (await openKeyValue(path)).close();
  await holdFile("all");
  expect(await failure(open())).toMatchObject({ code: "locked", path });
});

test("a closed store rejects", async () => {
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

test("nothing of a deleted or replaced value is in the files once the store is scrubbed", async () => {
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

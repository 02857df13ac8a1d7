import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { StorageError } from "../../../src/storage/storage-error.ts";
import { claimAt, logTime } from "../../support/log-time.ts";
import { ending, entry, inbound } from "./turn-log-contract.ts";
import { turnLogDetailsContract } from "./turn-log-details.ts";
import { turnLogForgettingContract } from "./turn-log-forgetting.ts";
import { turnLogRemovalContract } from "./turn-log-removal.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-forgetting-"));
});
afterAll(() => rm(folder, { recursive: true }));

// The log in memory runs the same statements; what stays in the files of a log is checked below.
turnLogForgettingContract("the turn log", async () => createMemoryTurnLog(logTime));
turnLogDetailsContract("the turn log", async () => createMemoryTurnLog(logTime));
turnLogRemovalContract("the turn log", async () => createMemoryTurnLog(logTime));

/** Everything in the files of a log. */
async function bytesOf(file: string): Promise<Buffer> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(file));
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))));
}

test("a forgotten text is in no file of the SQLite log any more", async () => {
  const log = await openSqliteTurnLog(join(folder, "bytes.db"), { clock: logTime });
  const text = `the secret word ${"is long ".repeat(3_000)}`;
  await log.accept(inbound("k1", { text }), "t1", 1);
  await claimAt(log, 2, "w1", 500);
  const words = { type: "answer", question_id: "q", text: "the secret word", by: "ada" } as const;
  await log.signal("t1", words, 3);
  await log.append("t1", "w1", [ending("t1", 1, "the secret word again")]);
  expect((await bytesOf("bytes.db")).includes("secret word")).toBe(true);
  await log.forget("t1", "ada", 5);
  expect((await bytesOf("bytes.db")).includes("secret word")).toBe(false);
  await log.close();
});

test("deleted conversations are in no file of the SQLite log any more once it is scrubbed", async () => {
  const log = await openSqliteTurnLog(join(folder, "threads.db"), { clock: logTime });
  const text = `the secret word ${"is long ".repeat(3_000)}`;
  const { namespace } = inbound("k");
  for (let number = 0; number < 12; number += 1) {
    const id = `t${number}`;
    await log.accept(inbound(`k-${id}`, { text, thread: `thread ${number % 2}` }), id, 1);
    await claimAt(log, 2, "w1", 500);
    await log.append(id, "w1", [ending(id, 1, text)]);
  }
  expect((await bytesOf("threads.db")).includes("secret word")).toBe(true);
  for (const thread of ["thread 0", "thread 1"])
    for (let gone = ["any"]; gone.length > 0; ) gone = await log.removeTurns({ namespace, thread }, 9_000);
  expect(await log.threads(namespace)).toEqual([]);
  await log.scrub();
  expect((await bytesOf("threads.db")).includes("secret word")).toBe(false);
  await log.close();
});

test("removed details are in no file of the SQLite log any more once it is scrubbed", async () => {
  const log = await openSqliteTurnLog(join(folder, "details.db"), { clock: logTime });
  const text = `the secret word ${"is long ".repeat(3_000)}`;
  const heard = { by: "Bob", author: "U1", text, at: 1 };
  for (const id of ["t1", "t2"]) {
    await log.accept(inbound(`k-${id}`), id, 1);
    await claimAt(log, 2, "w1", 500);
    await log.append(id, "w1", [
      entry(id, 1, { type: "context_read", thread: [heard], files: [] }),
      ending(id, 2),
    ]);
  }
  expect((await bytesOf("details.db")).includes("secret word")).toBe(true);
  await log.removeDetails(["t1", "t2"], 5);
  await log.scrub();
  expect((await bytesOf("details.db")).includes("secret word")).toBe(false);
  await log.close();
});

test("a rebuilt SQLite log has no copy of a deleted text, and takes what was written in the meantime", async () => {
  const path = join(folder, "rebuilt.db");
  const filling = await openSqliteTurnLog(path, { clock: logTime });
  const ids = Array.from({ length: 150 }, (_, at) => `${(at * 7_919) % 150}-turn`);
  for (const [at, id] of ids.entries()) {
    const text = at % 3 === 0 ? `the secret word ${"is long ".repeat(at % 90)}` : "ordinary ".repeat(at % 80);
    await filling.accept(inbound(id, { text, thread: id }), id, 1);
    await claimAt(filling, 2, id, 500);
    await filling.append(id, id, [ending(id, 1, text)]);
  }
  for (const [at, id] of ids.entries()) if (at % 3 === 0) await filling.forget(id, "ada", 5);
  await filling.close();
  // Pages that were split keep copies of rows that moved.
  expect((await bytesOf("rebuilt.db")).includes("secret word")).toBe(true);
  const log = await openSqliteTurnLog(path, { busyTimeoutMs: 50 });
  const rebuilt = log.scrub({ rebuild: true });
  const accepted = log.accept(inbound("later", { text: "later" }), "later", 9);
  await Promise.all([rebuilt, accepted]);
  expect((await bytesOf("rebuilt.db")).includes("secret word")).toBe(false);
  expect(await log.get("later")).toMatchObject({ text: "later" });
  expect(await log.list({ limit: 1_000 })).toHaveLength(151);
  await log.close();
});

test("a log that another process reads says that it cannot be rebuilt, and continues", async () => {
  const path = join(folder, "read.db");
  const log = await openSqliteTurnLog(path, { busyTimeoutMs: 50 });
  await log.accept(inbound("k1", { text: "kept" }), "t1", 1);
  const reader = new DatabaseSync(path);
  reader.exec("BEGIN; SELECT count(*) FROM turns");
  await expect(log.scrub({ rebuild: true })).rejects.toBeInstanceOf(StorageError);
  reader.close();
  await log.accept(inbound("k2"), "t2", 1);
  await log.scrub({ rebuild: true });
  expect(await log.list({})).toHaveLength(2);
  await log.close();
}, 30_000);

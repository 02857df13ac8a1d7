import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemoryTurnLog } from "../../src/storage/memory-turn-log.ts";
import { openSqliteTurnLog } from "../../src/storage/sqlite-turn-log.ts";
import { ending, inbound } from "./turn-log-contract.ts";
import { turnLogForgettingContract } from "./turn-log-forgetting.ts";

let folder: string;
let opened = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-forgetting-"));
});
afterAll(() => rm(folder, { recursive: true }));

turnLogForgettingContract("the turn log in memory", async () => createMemoryTurnLog());
turnLogForgettingContract("the turn log in SQLite", () => openSqliteTurnLog(join(folder, `${opened++}.db`)));

test("a forgotten text is in no file of the SQLite log any more", async () => {
  const log = await openSqliteTurnLog(join(folder, "bytes.db"));
  const text = `the secret word ${"is long ".repeat(3_000)}`;
  await log.accept(inbound("k1", { text }), "t1", 1);
  await log.claim("w1", 2, 500);
  const words = { type: "answer", question_id: "q", text: "the secret word", by: "ada" } as const;
  await log.signal("t1", words, 3);
  await log.append("t1", "w1", [ending("t1", 1, "the secret word again")]);
  const bytes = async () => {
    const names = (await readdir(folder)).filter((name) => name.startsWith("bytes.db"));
    return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))));
  };
  expect((await bytes()).includes("secret word")).toBe(true);
  await log.forget("t1", "ada", 5);
  expect((await bytes()).includes("secret word")).toBe(false);
  await log.close();
});

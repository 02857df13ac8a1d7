import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import type { SqliteOptions } from "../../../src/storage/sqlite/sqlite-connection.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { StorageError } from "../../../src/storage/storage-error.ts";
import { ending, entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { claimAt, logTime } from "../../support/log-time.ts";

let folder: string;
let path: string;
const logs: TurnLog[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-sqlite-"));
  path = join(folder, "turns.db");
});
afterEach(async () => {
  for (const log of logs.splice(0)) await log.close();
  await rm(folder, { recursive: true });
});

async function open(options: SqliteOptions = {}): Promise<TurnLog> {
  const log = await openSqliteTurnLog(path, { clock: logTime, ...options });
  logs.push(log);
  return log;
}
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

describe("a file that cannot be used", () => {
  test("a file that is not a database is refused as corrupt, and left unchanged", async () => {
    await writeFile(path, "this is not a database, but long enough to look at ".repeat(100));
    const before = await readFile(path);
    const error = await failure(open());
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ code: "corrupt", path });
    expect((error as StorageError).message).toMatch(/turns\.db is damaged.*Move the file away/);
    expect((error as StorageError).cause).toBeInstanceOf(Error);
    expect(await readFile(path)).toEqual(before);
  });

  test("a file with damaged pages is reported as corrupt", async () => {
    const log = await openSqliteTurnLog(path, { clock: logTime });
    for (let at = 0; at < 50; at++)
      await log.accept(inbound(`k${at}`, { text: "x".repeat(2_000) }), `t${at}`, at);
    await log.close();
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xab, 8_192));
    const error = await failure(open().then((damaged) => damaged.list({})));
    expect(error).toMatchObject({ code: "corrupt", path });
  });

  test("a file with an entry that is not JSON is reported as corrupt", async () => {
    const log = await open();
    await log.accept(inbound("k"), "t1", 1);
    const database = new DatabaseSync(path);
    database.exec("UPDATE events SET body = '{'");
    database.close();
    expect(await failure(log.read("t1"))).toMatchObject({ code: "corrupt", path });
  });

  test("a file that a newer program wrote is refused", async () => {
    await (await openSqliteTurnLog(path)).close();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const error = await failure(open());
    expect(error).toMatchObject({ code: "other_format", path });
    expect((error as StorageError).message).toContain("has format 99");
  });

  test("a log is unavailable when its folder is missing or its file is a folder", async () => {
    path = join(folder, "missing", "turns.db");
    expect(await failure(open())).toMatchObject({ code: "unavailable" });
    await mkdir(path, { recursive: true });
    expect(await failure(open())).toMatchObject({ code: "unavailable" });
  });

  test("a log is unavailable after it was closed", async () => {
    const log = await open();
    await log.close();
    await log.close();
    expect(await failure(log.get("t1"))).toMatchObject({ code: "unavailable" });
  });
});

describe("a full disk", () => {
  test("a full disk refuses the write with nothing half-written, and reading continues", async () => {
    const log = await open({ maxPages: 60 });
    await log.accept(inbound("k1"), "t1", 1);
    const refused = await failure(log.accept(inbound("k2", { text: "x".repeat(400_000) }), "t2", 2));
    expect(refused).toMatchObject({ code: "full", path });
    expect((refused as StorageError).message).toContain("nothing was stored");
    expect(await log.get("t2")).toBeUndefined();
    expect(await log.threads("console:local:general")).toMatchObject([{ turns: 1 }]);
    expect(await log.accept(inbound("k2", { text: "short" }), "t2", 3)).toEqual({
      turn_id: "t2",
      accepted: true,
    });
  });

  test("a full disk refuses a batch of events as a whole", async () => {
    const log = await open({ maxPages: 60 });
    await log.accept(inbound("k1"), "t1", 1);
    await claimAt(log, 1_000, "w1", 500);
    const usage = entry("t1", 1, { type: "usage", model: "m", input_tokens: 5, output_tokens: 5 });
    const error = await failure(log.append("t1", "w1", [usage, ending("t1", 2, "x".repeat(400_000))]));
    expect(error).toMatchObject({ code: "full" });
    expect(await log.get("t1")).toMatchObject({ status: "running", input_tokens: 0 });
    expect(await log.read("t1")).toHaveLength(1);
    await log.append("t1", "w1", [usage, ending("t1", 2)]);
    expect(await log.get("t1")).toMatchObject({ status: "finished", input_tokens: 5 });
  });
});

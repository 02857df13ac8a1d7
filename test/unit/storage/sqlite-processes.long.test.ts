import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import type { SqliteOptions } from "../../../src/storage/sqlite/sqlite-connection.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import type { StorageError } from "../../../src/storage/storage-error.ts";
import { entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { claimAt, logTime } from "../../support/log-time.ts";
import { Child } from "./child.ts";
import { expectSharedTurns } from "./claimed-turns.ts";

let folder: string;
let path: string;
const logs: TurnLog[] = [];
const children: Child[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-sqlite-"));
  path = join(folder, "turns.db");
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  for (const log of logs.splice(0)) await log.close();
  await rm(folder, { recursive: true });
});

async function open(options: SqliteOptions = {}): Promise<TurnLog> {
  const log = await openSqliteTurnLog(path, { clock: logTime, ...options });
  logs.push(log);
  return log;
}
function start(script: string, ...args: string[]): Child {
  const child = new Child(script, ...args);
  children.push(child);
  return child;
}
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

describe("other processes on the same file", () => {
  test("other processes that hold the file are named: on opening and on writing", async () => {
    const log = await open({ busyTimeoutMs: 50 });
    const writer = start("hold-exclusively.ts", path);
    expect(await writer.line()).toBe("held");
    const error = await failure(log.accept(inbound("k"), "t1", 1));
    expect(error).toMatchObject({ code: "locked", path });
    expect((error as StorageError).message).toContain("held by another process");
    expect(await log.get("t1")).toBeUndefined();
    await writer.kill();
    expect(await log.accept(inbound("k"), "t1", 1)).toEqual({ turn_id: "t1", accepted: true });
    await log.close();
    const owner = start("hold-exclusively.ts", path, "all");
    expect(await owner.line()).toBe("held");
    expect(await failure(open({ busyTimeoutMs: 50 }))).toMatchObject({ code: "locked" });
  });

  test("several processes claim each turn once between them, and keep threads in order", async () => {
    const log = await open();
    await expectSharedTurns(log, 100, (owner) => start("claim-all.ts", path, owner));
  });

  test("a killed process leaves every stored event; its turn is taken over and it cannot write", async () => {
    const worker = start("append-until-killed.ts", path);
    let last = 0;
    while (last < 25) last = Number(await worker.line());
    await worker.kill();
    for (const line of await worker.rest()) last = Number(line);
    const log = await open();
    const again = await claimAt(log, Date.now() + 1_000, "second", 500);
    expect(again?.turn_id).toBe("t1");
    const seqs = again?.events.map((event) => event.seq) ?? [];
    expect(seqs).toEqual(seqs.map((_, at) => at));
    expect(seqs.length).toBeGreaterThan(last);
    const late = entry("t1", seqs.length, { type: "round_started", round: 9 });
    expect(await failure(log.append("t1", "first", [late]))).toMatchObject({ code: "lease_lost" });
    await log.append("t1", "second", [late]);
  });

  test("several processes may open and create the file at the same moment", async () => {
    const workers = ["w1", "w2", "w3"].map((owner) => start("claim-all.ts", path, owner));
    for (const worker of workers) expect(await worker.line()).toBe("ready");
  });
});

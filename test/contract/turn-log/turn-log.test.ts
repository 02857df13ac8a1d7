import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { logTime } from "../../support/log-time.ts";
import { turnLogClaimsContract } from "./turn-log-claims.ts";
import { turnLogContract } from "./turn-log-contract.ts";
import { turnLogCrashesContract } from "./turn-log-crashes.ts";
import { turnLogUsageContract } from "./turn-log-usage.ts";

let folder: string;
let opened = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-turn-log-"));
});
afterAll(() => rm(folder, { recursive: true }));

turnLogContract("the turn log in memory", async () => ({ log: createMemoryTurnLog(logTime) }));

turnLogContract("the turn log in SQLite", async () => {
  const path = join(folder, `${opened++}.db`);
  return {
    log: await openSqliteTurnLog(path, { clock: logTime }),
    another: () => openSqliteTurnLog(path, { clock: logTime }),
  };
});

// The log in memory runs the same statements as the log in a file: the rest needs no file.
turnLogUsageContract("the turn log", async () => createMemoryTurnLog(logTime));
turnLogClaimsContract("the turn log", async () => createMemoryTurnLog(logTime));
turnLogCrashesContract("the turn log", async () => createMemoryTurnLog(logTime));

import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { temporaryFolder } from "../../unit/skills/temporary-folder.ts";
import { describeDueEntries } from "./due-entries-contract.ts";

async function open(path: string) {
  const log = await openSqliteTurnLog(path);
  onTestFinished(() => log.close());
  return log.due;
}

describeDueEntries("memory", () => open(":memory:"));
describeDueEntries("a file", async () => open(join(await temporaryFolder(), "turns.sqlite")));

describe("due entries in a file", () => {
  it("due entries in a file are there when it is opened again", async () => {
    const path = join(await temporaryFolder(), "turns.sqlite");
    const first = await openSqliteTurnLog(path);
    await first.due.add({ id: "a", namespace: "n:1", kind: "schedule", due_at: 7, value: "kept" });
    await first.close();
    expect(await (await open(path)).get("a")).toMatchObject({ due_at: 7, value: "kept" });
  });

  it("due entries in a file are bounded", async () => {
    const due = await open(":memory:");
    const large = { id: "a", namespace: "n:1", kind: "schedule", value: "x".repeat(100_001) };
    await expect(due.add(large)).rejects.toThrow("at most");
    expect(await due.list({})).toEqual([]);
  });
});

import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { openSqliteTurnLog, type SqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { ending, entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";

let folder: string;
let path: string;
let log: SqliteTurnLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-shared-"));
  path = join(folder, "turns.db");
  log = await openSqliteTurnLog(path);
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
});

/** As much as a list of the skills that ship, with words that are nowhere else. */
const list = {
  skills: Array.from({ length: 20 }, (_, at) => ({ id: `skill-${at}`, about: "heliotrope ".repeat(55) })),
};

const finished = (turnId: string, seq: number, output: Json, shown?: string): TurnEvent =>
  entry(turnId, seq, {
    ...{ type: "tool_finished", call_id: `call ${seq}`, tool: "list_skills", status: "ok", output },
    ...{ shown, duration_ms: seq },
  });

/** A turn in a thread of its own that runs under the lease of its name. */
async function begin(id: string): Promise<void> {
  await log.accept(inbound(`key-${id}`, { thread: id }), id, 1);
  await log.claim(id, 60_000);
}
/** A finished turn with these events. */
async function turn(id: string, ...events: TurnEvent[]): Promise<void> {
  await begin(id);
  for (const event of events) await log.append(id, id, [event]);
  await log.append(id, id, [ending(id, 100)]);
}
/** Whether a word is in any file of the log. */
async function isOnDisk(word: string): Promise<boolean> {
  const names = await readdir(folder);
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  return Buffer.concat(files).includes(word);
}
async function kilobytes(): Promise<number> {
  await log.scrub();
  return (await stat(path)).size / 1_000;
}

describe("what tools answer again and again", () => {
  test("a repeated tool answer is read back as it was written, member by member", async () => {
    const long = 'ä🎉\u0000\ud800\\" '.repeat(300);
    const deep = JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`) as Json;
    const outputs: Json[] = [list, long, [long], { a: list, "": null }, deep, "short", null, 0];
    const events = [
      ...outputs.map((output, at) => finished("t1", at + 1, output, at % 2 === 0 ? long : undefined)),
      entry("t1", 50, { type: "step_finished", call_id: "c", step: "s#1", result: list }),
      entry("t1", 51, { type: "skill_output", skill_id: "s", output: list }),
      { ...finished("t1", 52, "short"), details: { list } } as TurnEvent,
    ];
    await turn("t1", ...events);
    const read = (await log.read("t1")).slice(1, -1);
    const order = ({ type, turn_id, seq, at, ...members }: TurnEvent) =>
      JSON.stringify({ type, ...members, turn_id, seq, at });
    expect(read.map((event) => JSON.stringify(event))).toEqual(events.map(order));
    expect(await log.read("t1", 51)).toEqual((await log.read("t1")).slice(-2));
  });

  test("a repeated tool answer takes less than 1 kB the next time, in the same turn and in others", async () => {
    await turn("first", finished("first", 1, list, JSON.stringify(list)));
    const before = await kilobytes();
    for (let at = 0; at < 20; at += 1)
      await turn(`turn ${at}`, finished(`turn ${at}`, 1, list, JSON.stringify(list)));
    await turn("last", ...Array.from({ length: 20 }, (_, at) => finished("last", at + 1, list)));
    // A turn without any takes a part of it too.
    expect((await kilobytes()) - before).toBeLessThan(40);
  });

  test("a repeated tool answer is deleted with the last turn that has it, in whatever order turns are deleted", async () => {
    for (const id of ["t1", "t2", "t3"]) await turn(id, finished(id, 1, list), finished(id, 2, list));
    const { namespace } = inbound("k");
    await log.forget("t1", "ada", 5_000);
    await log.removeDetails(["t2"], 5_000);
    expect((await log.read("t3"))[2]).toMatchObject({ output: list });
    expect(await isOnDisk("heliotrope")).toBe(true);
    expect(await log.removeTurns({ namespace, thread: "t3" }, 9_000)).toEqual(["t3"]);
    await log.scrub();
    expect(await isOnDisk("heliotrope")).toBe(false);
  });

  test("a repeated tool answer is stored again after it was deleted", async () => {
    await turn("t1", finished("t1", 1, list));
    await log.forget("t1", "ada", 5_000);
    expect(await isOnDisk("heliotrope")).toBe(false);
    await turn("t2", finished("t2", 1, list));
    expect((await log.read("t2"))[1]).toMatchObject({ output: list });
  });

  test("a repeated tool answer leaves nothing behind when its events are refused", async () => {
    await begin("t1");
    await expect(log.append("t1", "another", [finished("t1", 1, list)])).rejects.toMatchObject({
      code: "lease_lost",
    });
    const taken = [finished("t1", 1, list), entry("t1", 0, { type: "round_started", round: 1 })];
    await expect(log.append("t1", "t1", taken)).rejects.toMatchObject({ code: "lease_lost" });
    await log.scrub();
    expect(await log.read("t1")).toHaveLength(1);
    const database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare("SELECT count(*) AS n FROM texts").get()).toEqual({ n: 0 });
    database.close();
  });

  test("people's words are never shared, and are deleted with their turn", async () => {
    const words = "heliotrope ".repeat(500);
    await log.accept(inbound("key-t1", { text: words, thread: "t1" }), "t1", 1);
    await log.accept(inbound("key-t2", { text: words, thread: "t2" }), "t2", 1);
    for (const id of ["t1", "t2"]) {
      await log.claim(id, 60_000);
      const heard = { by: "Bob", author: "bob", text: words, at: 1 };
      await log.append(id, id, [
        entry(id, 1, { type: "context_read", thread: [heard], files: [] }),
        entry(id, 2, { type: "user_message", message: { role: "user", text: words } }),
        ending(id, 3, words),
      ]);
    }
    const database = new DatabaseSync(path, { readOnly: true });
    expect(database.prepare("SELECT count(*) AS n FROM texts").get()).toEqual({ n: 0 });
    database.close();
  });
});

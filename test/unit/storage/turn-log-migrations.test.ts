import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { turnLogMigrations } from "../../../src/storage/sqlite/turn-log-schema.ts";
import { ending, entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { claimAt, logTime } from "../../support/log-time.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-migrations-"));
  path = join(folder, "turns.db");
});
afterEach(() => rm(folder, { recursive: true }));

/** A file of the first format with turns of thread `one`: two are finished, `running` is not. */
function createFirstFormat(): void {
  const database = new DatabaseSync(path);
  database.exec(`${turnLogMigrations[0]} PRAGMA user_version = 1;`);
  const turn = database.prepare(`
    INSERT INTO turns (turn_id, key, line, namespace, thread, kind, author_id, author, status, head, due_at,
      lease_owner, accepted_at, input_tokens, output_tokens, cost_usd, text)
    VALUES (?1, 'key-' || ?1, 'line', ?2, 'one', 'message', 'ada', ?3, ?4, ?5, 0, ?6, 100, 10, 3, ?7, 'hello')`);
  const event = database.prepare("INSERT INTO events VALUES (?, 0, 100, 'inbound', ?)");
  const add = (id: string, status: string, head: number, owner: string | null, cost: number) => {
    const message = inbound(`key-${id}`);
    turn.run(id, message.namespace, JSON.stringify(message.author), status, head, owner, cost);
    event.run(id, JSON.stringify({ type: "inbound", inbound: message }));
  };
  add("priced", "finished", 0, null, 0.5);
  add("unpriced", "finished", 0, null, 0);
  add("running", "running", 1, "w0", 0);
  const { namespace } = inbound("k");
  database.prepare("INSERT INTO threads VALUES (?, 'one', 'hello', 'priced', 3, 1, 100)").run(namespace);
  database.prepare("INSERT INTO namespaces VALUES (?)").run(namespace);
  database.close();
}

test("a file of the first format keeps its turns, and its cost of 0 means that no price was known", async () => {
  createFirstFormat();
  const log = await openSqliteTurnLog(path, { clock: logTime });
  const counts = { input_tokens: 10, output_tokens: 3, cached_tokens: 0, cache_write_tokens: 0 };
  expect(await log.get("priced")).toMatchObject({ ...counts, cost_usd: 0.5, unpriced_tokens: 0 });
  const unpriced = await log.get("unpriced");
  expect(unpriced).toMatchObject({ ...counts, text: "hello", unpriced_tokens: 13 });
  expect(unpriced?.cost_usd).toBeUndefined();
  expect(await log.usage({ since: 0 })).toMatchObject({
    input_tokens: 30,
    cost_usd: 0.5,
    unpriced_tokens: 26,
  });
  await log.close();
});

test("a file of the first format continues: its turn is claimed, counted and finished, and it opens again", async () => {
  createFirstFormat();
  const first = await openSqliteTurnLog(path, { clock: logTime });
  await first.reclaim();
  const claimed = await claimAt(first, 1_000, "w1", 500);
  expect(claimed).toMatchObject({ turn_id: "running", inbound: { text: "text of key-running" } });
  const call = { input_tokens: 20, cached_tokens: 16, cache_write_tokens: 4, output_tokens: 1 };
  const usage = entry("running", 1, { type: "usage", model: "m", ...call, cost_usd: 0.1 });
  await first.append("running", "w1", [usage, ending("running", 2)]);
  await first.close();
  const second = await openSqliteTurnLog(path, { clock: logTime });
  expect(await second.get("running")).toMatchObject({
    status: "finished",
    input_tokens: 30,
    cached_tokens: 16,
    cache_write_tokens: 4,
    output_tokens: 4,
    cost_usd: 0.1,
    unpriced_tokens: 13,
  });
  expect(await second.accept(inbound("new"), "t9", 200)).toEqual({ turn_id: "t9", accepted: true });
  await second.close();
});

test("turns of a file of the first format can lose their details, and old threads are deleted", async () => {
  createFirstFormat();
  const database = new DatabaseSync(path);
  database.exec(
    "UPDATE turns SET finished_at = 200 WHERE status = 'finished'; UPDATE threads SET unfinished = 0;",
  );
  database.exec("DELETE FROM turns WHERE status <> 'finished'");
  database.close();
  const log = await openSqliteTurnLog(path, { clock: logTime });
  const place = { namespace: inbound("k").namespace, thread: "one" };
  expect(await log.oldDetails(201)).toEqual({ turn_ids: ["priced", "unpriced"] });
  await log.removeDetails(["priced", "unpriced"], 300);
  expect(await log.oldDetails(201)).toEqual({ turn_ids: [] });
  expect(await log.removeTurns(place, 300)).toEqual(["priced", "unpriced"]);
  await log.close();
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import { openSqlite, type SqliteConnection } from "../../../src/storage/sqlite/sqlite-connection.ts";
import { createTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { turnLogFormat } from "../../../src/storage/sqlite/turn-log-schema.ts";
import { ending, entry, inbound } from "../../contract/turn-log/turn-log-contract.ts";
import { claimAt, logTime } from "../../support/log-time.ts";

const namespace = "console:local:general";
const place = { namespace, thread: "one" };
let folder: string;
let connection: SqliteConnection;
let log: TurnLog;
const asked = new Set<string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knack-indexes-"));
  connection = await openSqlite(join(folder, "turns.db"), turnLogFormat);
  log = createTurnLog(
    {
      ...connection,
      run: (sql, ...values) => {
        asked.add(sql);
        return connection.run(sql, ...values);
      },
      get: (sql, ...values) => {
        asked.add(sql);
        return connection.get(sql, ...values);
      },
      all: (sql, ...values) => {
        asked.add(sql);
        return connection.all(sql, ...values);
      },
    },
    logTime,
  );
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true });
});

/** Steps of the plan that walk a whole table, or a whole index that is not of a few unfinished turns only. */
function scansOf(sql: string): string[] {
  const unbound = sql.replace(/\?\d*/g, "NULL");
  const steps = connection.all(`EXPLAIN QUERY PLAN ${unbound}`).map((row) => String(row.detail));
  return steps.filter(
    (step) =>
      /^SCAN (turns|other|events|signals|threads)\b/.test(step) && !/turns_(unfinished|suspect)/.test(step),
  );
}

async function useEverything(): Promise<void> {
  for (const id of ["t1", "t2"]) await log.accept(inbound(`k${id}`), id, 1);
  await claimAt(log, 1_000, "w1", 500);
  await log.renew([{ turn_id: "t1", lease: "w1" }], 500);
  await log.signal("t1", { type: "stop", by: "ada" }, 2);
  await log.signals("t1");
  await log.steering("t1");
  await log.absorb("t1", "w1", ["t2"], []);
  const usage = entry("t1", 2, { type: "usage", model: "m", input_tokens: 1, output_tokens: 1 });
  await log.append("t1", "w1", [entry("t1", 1, { type: "turn_started", profile: "p", model: "m" })]);
  await log.append("t1", "w1", [usage]);
  await log.append("t1", "w1", [entry("t1", 3, { type: "round_started", round: 1 })]);
  await log.append("t1", "w1", [entry("t1", 4, { type: "turn_waiting", until: 9_000 })]);
  await claimAt(log, 9_000, "w1", 500);
  await log.append("t1", "w1", [ending("t1", 5)]);
  await log.read("t1");
  await log.get("t1");
  for (const filter of [{ namespace }, place, { thread: "one" }, { namespace, before: "t2" }])
    await log.list(filter);
  for (const filter of [{}, place, { asks: "ben" }, { namespace, event: "approval_requested" } as const])
    await log.list({ ...filter, status: "waiting" });
  await log.finished(place, 9, 5);
  await log.deletions(place);
  await log.threads(namespace);
  await log.namespaces("console");
  for (const filter of [{}, { namespace }, { user: "ada" }, { namespace, user: "ada" }]) {
    await log.usage({ ...filter, since: 0 });
  }
  await log.reclaim();
  await log.backlog();
  await log.probe(1);
  await log.untilDue();
  await log.oldDetails(9_000);
  await log.idleThreads(namespace, 9_000);
  await log.removeDetails(["t1"], 9_000, { idle_since: 9_000, forgets: true });
  await log.removeTurns(place, 9_000);
}

test("no statement of the turn log walks over all turns or events", async () => {
  await useEverything();
  expect(asked.size).toBeGreaterThan(25);
  const scans = [...asked].flatMap((sql) => scansOf(sql).map((step) => ({ sql, step })));
  expect(scans).toEqual([]);
  expect(scansOf("SELECT * FROM turns WHERE text = ?")).not.toEqual([]);
});

test("a claim looks at namespaces and at running or due turns, never at the queue", async () => {
  await log.accept(inbound("k9", { thread: "nine" }), "t9", 1);
  asked.clear();
  await claimAt(log, 1_000, "w9", 500);
  const steps = [...asked]
    .filter((sql) => sql.includes("head = 1") && !sql.includes("WHERE ordinal"))
    .flatMap((sql) => connection.all(`EXPLAIN QUERY PLAN ${sql.replace(/\?\d*/g, "NULL")}`))
    .map((row) => String(row.detail))
    .filter((step) => /^S\w+ turns\b/.test(step));
  expect(steps.length).toBeGreaterThan(3);
  expect(
    steps.filter((step) => !/turns_(due|suspect)|turns_ready \(lane=\? AND namespace=\?\)/.test(step)),
  ).toEqual([]);
});

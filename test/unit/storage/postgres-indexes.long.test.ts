import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  openPostgres,
  type PostgresConnection,
  type PostgresSession,
} from "../../../src/storage/postgres/postgres-connection.ts";
import { turnLogTables } from "../../../src/storage/postgres/postgres-schema.ts";
import {
  createPostgresTurnLog,
  type PostgresTurnLog,
} from "../../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import type { Value } from "../../../src/storage/tables.ts";
import { ending, entry, inbound, opened } from "../../contract/turn-log/turn-log-contract.ts";
import { claimAt, logTime } from "../../support/log-time.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";

const namespace = "console:local:general";
const place = { namespace, thread: "one" };

/** A step of a plan, https://www.postgresql.org/docs/current/sql-explain.html. */
interface Step {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: Step[];
}

/** Statements by their texts, with the values they were last asked with. */
type Asked = Map<string, readonly Value[]>;

function recording(session: PostgresSession, asked: Asked): PostgresSession {
  const noted =
    <T>(ask: (sql: string, ...values: Value[]) => Promise<T>) =>
    (sql: string, ...values: Value[]) => {
      asked.set(sql, values);
      return ask(sql, ...values);
    };
  return {
    run: noted(session.run),
    get: noted(session.get),
    all: noted(session.all),
    notify: session.notify,
  };
}

async function openRecorded(): Promise<{
  log: PostgresTurnLog;
  connection: PostgresConnection;
  asked: Asked;
}> {
  const { url } = await testPostgres();
  const connection = await openPostgres(
    url,
    { number: 1, tables: turnLogTables },
    { schema: freshSchema(), poolSize: 4 },
  );
  onTestFinished(() => connection.close());
  const asked: Asked = new Map();
  const log = createPostgresTurnLog(
    {
      ...connection,
      ...recording(connection, asked),
      transaction: (work) => connection.transaction((session) => work(recording(session, asked))),
    },
    { clock: logTime },
  );
  return { log, connection, asked };
}

/** Turns that ended long ago, of 100 namespaces with ten threads each. */
async function addFinished(connection: PostgresConnection, first: number, last: number): Promise<void> {
  await connection.run(
    `INSERT INTO turns (turn_id, key, line, namespace, thread, kind, lane, said, author_id, author, text, accepted_at,
       ready, status, finished_at)
     SELECT 'old' || n, 'old' || n, 'line', 'slack:w:' || n % 100, n % 10, 'message', 'message', true, n % 50, '{}', '""', n,
       false, 'finished', n FROM generate_series($1::integer, $2::integer) AS n`,
    ...[first, last],
  );
  await connection.run(
    `INSERT INTO threads (namespace, thread, title, turns, unfinished, last_at)
     SELECT 'slack:w:' || n % 100, n / 100, 'title', 1, 0, n FROM generate_series(0, 999) AS n ON CONFLICT DO NOTHING`,
  );
  await connection.run(
    "INSERT INTO events SELECT turn_id, 0, 0, 'inbound', '{}' FROM turns ON CONFLICT DO NOTHING",
  );
  for (const table of ["turns", "events", "threads"]) await connection.run(`ANALYZE ${table}`);
}

/** The steps of a statement's plan; `analyze` runs it, too, and undoes what it did. */
async function stepsOf(
  connection: PostgresConnection,
  [sql, values]: readonly [string, readonly Value[]],
  analyze = false,
): Promise<Step[]> {
  const undone = new Error("undone");
  let plan: Step | undefined;
  await connection
    .transaction(async (session) => {
      // A small table is read as a whole otherwise.
      await session.run("SET LOCAL enable_seqscan = off");
      const row = await session.get(`EXPLAIN (FORMAT JSON${analyze ? ", ANALYZE" : ""}) ${sql}`, ...values);
      plan = (JSON.parse(String(row?.["QUERY PLAN"])) as { Plan: Step }[])[0]?.Plan;
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  const flat = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(flat)];
  return plan === undefined ? [] : flat(plan);
}

/** Whether a step walks a whole table, or a whole index that is not of a few turns only. */
function isScan(step: Step): boolean {
  const { "Relation Name": table = "", "Index Name": index = "", "Index Cond": condition } = step;
  if (!["turns", "events", "signals", "threads"].includes(table)) return false;
  if (step["Node Type"] === "Seq Scan") return true;
  return (
    index !== "" && condition === undefined && !/^turns_(ready|suspect|held|waiting|unfinished)$/.test(index)
  );
}

async function useEverything(log: PostgresTurnLog): Promise<void> {
  for (const id of ["t1", "t2"]) await log.accept(inbound(`k${id}`), id, 1);
  await log.accept(inbound("kt1"), "again", 1);
  await claimAt(log, 1_000, "w1", 500);
  await log.renew([{ turn_id: "t1", lease: "w1" }], 500);
  await log.signal("t1", { type: "stop", by: "ada" }, 2);
  await log.signals("t1");
  await log.steering("t1");
  await log.absorb("t1", "w1", ["t2"], []);
  const usage = entry("t1", 2, { type: "usage", model: "m", input_tokens: 1, output_tokens: 1 });
  await log.append("t1", "w1", [entry("t1", 1, { type: "turn_started", profile: "p", model: "m" }), usage]);
  await log.append("t1", "w1", [entry("t1", 3, opened()), entry("t1", 4, opened("x", "deleted"))]);
  await log.append("t1", "w1", [entry("t1", 5, { type: "turn_waiting", until: 9_000 })]);
  await claimAt(log, 9_000, "w1", 500);
  await claimAt(log, 9_900, "w2", 500);
  await log.clear("t1", "w2");
  await log.release("t1", "w2", 0, true);
  await claimAt(log, 9_900, "w3", 500);
  await log.append("t1", "w3", [ending("t1", 9_000_000)]);
  await log.read("t1");
  await log.get("t1");
  await log.find("kt1");
  for (const filter of [
    { namespace },
    place,
    { thread: "one" },
    { namespace, before: "t2" },
    { author: "ada" },
  ])
    await log.list(filter);
  for (const filter of [{}, place, { asks: "ben" }, { namespace, event: "approval_requested" } as const])
    await log.list({ ...filter, status: "waiting" });
  await log.finished(place, 9, 5);
  await log.deletions(place);
  await log.threads(namespace);
  await Array.fromAsync(log.everyThread(namespace));
  await log.namespaces("console");
  for (const filter of [{}, { namespace }, { user: "ada" }, { namespace, user: "ada" }])
    await log.usage({ ...filter, since: 99_000 });
  await log.reclaim();
  await log.backlog();
  await log.untilDue();
  await log.oldDetails(9_000);
  await log.idleThreads(namespace, 9_000);
  await log.removeDetails(["t1"], 9_000, { idle_since: 9_000, forgets: true });
  await log.disown(["t1"], "ada");
  await log.forget("t1", "ada", 9_000);
  await log.removeTurns(place, 10_000_000);
}

describe("the indexes of the turn log in PostgreSQL", needs("postgresql"), () => {
  beforeAll(() => testPostgres());

  it("no statement of the turn log walks over all turns or events", async () => {
    const { log, connection, asked } = await openRecorded();
    await addFinished(connection, 1, 5_000);
    await useEverything(log);
    const scans: { sql: string; step: Step }[] = [];
    const explained = [...asked].filter(([sql]) => /turns|events|signals|threads/.test(sql));
    for (const one of explained)
      for (const step of await stepsOf(connection, one)) if (isScan(step)) scans.push({ sql: one[0], step });
    expect(explained.length).toBeGreaterThan(40);
    expect(scans).toEqual([]);
    expect((await stepsOf(connection, ["SELECT key FROM turns WHERE answer = ''", []])).some(isScan)).toBe(
      true,
    );
  });

  it("a claim looks at as many rows among many finished turns as among few, and at none that is queued", async () => {
    const { log, connection, asked } = await openRecorded();
    /** Rows that the statements of a claim look at, with 60 ready turns of three namespaces and 40 turns queued. */
    const looksAt = async () => {
      asked.clear();
      expect(await claimAt(log, 1_000, "w1", 500)).toBeDefined();
      const claim = [...asked].filter(([sql]) => sql.includes("ready"));
      expect(claim.length).toBeGreaterThan(1);
      const steps: Step[] = [];
      for (const one of claim) steps.push(...(await stepsOf(connection, one, true)));
      return steps
        .filter((step) => step["Relation Name"] === "turns")
        .reduce(
          (sum, step) =>
            sum +
            ((step["Actual Rows"] ?? 0) + (step["Rows Removed by Filter"] ?? 0)) *
              (step["Actual Loops"] ?? 1),
          0,
        );
    };
    for (let at = 0; at < 100; at += 1) {
      const thread = at < 60 ? `thread-${at}` : "thread-0";
      await log.accept(inbound(`k${at}`, { namespace: `slack:w:c${at % 3}`, thread }), `t${at}`, 1);
    }
    const few = await looksAt();
    await addFinished(connection, 1, 20_000);
    const many = await looksAt();
    expect(few).toBeLessThan(30);
    expect(many).toBeLessThan(30);
  });
});

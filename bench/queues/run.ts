/** Compares queues on PostgreSQL and prints a table. README.md says how to run it. */
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Sender } from "./engine.ts";
import { contestants } from "./engines.ts";
import manifest from "./package.json" with { type: "json" };
import { now, type Report, Reports } from "./reports.ts";

const lines = 20;
const jobs = 400;
const pickUps = 100;
/** Measured rounds of all jobs, after one that warms everything up. */
const rounds = 3;
/** How long the workers are left alone before and while their transactions are counted, ms. */
const settleMs = 5_000;
const idleMs = 20_000;
/** An engine that makes no progress for so long is ended, ms. */
const patienceMs = 60_000;

const [address, only = ""] = process.argv.slice(2);
if (address === undefined) throw new Error("Usage: node run.ts postgres://user:password@host:port/database");
const admin = new Client({ connectionString: address });
await admin.connect();

/** A run of one engine in its own database. */
interface Trial {
  engine: (typeof contestants)[number];
  url: string;
  sender: Sender;
  reports: Reports;
  workers: Map<string, ChildProcess>;
  /** The number of the next job. */
  next: number;
}

async function tryOut(engine: (typeof contestants)[number]): Promise<string[]> {
  await dropDatabase();
  await admin.query("CREATE DATABASE bench_queues");
  const url = new URL("/bench_queues", address).href;
  const sender = await (await engine.load()).send(url);
  const trial: Trial = { engine, url, sender, reports: new Reports(), workers: new Map(), next: 0 };
  try {
    for (const id of ["one", "two"]) await startWorker(trial, id);
    const idle = await idleTransactions();
    const rate = await throughput(trial);
    const pickUp = await pickUpTimes(trial);
    const takeover = await killOne(trial);
    const order = trial.reports.isInOrder(lines) ? "kept" : "BROKEN";
    return [engine.name, pickUp, idle, rate, takeover, order];
  } finally {
    for (const worker of trial.workers.values()) worker.kill("SIGKILL");
    await sender.close();
  }
}

/** Waits for the connections of ended processes first, because an engine may fail on one that the server ends. */
async function dropDatabase(): Promise<void> {
  const connections = "SELECT 1 FROM pg_stat_activity WHERE datname = 'bench_queues'";
  while ((await admin.query(connections)).rows.length > 0) await sleep(100);
  await admin.query("DROP DATABASE IF EXISTS bench_queues");
}

async function startWorker({ engine, url, reports, workers }: Trial, id: string): Promise<void> {
  const worker = fork(new URL("worker.ts", import.meta.url), [engine.name, url, id], {
    execArgv: ["--no-deprecation"],
  });
  workers.set(id, worker);
  const before = reports.of("ready").length;
  worker.on("message", (report) => reports.add(report as Report));
  const isReady = await reports.until(() => reports.of("ready").length > before, patienceMs);
  if (!isReady) throw new Error(`A worker of ${engine.name} did not start`);
}

/** Transactions per second of two workers that have nothing to do. */
async function idleTransactions(): Promise<string> {
  const count = async () => {
    const sql =
      "SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'bench_queues'";
    return Number((await admin.query(sql)).rows[0].n);
  };
  await sleep(settleMs);
  const before = await count();
  await sleep(idleMs);
  return (((await count()) - before) / (idleMs / 1000)).toFixed(1);
}

/** Adds jobs: in the order of each line, and to all lines at once. */
async function addAll(trial: Trial): Promise<void> {
  const first = trial.next;
  trial.next += jobs;
  const addLine = async (line: number) => {
    for (let number = first + line; number < first + jobs; number += lines)
      await trial.sender.add({ number, line: `line-${line}` });
  };
  await Promise.all(Array.from({ length: lines }, (_, line) => addLine(line)));
}

/** Jobs per second, from the first call that adds one to the end of the last. */
async function throughput(trial: Trial): Promise<string> {
  const { reports } = trial;
  const rates: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const first = trial.next;
    const from = now();
    await addAll(trial);
    const isDone = await reports.until(() => reports.of("ended", first).length >= jobs, patienceMs);
    if (!isDone) return "stuck";
    const last = Math.max(...reports.of("ended", first).map(({ at }) => at));
    rates.push((jobs / (last - from)) * 1000);
  }
  const [, ...measured] = rates;
  return `${measured.sort((a, b) => a - b)[rounds >> 1]?.toFixed(0)}`;
}

/** From the call that adds a job to its start, while nothing else is to do: median and 95th percentile. */
async function pickUpTimes(trial: Trial): Promise<string> {
  const { sender, reports } = trial;
  const times: number[] = [];
  for (let count = 0; count < pickUps; count += 1) {
    const number = trial.next++;
    const from = now();
    await sender.add({ number, line: `line-${number % lines}` });
    await reports.until(() => reports.of("ended", number).length > 0, patienceMs);
    times.push((reports.of("started", number)[0]?.at ?? Number.NaN) - from);
    // Anywhere between two looks of an engine that looks now and then.
    await sleep(50 + Math.random() * 500);
  }
  times.sort((a, b) => a - b);
  return `${times[pickUps / 2]?.toFixed(0)} / ${times[pickUps * 0.95]?.toFixed(0)}`;
}

/** Kills a worker that holds jobs and starts another one. */
async function killOne(trial: Trial): Promise<string> {
  const { reports, workers, engine } = trial;
  const first = trial.next;
  const of = (what: "started" | "ended") => reports.of(what, first);
  const ended = () => new Set(of("ended").map(({ number }) => number));
  const held = () => new Set(of("started").flatMap((one) => (one.worker === "one" ? one.number : [])));
  const adding = addAll(trial);
  const isInTheMiddle = () => ended().size > jobs / 4 && held().difference(ended()).size >= 2;
  if (!(await reports.until(isInTheMiddle, patienceMs))) return "stuck before";
  const killedAt = now();
  workers.get("one")?.kill("SIGKILL");
  await startWorker(trial, engine.keepsId ? "one" : "three");
  await adding;
  const isDone = await reports.until(() => ended().size >= jobs, patienceMs);
  const seconds = (at = Number.NaN) => `${((at - killedAt) / 1000).toFixed(1)} s`;
  const before = new Set(of("started").flatMap(({ number, at }) => (at < killedAt ? number : [])));
  const again = of("started").filter(({ number, at }) => at > killedAt && before.has(number));
  const result = isDone
    ? `all, in ${seconds(of("ended").at(-1)?.at)}`
    : `${ended().size} of ${jobs}, then stuck`;
  return again.length === 0 ? result : `${result}; ${again.length} again, from ${seconds(again[0]?.at)} on`;
}

const { rows } = await admin.query("SHOW server_version");
const versions = Object.entries(manifest.dependencies).map(([name, version]) => `${name} ${version}`);
console.log(
  `${new Date().toISOString().slice(0, 10)}, PostgreSQL ${rows[0].server_version}, Node ${process.version}, ` +
    `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, ${versions.join(", ")}\n`,
);
console.log("| engine | pick-up p50 / p95, ms | idle transactions/s | jobs/s | after SIGKILL | order |");
console.log("|---|---|---|---|---|---|");
for (const engine of contestants) {
  if (engine.name.includes(only)) console.log(`| ${(await tryOut(engine)).join(" | ")} |`);
}
console.log(`\nLoad at the end: ${loadavg()[0]?.toFixed(1)}`);
await dropDatabase();
await admin.end();

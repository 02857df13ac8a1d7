import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../src/app/app.ts";
import { builtProgram } from "../test/support/bot/built-program.ts";
import { needs } from "../test/support/needs.ts";
import { startPostgres, type TestPostgres } from "../test/support/postgres.ts";
import type { BatchCost } from "./batches.ts";
import { asker, createBenchApp, mockChoice, namespace } from "./bench-app.ts";
import { type BenchPlace, copyTurn, openBenchStores } from "./bench-stores.ts";
import { addressOf, stop } from "./bot-child.ts";
import { type MockModel, startSide } from "./child.ts";
import { storeEarlierTurns } from "./earlier-turns.ts";
import { limited, type Measure, median, relative } from "./measure.ts";
import { startBot } from "./start-up.ts";
import { rotate } from "./turn-overhead.ts";
import { question } from "./workload.ts";

/** Turns of a full log. */
const stored = 100_000;
/** Messages whose claim is measured, after some that warm up. */
const messages = 200;
const warmUp = 50;
/** How long a bot is left alone before and while its transactions are counted, ms. */
const settleMs = 10_000;
const idleMs = 30_000;

type MakePlace = (store: "sqlite" | "postgres", name: string) => Promise<BenchPlace>;

/**
 * The same figures with the data in PostgreSQL and in SQLite files. The server runs on this machine with its default settings, so it waits
 * for the disk.
 */
export async function measurePostgres(mock: MockModel, folder: string): Promise<Measure[]> {
  if (needs("postgresql").skip) {
    console.error("PostgreSQL: not measured, because the server's programs are missing");
    return [];
  }
  const server = await startPostgres();
  const makePlace: MakePlace = async (store, name) => {
    const place = { folder: path.join(folder, `${store}-${name}`) };
    await mkdir(place.folder);
    if (store === "sqlite") return place;
    await server.query(`CREATE DATABASE knack_${name}`);
    return { ...place, database_url: new URL(`/knack_${name}`, server.url).href };
  };
  const measures = [
    ...(await measureClaims(mock, makePlace)),
    ...(await measureTurnsOn(mock, makePlace)),
    await measureIdle(server, await makePlace("postgres", "idle")),
  ];
  await server.stop();
  return measures;
}

/** The time from a message to the claim of its turn, in a bot that has nothing else to do. */
async function measureClaims(mock: MockModel, makePlace: MakePlace): Promise<Measure[]> {
  const sqlite = await claimTimes(mock, await makePlace("sqlite", "claims"));
  const postgres = await claimTimes(mock, await makePlace("postgres", "claims"));
  const row = (name: string, percent: number, target: number) => {
    const at = (messages * percent) / 100 - 1;
    const [ours = Number.NaN, beside = Number.NaN] = [postgres[at], sqlite[at]];
    return limited({ name: `Message to claim, PostgreSQL, ${name}`, ours, beside, target, unit: "ms" });
  };
  return [row("median", 50, 20), row("95th percentile", 95, 50)];
}

/** In ascending order, ms. */
async function claimTimes(mock: MockModel, place: BenchPlace): Promise<number[]> {
  const { close, ...stores } = await openBenchStores(place);
  let claimedAt = 0;
  const claim: typeof stores.log.claim = async (...args) => {
    const claimed = await stores.log.claim(...args);
    if (claimed !== undefined) claimedAt = performance.now();
    return claimed;
  };
  const log = { ...stores.log, claim };
  const running = await createBenchApp({ ...stores, log, model: mockChoice(mock.url) });
  running.start();
  const times: number[] = [];
  for (let turn = 0; turn < warmUp + messages; turn += 1) {
    const from = performance.now();
    await runTurn(running.app, `thread-${turn}`, question(turn));
    times.push(claimedAt - from);
    await sleep(20 * Math.random());
  }
  await running.stop(1_000);
  await close();
  return times.slice(warmUp).sort((a, b) => a - b);
}

/** Says something and waits for the end of its turn. Deltas may be missing, because the answer can be complete before anyone reads it. */
async function runTurn(app: App, thread: string, text: string): Promise<void> {
  const submitted = await app.submit({ namespace, thread, text, author: asker });
  if (!submitted.ok) throw new Error(submitted.message);
  const events = await app.events(submitted.value.turn_id, -1, new AbortController().signal);
  const end = (await Array.fromAsync(events ?? [])).at(-1);
  if (end?.type !== "turn_finished" || end.outcome !== "completed")
    throw new Error("The turn was not completed");
}

/** A turn as in `freshThread`, on an empty log and on a full one. */
async function measureTurnsOn(mock: MockModel, makePlace: MakePlace): Promise<Measure[]> {
  const full = { sqlite: await makePlace("sqlite", "full"), postgres: await makePlace("postgres", "full") };
  await fill(full.sqlite);
  await fill(full.postgres);
  const places = [
    ...[await makePlace("sqlite", "empty"), full.sqlite],
    ...[await makePlace("postgres", "empty"), full.postgres],
  ];
  const start = (place: BenchPlace) =>
    startSide("knack-process.ts", { baseUrl: mock.url, earlier: 0, ...place });
  const sides = await Promise.all(places.map(start));
  await rotate(sides, 10, 20);
  const [sqlite = [], sqliteFull = [], postgres = [], postgresFull = []] = await rotate(sides, 10, 20);
  for (const side of sides) await side.stop();
  const beside = median(sqlite.map(({ cpuMs }) => cpuMs));
  return [
    limited({
      name: "CPU of a turn in the bot, PostgreSQL",
      ours: median(postgres.map(({ cpuMs }) => cpuMs)),
      beside,
      target: Number(Math.max(10, 1.5 * beside).toFixed(1)),
      unit: "ms",
    }),
    growth("PostgreSQL", postgresFull, postgres),
    growth("SQLite", sqliteFull, sqlite),
  ];
}

async function fill(place: BenchPlace): Promise<void> {
  const { log, close } = await openBenchStores(place);
  await storeEarlierTurns(log, "earlier", 1);
  await close();
  await copyTurn(place, stored - 1);
}

function growth(name: string, full: readonly BatchCost[], empty: readonly BatchCost[]): Measure {
  return relative({
    name: `Time of a turn after ${stored.toLocaleString("en")} others, ${name}`,
    ours: median(full.map(({ wallMs }) => wallMs)),
    baseline: median(empty.map(({ wallMs }) => wallMs)),
    ratio: median(full.map(({ wallMs }, at) => wallMs / (empty[at]?.wallMs ?? Number.NaN))),
    target: 1.2,
    unit: "ms",
  });
}

/** Transactions of a whole bot to which nobody talks. */
async function measureIdle(server: TestPostgres, { folder, database_url }: BenchPlace): Promise<Measure> {
  const count = async () => {
    const sql = "SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'knack_idle'";
    return Number((await server.query(sql))[0]?.n);
  };
  const bot = startBot(await builtProgram(), folder, { DATABASE_URL: database_url });
  await addressOf(bot);
  await sleep(settleMs);
  const before = await count();
  await sleep(idleMs);
  const ours = ((await count()) - before) / (idleMs / 1000);
  await stop(bot);
  return limited({ name: "Transactions of an idle bot, PostgreSQL", ours, target: 2, unit: "/s" });
}

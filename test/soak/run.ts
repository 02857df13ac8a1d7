/**
 * `npm run soak`: a real bot is killed again and again while clients send it messages, retry them under their keys, and answer what it
 * asks. Its model and the server that counts its effects run here, on the loopback. Prints what was lost, doubled or given up, and
 * ends with exit code 1 unless all of it is 0. What explains that is then in a file.
 *
 * `--messages 2000 --threads 200 --chat 100 --kills 100 --clients 24 --minutes 60`, with these defaults; so many messages of `--chat` come on
 * Slack, and as many on Discord. What is not done in time counts as lost.
 *
 * `--store postgres`: several processes on a PostgreSQL server of their own, `--roles gateway,gateway,worker,worker,worker`;
 * `--kills 110 --pauses 4 --cuts 20 --restarts 1` says how often a process is killed, a worker stands still for 40 s, a process loses
 * connections, and the server restarts. The server has PostgreSQL's own settings, so it syncs what it writes; the first line says so.
 *
 * `--missed 10`: instead, so many times, what becomes of messages that were written while a bot on both platforms was down (missed.ts).
 *
 * `--measure`: instead, how much faster two workers are than one, and how soon another worker takes over from one that was killed.
 */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Role, roleNames } from "./fleet.ts";
import { measure } from "./measure.ts";
import { missed } from "./missed.ts";
import { formatLines, type Line } from "./report.ts";
import { type SoakResult, type SoakSize, soak } from "./soak.ts";
import { type StoreName, storeNames } from "./store.ts";

/** What each store can do, and how much of it by default. */
const sizes: Record<StoreName, SoakSize> = {
  sqlite: {
    messages: 2_000,
    threads: 200,
    chat: 100,
    clients: 24,
    minutes: 60,
    kills: 100,
    pauses: 0,
    cuts: 0,
    restarts: 0,
  },
  postgres: {
    messages: 2_000,
    threads: 200,
    chat: 100,
    clients: 24,
    minutes: 60,
    kills: 110,
    pauses: 4,
    cuts: 20,
    restarts: 1,
  },
};

const usualRoles: Record<StoreName, string> = {
  sqlite: "all",
  postgres: "gateway,gateway,worker,worker,worker",
};

/** The most of each: a run has an end. */
const most: SoakSize = {
  messages: 100_000,
  threads: 10_000,
  chat: 10_000,
  clients: 200,
  minutes: 1_440,
  kills: 10_000,
  pauses: 1_000,
  cuts: 10_000,
  restarts: 1_000,
};

/** Four leases. */
const pauseMs = 40_000;

const names = Object.keys(most) as (keyof SoakSize)[];
/** These may be 0. */
const maybeNone: readonly (keyof SoakSize)[] = ["chat", "kills", "pauses", "cuts", "restarts"];

function optionsFrom(argv: readonly string[]) {
  const number = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      store: { type: "string", default: "sqlite" },
      roles: { type: "string" },
      measure: { type: "boolean", default: false },
      missed: { type: "string", default: "0" },
      ...{ messages: number, threads: number, chat: number, clients: number, minutes: number },
      ...{ kills: number, pauses: number, cuts: number, restarts: number },
    },
  });
  const store = storeNames.find((name) => name === values.store);
  if (store === undefined) throw new Error(`--store must be one of ${storeNames.join(", ")}.`);
  const size = { ...sizes[store] };
  for (const name of names) size[name] = numberFrom(name, store, values[name]);
  return {
    store,
    roles: rolesFrom(store, values.roles),
    measures: values.measure,
    runs: Number(values.missed),
    size,
  };
}

function rolesFrom(store: StoreName, given = usualRoles[store]): Role[] {
  const roles = given.split(",").map((word) => roleNames.find((name) => name === word));
  const known = roles.filter((role) => role !== undefined);
  if (known.length < roles.length || !known.some((role) => role !== "worker"))
    throw new Error(
      `--roles must be some of ${roleNames.join(", ")}, with commas; clients need one that is no worker.`,
    );
  if (store === "sqlite" && known.length > 1) throw new Error("--roles needs --store postgres.");
  return known;
}

function numberFrom(name: keyof SoakSize, store: StoreName, given: string | undefined): number {
  const usual = sizes[store][name];
  if (given === undefined) return usual;
  if (usual === 0) throw new Error(`--${name} needs --store postgres.`);
  const number = Number(given);
  const least = maybeNone.includes(name) ? 0 : 1;
  if (!Number.isInteger(number) || number < least || number > most[name])
    throw new Error(`--${name} must be a whole number from ${least} to ${most[name]}.`);
  return number;
}

async function runSoak(store: StoreName, roles: readonly Role[], size: SoakSize): Promise<Line[]> {
  const began = performance.now();
  const { lines, evidence } = await soak({
    size,
    store,
    roles,
    pauseMs,
    synced: true,
    tell(ended) {
      console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${ended} turns have ended`);
    },
  });
  if (lines.some(isWrong)) console.error(`What explains it is in ${await keep(lines, evidence)}`);
  return lines;
}

/** Writes what explains the wrong lines into a file, and returns its path. */
async function keep(
  lines: readonly Line[],
  { seen, stored, shown, logs }: SoakResult["evidence"],
): Promise<string> {
  const wrong = new Set(lines.flatMap((line) => line.wrong ?? []));
  const turns = stored
    .filter((thread) => thread.some(({ id }) => wrong.has(id)))
    .flat()
    .map((turn) => ({ ...turn, streamed: seen.streamed.get(turn.id) }));
  const path = join(tmpdir(), `knack-soak-${process.pid}.json`);
  const chats = shown.filter(({ name }) => wrong.has(name));
  await writeFile(path, JSON.stringify({ lines, turns, chats, logs }, null, 1));
  return path;
}

function isWrong({ wrong = [] }: Line): boolean {
  return wrong.length > 0;
}

/** Runs alternate between faults of reading alone and of everything, and between bots that live on and that are killed three times. */
async function runMissed(runs: number): Promise<Line[]> {
  const all: Line[] = [];
  for (let run = 0; run < runs; run += 1) {
    const failsAll = run % 2 === 1;
    const kills = run % 4 < 2 ? 0 : 3;
    const size = { threads: 4, faultMs: 75_000, limitMs: 600_000, failsAll, kills };
    const { lines, evidence } = await missed(size);
    console.error(`run ${run + 1}\n${formatLines(lines)}`);
    if (evidence.length > 0) console.error(JSON.stringify(evidence, null, 1));
    all.push(...lines.map((line) => ({ ...line, name: `${run + 1}: ${line.name}` })));
  }
  return all;
}

const { store, roles, measures, runs, size } = optionsFrom(process.argv.slice(2));
const lines = await (runs > 0 ? runMissed(runs) : measures ? measure() : runSoak(store, roles, size));
console.log(formatLines(lines));
process.exitCode = lines.some(isWrong) ? 1 : 0;

import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { BatchCost } from "./batches.ts";
import { type MockModel, type Side, startSide } from "./child.ts";
import { type Measure, median, relative } from "./measure.ts";

interface Overhead {
  /** The prefix of each row's name. */
  name: string;
  /** Turns the thread has already, two messages each; 0: every turn begins a thread. */
  earlier: number;
  /** How many turns a side runs before the next one's are run. */
  turns: number;
  /** How often the sides take turns before anything is measured: V8 needs some hundred turns to compile ours. */
  warmUp: number;
  /** How often they take turns then. */
  repetitions: number;
  targets: { memory: number; sqlite: number };
}

/** A turn in a new thread. */
export const freshThread: Overhead = {
  name: "CPU of a turn",
  earlier: 0,
  turns: 10,
  warmUp: 50,
  repetitions: 40,
  targets: { memory: 1.4, sqlite: 1.7 },
};

/** A turn in a long thread, which grows with each turn on both sides. */
export const longThread: Overhead = {
  name: "CPU of a turn after 1,000 messages",
  earlier: 500,
  turns: 2,
  warmUp: 20,
  repetitions: 20,
  targets: { memory: 1.5, sqlite: 1.5 },
};

/**
 * Client CPU of the same turn, ours against the bare loop's: three tool calls one after another, then a streamed answer of 100
 * chunks. The sides run in processes of their own, a few turns each in rotation, so that what else the machine does hits all
 * alike; the ratio is the median of the rotations.
 */
export async function measureTurns(overhead: Overhead, mock: MockModel, folder: string): Promise<Measure[]> {
  const { name, earlier, targets } = overhead;
  const files = path.join(folder, `log-${earlier}`);
  await mkdir(files);
  const settings = { baseUrl: mock.url, earlier };
  const [bare, memory, sqlite] = await Promise.all([
    startSide("bare-process.ts", settings),
    startSide("knack-process.ts", settings),
    startSide("knack-process.ts", { ...settings, folder: files }),
  ]);
  const sides = [bare, memory, sqlite];
  // In rotation too: V8 throws compiled code and heap away when a process has nothing to do for long.
  await rotate(sides, overhead.turns, overhead.warmUp);
  const costs = await rotate(sides, overhead.turns, overhead.repetitions);
  for (const side of sides) await side.stop();
  const [baseline = [], inMemory = [], inFile = []] = costs.map((all) => all.map(({ cpuMs }) => cpuMs));
  return [
    row(`${name}, log in memory`, inMemory, baseline, targets.memory),
    row(`${name}, SQLite log`, inFile, baseline, targets.sqlite),
  ];
}

/** Processes of each side that run one turn. */
const firstTurns = 7;

/** CPU of the first turn of a process, once the bot can be reached, against the bare loop's first. */
export async function measureFirstTurn(mock: MockModel): Promise<Measure[]> {
  const costs: number[][] = [[], []];
  for (let at = 0; at < firstTurns; at += 1) {
    for (const [side, file] of ["bare-process.ts", "knack-process.ts"].entries()) {
      const started = await startSide(file, { baseUrl: mock.url, earlier: 0 });
      costs[side]?.push((await started.run({ turns: 1 })).cpuMs);
      await started.stop();
    }
  }
  const [baseline = [], ours = []] = costs;
  return [row("CPU of the first turn of a process", ours, baseline, 2.5)];
}

/** The cost of a turn of each side in each rotation. */
export async function rotate(
  sides: readonly Side[],
  turns: number,
  repetitions: number,
): Promise<BatchCost[][]> {
  const costs = sides.map((): BatchCost[] => []);
  for (let at = 0; at < repetitions; at += 1) {
    for (const [index, side] of sides.entries()) costs[index]?.push(await side.run({ turns }));
  }
  return costs;
}

function row(name: string, ours: readonly number[], baseline: readonly number[], target: number): Measure {
  const ratio = median(ours.map((cost, at) => cost / (baseline[at] ?? Number.NaN)));
  return relative({ name, ours: median(ours), baseline: median(baseline), ratio, target, unit: "ms" });
}

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { builtProgram, startOptions } from "../test/support/bot/built-program.ts";
import { addressOf, stop } from "./bot-child.ts";
import { limited, type Measure, median } from "./measure.ts";

/** How long a bot is left alone before its memory is read, ms. */
const idleFor = 1500;

/** `knack start` in an empty folder: until it answers `/readyz`, and the memory it takes when nobody talks to it; `knack --help`. */
export async function measureStartUp(folder: string): Promise<Measure[]> {
  const program = await builtProgram();
  const ready: number[] = [];
  const memory: number[] = [];
  const help: number[] = [];
  for (let at = 0; at < 3; at += 1) {
    const home = path.join(folder, `home-${at}`);
    await mkdir(home);
    help.push(await timeOfHelp(program));
    const from = performance.now();
    const bot = startBot(program, home);
    try {
      const answer = await fetch(new URL("/readyz", await addressOf(bot)));
      if (!answer.ok) throw new Error(`The bot is not ready: ${await answer.text()}`);
      ready.push(performance.now() - from);
      await sleep(idleFor);
      memory.push(await residentMegabytes(bot));
    } finally {
      await stop(bot);
    }
  }
  return [
    limited({ name: "Start of the bot until ready", ours: median(ready), target: 1000, unit: "ms" }),
    limited({ name: "Memory of the idle bot", ours: median(memory), target: 125, unit: "MB" }),
    limited({ name: "knack --help", ours: median(help), target: 150, unit: "ms" }),
  ];
}

async function timeOfHelp(program: string): Promise<number> {
  const from = performance.now();
  await promisify(execFile)(process.execPath, [program, "--help"]);
  return performance.now() - from;
}

/** Starts a bot without a model in a folder of its own, with more variables if there are any. */
export function startBot(program: string, home: string, more: NodeJS.ProcessEnv = {}): ChildProcess {
  const data = path.join(home, "data");
  const env = { PATH: process.env.PATH, KNACK_DATA: data, KNACK_MODEL: "offline", ...more };
  // As `npm start` does.
  const args = [...startOptions, program, "start", "--port", "0"];
  return spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Resident memory as `ps` tells it. */
async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout) / 1024;
}

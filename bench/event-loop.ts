import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { createApiClient } from "../src/client/api-client.ts";
import { builtProgram } from "../test/support/bot/built-program.ts";
import { addressOf, stop } from "./bot-child.ts";
import type { MockModel } from "./child.ts";
import type { LongestBlock } from "./loop-watch.ts";
import { limited, type Measure, median } from "./measure.ts";

const watch = new URL("./loop-watch.ts", import.meta.url).href;

/** Runs of each input; the result is the median of their longest blocks. */
const runs = 5;
const followers = 500;
const target = 200;
const namespace = "console:local:bench";

/** Inputs of one person, by name. */
const inputs: Readonly<Record<string, (bot: Bot, run: number) => Promise<void>>> = {
  "a CSV file of 8.7 MB": (bot, run) => ask(bot, run, { text: "How many rows?", file: csv() }),
  "a message of 1.9 MB": (bot, run) => ask(bot, run, { text: words(1_900_000) }),
  [`${followers} followers of one answer`]: followed,
  "300,000 arguments": (bot) => runSkill(bot, 300_000),
  "4,000 arguments": (bot) => runSkill(bot, 4_000),
};

/** The longest time for which one person's input blocks a whole bot. */
export async function measureEventLoop(mock: MockModel, folder: string): Promise<Measure[]> {
  const home = path.join(folder, "event-loop");
  await mkdir(home);
  const child = await startBot(home, new URL("/paced/v1", mock.url).href);
  try {
    const bot = { child, url: await addressOf(child) };
    // Loading for the first message and compiling for the next ones must not count towards an input.
    for (let run = 0; run < 3; run += 1) await ask(bot, `first-${run}`, { text: "Hello", file: csv(10_000) });
    const measures: Measure[] = [];
    for (const [name, send] of Object.entries(inputs)) {
      const blocks: LongestBlock[] = [];
      for (let run = 0; run < runs; run += 1) {
        await longestBlock(child);
        await send(bot, run);
        blocks.push(await longestBlock(child));
      }
      const of = (kind: keyof LongestBlock) => median(blocks.map((block) => block[kind]));
      measures.push(
        limited({ name: `Event loop blocked by ${name}`, ours: of("wall"), target, unit: "ms" }),
        limited({ name: "  by its own work alone", ours: of("cpu"), target, unit: "ms" }),
      );
    }
    return measures;
  } finally {
    await stop(child);
  }
}

interface Bot {
  child: ChildProcess;
  url: string;
}

interface Message {
  text: string;
  file?: string;
}

async function submit({ url }: Bot, thread: string | number, { text, file }: Message): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ namespace, thread: `t-${thread}`, text }))
    form.set(name, value);
  if (file !== undefined) form.set("file", new File([file], "table.csv", { type: "text/csv" }));
  const json = JSON.stringify({ namespace, thread: `t-${thread}-${text.length}`, text });
  const response = await fetch(`${url}/api/v1/turns`, {
    method: "POST",
    ...(file === undefined
      ? { body: json, headers: { "content-type": "application/json" } }
      : { body: form }),
  });
  const { turn_id } = (await response.json()) as { turn_id?: string };
  if (turn_id === undefined) throw new Error(`The message was refused: ${response.status}`);
  return turn_id;
}

async function ask(bot: Bot, run: string | number, message: Message): Promise<void> {
  await follow(bot, await submit(bot, `${run}-${message.text.length}`, message));
}

async function follow({ url }: Bot, turnId: string): Promise<void> {
  const client = createApiClient({ fetch, baseUrl: url });
  for await (const event of client.turnEvents(turnId)) if (event.type === "turn_finished") return;
}

async function followed(bot: Bot, run: number): Promise<void> {
  const turnId = await submit(bot, `followed-${run}`, { text: "What is open?" });
  await Promise.all(Array.from({ length: followers }, () => follow(bot, turnId)));
}

/** A heavy request that may be refused, as long as it blocks no one. */
async function runSkill({ url }: Bot, count: number): Promise<void> {
  const params = Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 1]));
  const response = await fetch(`${url}/api/v1/skills/text-analyzer/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ params, namespace }),
  });
  await response.text();
}

async function longestBlock(child: ChildProcess): Promise<LongestBlock> {
  child.send("longest");
  const [longest] = await once(child, "message");
  return longest;
}

function csv(bytes = 8_700_000): string {
  const row = "2026-01-01,north,4711,17.25,open\n";
  return `day,region,order,price,state\n${row.repeat(bytes / row.length)}`;
}

function words(characters: number): string {
  return "What do you make of this text, and who wrote it? ".repeat(characters / 49);
}

async function startBot(home: string, modelUrl: string): Promise<ChildProcess> {
  return spawn(process.execPath, ["--import", watch, await builtProgram(), "start", "--port", "0"], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      KNACK_DATA: path.join(home, "data"),
      KNACK_MODEL: "openai/bench",
      OPENAI_API_KEY: "bench-key",
      OPENAI_BASE_URL: modelUrl,
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

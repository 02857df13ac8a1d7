import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createApiClient } from "../src/client/api-client.ts";
import { builtProgram } from "../test/support/bot/built-program.ts";
import { namespace } from "./bench-app.ts";
import { addressOf, stop } from "./bot-child.ts";
import type { MockModel } from "./child.ts";
import { writeDocumentSkills } from "./document-skills.ts";
import { writeImportedSkills } from "./imported-skills.ts";
import { type Measure, median, relative } from "./measure.ts";
import { question } from "./workload.ts";

const toolServer = fileURLToPath(new URL("./tool-server-process.ts", import.meta.url));

const repetitions = 7;

/** The behaviour of the 20 servers at start, in the order of the file: servers that delay others come first. */
const servers = [
  ...["hanging", "missing", "slow", "broken"],
  ...["hanging", "missing", "slow", "broken"],
  ...Array.from({ length: 12 }, () => "ready"),
];
const usable = servers.filter((kind) => kind === "slow" || kind === "ready").length;

/**
 * `knack start` with 200 imported and 200 document skills, until the first message is answered, on a new data folder: with 20 tool
 * servers nobody needs against none, first when nothing is known of the servers, then when their tools are remembered.
 */
export async function measureFirstAnswer(mock: MockModel, folder: string): Promise<Measure[]> {
  const root = path.join(folder, "first-answer");
  const skills = path.join(root, ".knack-workspace", "skills");
  await writeImportedSkills(skills, 200);
  await writeDocumentSkills(skills, 200);
  await writeFile(path.join(root, "none.json"), "{}");
  await writeFile(path.join(root, "twenty.json"), JSON.stringify({ mcpServers: serverEntries() }));
  const bench = { root, mock };
  const remembered = await rememberServers(bench);
  const times: { none: number; unknown: number; known: number }[] = [];
  for (let at = 0; at < repetitions; at += 1) {
    const none = await firstAnswer(bench, "none.json", path.join(root, `data-none-${at}`));
    const unknown = await firstAnswer(bench, "twenty.json", path.join(root, `data-unknown-${at}`));
    const data = path.join(root, `data-known-${at}`);
    await cp(remembered, data, { recursive: true });
    times.push({ none, unknown, known: await firstAnswer(bench, "twenty.json", data) });
  }
  const row = (name: string, kind: "unknown" | "known"): Measure =>
    relative({
      name,
      ours: median(times.map((time) => time[kind])),
      baseline: median(times.map((time) => time.none)),
      ratio: median(times.map((time) => time[kind] / time.none)),
      target: 1.25,
      unit: "ms",
    });
  return [
    row("First answer with 20 tool servers, unknown", "unknown"),
    row("First answer with 20 tool servers, known", "known"),
  ];
}

interface Bench {
  root: string;
  mock: MockModel;
}

function serverEntries(): Record<string, object> {
  const entries = servers.map((kind, at) => {
    const name = `server-${at}`;
    if (kind === "missing") return [name, { command: "a-program-that-nobody-has" }];
    return [name, { command: process.execPath, args: [toolServer, kind, name] }];
  });
  return Object.fromEntries(entries);
}

/** A data folder with the remembered tools of the usable servers. */
async function rememberServers(bench: Bench): Promise<string> {
  const data = path.join(bench.root, "data-remembered");
  const bot = await startBot(bench, "twenty.json", data, 5);
  try {
    const client = createApiClient({ fetch, baseUrl: await addressOf(bot) });
    for (;;) {
      if (
        (await client.call("server.list", {})).servers.filter(({ tools }) => tools.length > 0).length ===
        usable
      )
        return data;
      await sleep(100);
    }
  } finally {
    await stop(bot);
  }
}

/** Milliseconds from the start of the process to the end of the first turn. */
async function firstAnswer(bench: Bench, file: string, data: string): Promise<number> {
  const from = performance.now();
  const bot = await startBot(bench, file, data);
  try {
    const client = createApiClient({ fetch, baseUrl: await addressOf(bot) });
    const { turn_id } = await client.submitTurn({ namespace, text: question(1) });
    for await (const event of client.turnEvents(turn_id)) {
      if (event.type !== "turn_finished") continue;
      if (event.outcome === "completed") return performance.now() - from;
      throw new Error(`The turn ended ${event.outcome}: ${event.text}`);
    }
    throw new Error("The turn did not end");
  } finally {
    await stop(bot);
  }
}

async function startBot(
  { root, mock }: Bench,
  file: string,
  data: string,
  connect_seconds = 30,
): Promise<ChildProcess> {
  await mkdir(data, { recursive: true });
  const configFile = path.join(data, "knack.yaml");
  const settings = { mcp: { file: path.join(root, file), connect_seconds } };
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify(settings));
  const env = {
    PATH: process.env.PATH,
    KNACK_CONFIG: configFile,
    KNACK_DATA: data,
    KNACK_MODEL: "openai/bench",
    OPENAI_API_KEY: "bench-key",
    OPENAI_BASE_URL: mock.url,
    LOG_LEVEL: "error",
  };
  const args = [await builtProgram(), "start", "--port", "0"];
  return spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
}

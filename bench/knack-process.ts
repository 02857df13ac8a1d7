/** The whole app in a separate process. Argument: see `Settings`, as JSON. */
import type { RunningApp } from "../src/app/create-app.ts";
import { loadSdks } from "../src/models/create-models.ts";
import { createMemoryKeyValue } from "../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../src/storage/memory-turn-log.ts";
import { ask } from "./ask.ts";
import { serveBatches } from "./batches.ts";
import { asker, createBenchApp, lookupFolder, mockChoice, namespace } from "./bench-app.ts";
import { openBenchStores } from "./bench-stores.ts";
import { storeEarlierTurns } from "./earlier-turns.ts";
import { question } from "./workload.ts";

interface Settings {
  baseUrl: string;
  /** Turns that the thread has already; without any, each turn has a thread of its own. */
  earlier: number;
  /** The data folder, with SQLite files if there is no database; without a folder, everything is in memory. */
  folder?: string;
  database_url?: string;
}

const { baseUrl, earlier, folder, database_url } = JSON.parse(process.argv[2] ?? "{}") as Settings;

const stores = folder === undefined ? inMemory() : await openBenchStores({ folder, database_url });
if (earlier > 0) {
  const first = await startApp();
  await ask(first.app, "thread", question(0));
  await first.stop(1_000);
  await storeEarlierTurns(stores.log, "thread", earlier - 1);
}
const { app } = await startApp();
// As the bot does once it can be reached.
await loadSdks(mockChoice(baseUrl));

let turns = 0;
serveBatches(async () => {
  turns += 1;
  const toolCalls = await ask(app, earlier > 0 ? "thread" : `thread-${turns}`, question(turns));
  if (toolCalls !== 3) throw new Error(`The turn made ${toolCalls} tool calls instead of 3`);
});

async function startApp(): Promise<RunningApp> {
  const running = await createBenchApp({
    model: mockChoice(baseUrl),
    ...stores,
    skills: [lookupFolder],
    transcript_tokens: 1_000_000,
  });
  const pinned = await running.app.run("skill.set", {
    input: { ns: namespace, id: "lookup", state: "pinned" },
    asker: { by: asker, namespace },
  });
  if (!pinned.ok) throw new Error(pinned.message);
  running.start();
  return running;
}

function inMemory() {
  return { log: createMemoryTurnLog(), store: createMemoryKeyValue() };
}

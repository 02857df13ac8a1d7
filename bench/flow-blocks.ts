import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { App } from "../src/app/app.ts";
import { createFlowSource } from "../src/flows/flow-source.ts";
import { createMemoryKeyValue } from "../src/storage/memory-key-value.ts";
import { openSqliteTurnLog } from "../src/storage/sqlite/sqlite-turn-log.ts";
import { asker, createBenchApp, mockChoice, namespace } from "./bench-app.ts";
import type { MockModel } from "./child.ts";
import { limited, type Measure, median } from "./measure.ts";

const warmUp = 10;
const runs = 50;

/** `/flow run` of 20 blocks, each a step that is journalled and shown; the model takes no part. */
export async function measureFlowBlocks(mock: MockModel, folder: string): Promise<Measure[]> {
  const root = path.join(folder, "flows");
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, "trivial.json"), JSON.stringify(trivialFlow()));
  const log = await openSqliteTurnLog(path.join(folder, "flows.db"));
  const running = await createBenchApp({
    model: mockChoice(mock.url),
    log,
    store: createMemoryKeyValue(),
    skills: [],
    sources: [createFlowSource({ source: "workspace", precedence: 4, root })],
  });
  running.start();
  const times: number[] = [];
  for (let run = 0; run < warmUp + runs; run += 1) {
    const from = performance.now();
    await runFlow(running.app, `thread-${run}`);
    if (run >= warmUp) times.push(performance.now() - from);
  }
  await running.stop(5_000);
  await log.close();
  return [limited({ name: "A flow of 20 trivial blocks", ours: median(times), target: 20, unit: "ms" })];
}

function trivialFlow() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of the flow.
  const check = { type: "condition", config: { if: { value: "${name}", is: "equals", to: "x" } } };
  const start = { type: "start", config: { variables: [{ name: "name", value: "x" }] } };
  return { name: "Trivial", steps: [start, ...Array.from({ length: 19 }, () => check)] };
}

async function runFlow(app: App, thread: string): Promise<void> {
  const submitted = await app.submit({ namespace, thread, text: "/flow run trivial", author: asker });
  if (!submitted.ok) throw new Error(submitted.message);
  const events = await app.events(submitted.value.turn_id, -1, new AbortController().signal);
  for await (const event of events ?? []) {
    if (event.type !== "turn_finished") continue;
    if (event.outcome === "completed") return;
    throw new Error(`The flow ended ${event.outcome}: ${event.text}`);
  }
  throw new Error("The turn did not end");
}

import type { App } from "../../src/app/app.ts";
import type { ScriptRunner } from "../../src/core/skill/programs.ts";
import { createMemoryKeyValue } from "../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../src/storage/memory-turn-log.ts";
import { price } from "../../test/support/vendors/model-prices.ts";
import type { RecordedRequest } from "../../test/support/vendors/recording.ts";
import type { Vendors } from "../../test/support/vendors/vendors.ts";
import { ask } from "../ask.ts";
import { benchWeb, createBenchApp } from "../bench-app.ts";
import { type PricedModel, prices, settingsFor } from "./models.ts";
import { createPlainAgent } from "./plain-agent.ts";
import { plainTools } from "./plain-tools.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Exchange, Task } from "./tasks.ts";

/** The model calls of one task. */
export interface TaskRun {
  task: Task;
  requests: readonly RecordedRequest[];
  /** US dollars. */
  price: number;
}

/** Scripts are offered, as where a sandbox is set up, and none is run. */
const scripts: ScriptRunner = {
  allows: async () => ({ ok: false, reason: "none runs in a benchmark" }),
  run: async () => ({ status: "refused", reason: "none runs in a benchmark" }),
};

/** A bot on the stand-in with everything around it. */
export function createPricedApp(model: PricedModel, vendors: Vendors, { sources }: Surroundings) {
  return createBenchApp({
    model: settingsFor(model, vendors),
    log: createMemoryTurnLog(),
    store: createMemoryKeyValue(),
    sources,
    scripts,
  });
}

/** The tasks one after another with the bot. */
export async function runWithKnack(
  model: PricedModel,
  vendors: Vendors,
  surroundings: Surroundings,
  tasks: readonly Task[],
): Promise<TaskRun[]> {
  const running = await createPricedApp(model, vendors, surroundings);
  running.start();
  try {
    return await runAll(tasks, vendors, (thread, exchange) => askKnack(running.app, thread, exchange));
  } finally {
    await running.stop(1_000);
  }
}

/** The tasks one after another with the plain loop. */
export async function runPlainly(
  model: PricedModel,
  vendors: Vendors,
  { sources }: Surroundings,
  tasks: readonly Task[],
): Promise<TaskRun[]> {
  const tools = await plainTools(sources, benchWeb(["127.0.0.1"]));
  const agent = createPlainAgent(model, vendors, tools);
  return runAll(tasks, vendors, (thread, { said }) => agent.ask(thread, said));
}

/** @throws Error when a call of the script did not succeed */
export async function askKnack(app: App, thread: string, { said, steps }: Exchange): Promise<void> {
  const finished = await ask(app, thread, said);
  if (finished !== steps.length)
    throw new Error(`“${said}” made ${finished} calls instead of ${steps.length}`);
}

async function runAll(
  tasks: readonly Task[],
  vendors: Vendors,
  say: (thread: string, exchange: Exchange) => Promise<unknown>,
): Promise<TaskRun[]> {
  const runs: TaskRun[] = [];
  for (const task of tasks) {
    const before = vendors.requests().length;
    const thread = (task.after ?? task.name).replaceAll(" ", "-");
    for (const exchange of task.exchanges) await say(thread, exchange);
    const requests = vendors.requests().slice(before);
    checkRequests(task, requests);
    runs.push({
      task,
      requests: requests.filter(({ usage }) => usage !== undefined),
      price: price(requests, prices),
    });
  }
  return runs;
}

/** A request that is refused may be part of how a server is got to know; the script may never be at fault. */
function checkRequests({ name, exchanges }: Task, requests: readonly RecordedRequest[]): void {
  const broken = requests.find(({ outcome }) => outcome === "broken" || outcome === "faulted");
  if (broken !== undefined)
    throw new Error(`The script of the task ${name} made a call that is not possible`);
  const last = requests.at(-1);
  if (last?.reply?.text !== exchanges.at(-1)?.answer)
    throw new Error(`The task ${name} did not end with its answer`);
}

/** The parent's side: child processes that run turns, or serve as the model. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { BatchCost, BatchRequest } from "./batches.ts";

/** A process that runs turns. */
export interface Side {
  run(request: BatchRequest): Promise<BatchCost>;
  stop(): Promise<void>;
}

/** Starts `file` of this folder with `settings` as its argument, and waits until it is ready. */
export async function startSide(file: string, settings: object): Promise<Side> {
  const child = startChild(file, settings);
  await nextMessage(child, file);
  return {
    async run(request) {
      child.send(request);
      return (await nextMessage(child, file)) as BatchCost;
    },
    stop: () => stopChild(child),
  };
}

/** The mock model in its own process. */
export interface MockModel {
  /** Base URL of its OpenAI API. */
  url: string;
  stop(): Promise<void>;
}

export async function startMockModel(): Promise<MockModel> {
  const child = startChild("mock-model.ts", {});
  const origin = String(await nextMessage(child, "mock-model.ts"));
  return {
    url: `${origin}/v1`,
    stop: () => stopChild(child),
  };
}

function startChild(file: string, settings: object): ChildProcess {
  return fork(new URL(file, import.meta.url), [JSON.stringify(settings)], { execArgv: [] });
}

async function nextMessage(child: ChildProcess, file: string): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`${file} ended with ${code}; its message stands above`);
  });
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } finally {
    over.abort();
    ended.catch(() => {});
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.disconnect();
  await exited;
}

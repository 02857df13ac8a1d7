import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Feature } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { RecordedRequest } from "./recording.ts";
import type { ScriptedAnswer } from "./script.ts";
import type { VendorsOptions } from "./vendors.ts";

/** The stand-in in another process, so that a benchmark measures the bot alone. Its script is data. */
export interface SpawnedVendors {
  url: string;
  openAiUrl: string;
  anthropicUrl: string;
  compatibleUrl(kind: "deepseek" | "gemini" | "strict" | "plain"): string;
  requests(): Promise<RecordedRequest[]>;
  /** What the models say; the echo where no answer fits. */
  answers(answers: readonly ScriptedAnswer[]): Promise<void>;
  fail(fault: Fault): Promise<void>;
  refuse(model: string, ...features: Feature[]): Promise<void>;
  advance(ms: number): Promise<void>;
  reset(options?: Omit<VendorsOptions, "script" | "now">, answers?: readonly ScriptedAnswer[]): Promise<void>;
  stop(): Promise<void>;
}

type Control =
  | { type: "requests" }
  | { type: "answers"; answers: readonly ScriptedAnswer[] }
  | { type: "fail"; fault: Fault }
  | { type: "refuse"; model: string; features: readonly Feature[] }
  | { type: "advance"; ms: number }
  | {
      type: "reset";
      options: Omit<VendorsOptions, "script" | "now">;
      answers?: readonly ScriptedAnswer[] | undefined;
    };

export type ControlMessage = Control & { id: number };

export interface ControlReply {
  id: number;
  requests?: RecordedRequest[] | undefined;
}

/** Starts the stand-in in a separate process. */
export async function spawnVendors(): Promise<SpawnedVendors> {
  const script = fileURLToPath(new URL("./vendors-process.ts", import.meta.url));
  const child = fork(script, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  const waiting = new Map<number, (reply: ControlReply) => void>();
  child.on("message", (reply: ControlReply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  let number = 0;
  const control = (message: Control) => {
    number += 1;
    const { promise, resolve } = Promise.withResolvers<ControlReply>();
    waiting.set(number, resolve);
    child.send({ ...message, id: number } satisfies ControlMessage);
    return promise;
  };
  const order = async (message: Control) => void (await control(message));
  return {
    url,
    openAiUrl: `${url}/v1`,
    anthropicUrl: url,
    compatibleUrl: (kind) => `${url}/${kind}/v1`,
    requests: async () => (await control({ type: "requests" })).requests ?? [],
    answers: (answers) => order({ type: "answers", answers }),
    fail: (fault) => order({ type: "fail", fault }),
    refuse: (model, ...features) => order({ type: "refuse", model, features }),
    advance: (ms) => order({ type: "advance", ms }),
    reset: (options = {}, answers = undefined) => order({ type: "reset", options, answers }),
    async stop() {
      if (child.exitCode !== null) return;
      const exit = once(child, "exit");
      child.disconnect();
      await exit;
    },
  };
}

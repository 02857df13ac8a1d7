import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ScriptOutcome } from "../../../src/core/ports/work-means.ts";
import type { SandboxLimits } from "../../../src/sandbox/isolation.ts";

/** One script of a skill, which `script-process.ts` runs in the sandbox. */
export interface ScriptRun {
  files: Record<string, string>;
  script: string;
  timeoutMs: number;
  limits?: Partial<SandboxLimits>;
}

export interface RanScript {
  isolation: { isolation: string; detail: string };
  outcome: ScriptOutcome;
}

/** What the process that runs the sandbox begins with. */
export interface BotProcess {
  user: BotUser;
  /** A program and its first arguments, which ends as the command that is appended to it. */
  startedBy?: readonly string[];
  /** File descriptors it inherits, by number. */
  descriptors?: Readonly<Record<number, number>>;
}

export type BotUser = "root" | "nobody" | "tester";

/** Tests that run as root try the sandbox of a root bot and that of an ordinary one; others can only try their own. */
export const botUsers: readonly BotUser[] = process.getuid?.() === 0 ? ["root", "nobody"] : ["tester"];

const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];

/** A bot in a process of its own, which ends when it is disposed of. */
export interface Bot<Request, Answer> extends AsyncDisposable {
  child: ChildProcess;
  /** One request at a time. @throws when the bot fails or ends */
  ask(request: Request): Promise<Answer>;
}

/** Starts a module of this folder as a bot: it answers each line of its input, a request, with a line. Both are JSON. */
export function startBot<Request, Answer>(
  module: string,
  { user, startedBy = [], descriptors = {} }: BotProcess,
): Bot<Request, Answer> {
  const [file = "", ...args] = [
    ...(user === "nobody" ? asNobody : []),
    ...startedBy,
    ...[process.execPath, join(import.meta.dirname, module)],
  ];
  const stdio: (number | "ignore" | "pipe")[] = ["pipe", "pipe", "pipe"];
  for (const [at, descriptor] of Object.entries(descriptors)) stdio[Number(at)] = descriptor;
  const options: SpawnOptions = { stdio: Array.from(stdio, (each) => each ?? "ignore") };
  const child = spawn(file, args, options);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("It has no input and output.");
  const closed = once(child, "close");
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  let asked = 0;
  let complaints = "";
  stderr.setEncoding("utf8").on("data", (text) => {
    complaints += text;
  });
  // Whoever asks learns of it from the answer that does not come.
  stdin.on("error", () => undefined);
  return {
    child,
    async ask(request) {
      asked += 1;
      stdin.write(`${JSON.stringify({ number: asked, request })}\n`);
      // A test that timed out leaves an answer behind.
      for (;;) {
        const line = await answers.next();
        if (line.done) {
          await closed;
          throw new Error(`The bot ended. ${complaints}`);
        }
        const { number, answer } = JSON.parse(line.value);
        if (number === asked) return answer;
      }
    },
    async [Symbol.asyncDispose]() {
      stdin.end();
      await closed;
    },
  };
}

/** For a module that `startBot` starts: answers each line until there are no more. */
export async function answerLines<Request>(answer: (request: Request) => Promise<unknown>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { number, request } = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ number, answer: await answer(request) })}\n`);
  }
}

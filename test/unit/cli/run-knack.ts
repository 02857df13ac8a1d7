import { PassThrough, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Bot, CommandProcess, RunningBot } from "../../../src/cli/command-context.ts";
import { checkBot } from "../../../src/cli/doctor/check-bot.ts";
import type { Finding } from "../../../src/cli/doctor/doctor-finding.ts";
import { runCommandLine } from "../../../src/cli/run-command-line.ts";

interface Options {
  bot?: Bot | Promise<Bot>;
  running?: () => RunningBot;
  env?: Record<string, string>;
  cwd: string;
  stdin?: string;
  /** Whether somebody sits there; what they type is written to `stdin` of the answer. */
  typing?: boolean;
  /** Servers of models on this machine. */
  localServers?: CommandProcess["localServers"];
  /** The time, ms. */
  now?: () => number;
}

/** Runs a command line in this process, with streams in memory. */
export function runKnack(argv: string[], options: Options) {
  const { context, keys, out, err, exits, listeners } = inMemory(options);
  return {
    code: runCommandLine(argv, context, "1.2.3"),
    stdin: keys,
    out,
    err,
    exits,
    /** Whether signals are taken, so that none kills the process. */
    takesSignals: () => listeners.size > 0,
    signal: () => {
      for (const listener of listeners) listener("SIGINT");
    },
  };
}

/** What `knack doctor` finds in a bot, without its tests of the machine, which take longer. */
export async function findingsOf(options: Options & { bot: Bot }): Promise<Finding[]> {
  return await Array.fromAsync(checkBot(inMemory(options).context, {}));
}

function inMemory({
  bot,
  running,
  env = {},
  cwd,
  stdin = "",
  typing = false,
  now = Date.now,
  localServers = [],
}: Options) {
  const out = memory();
  const err = memory();
  const listeners = new Set<(name: string) => void>();
  const exits: number[] = [];
  const keys = Object.assign(new PassThrough(), { isTTY: typing });
  if (!typing) keys.end(stdin);
  const context: CommandProcess = {
    stdin: keys,
    stdout: out.stream,
    stderr: err.stream,
    env,
    cwd,
    clock: { now, sleep: (_ms, signal) => setImmediate(undefined, { signal }) },
    localServers,
    async openBot() {
      if (bot === undefined) throw new Error("No bot may be opened here");
      return bot;
    },
    findRunningBot: async () => running?.() ?? { running: false },
    onSignal(_names, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exitAtOnce(code) {
      exits.push(code);
      err.stream.write(`exit ${code}\n`);
    },
  };
  return { context, keys, out, err, exits, listeners };
}

function memory() {
  let text = "";
  let wake = () => {};
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      wake();
      done();
    },
  });
  return {
    stream,
    text: () => text,
    async shows(part: string) {
      while (!text.includes(part)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

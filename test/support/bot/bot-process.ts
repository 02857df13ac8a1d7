import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type ApiClient, createApiClient } from "../../../src/client/api-client.ts";
import { builtProgram, startOptions } from "./built-program.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How a process ended: its exit code, or null when a signal killed it. */
type ExitCode = number | null;

/** A `knack` command in a separate process. */
export interface KnackProcess {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  /** The output so far. */
  out(): string;
  err(): string;
  /** Resolves when stderr contains the text. */
  says(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** The exit code, when the process has ended and its output was read. */
  exited: Promise<ExitCode>;
}

/** A bot that listens. */
export interface BotProcess extends KnackProcess {
  url: string;
  client: ApiClient;
  /** kill -9: nothing is drained, flushed or closed. */
  kill(): Promise<void>;
  /** SIGTERM, and the exit code. */
  terminate(): Promise<ExitCode>;
}

export interface StartOptions {
  port?: number;
  /** The part of the work it does; all of it by default. */
  role?: string;
  env?: Record<string, string>;
  /** Another version of the bot: its program. */
  program?: string | undefined;
}

/** Where a bot lives: a working folder with a data folder, an environment and a configuration file. */
export interface BotHome {
  folder: string;
  data: string;
  /** Starts the bot and resolves when it is ready. */
  start(options?: StartOptions): Promise<BotProcess>;
  /** Starts any command. */
  spawn(argv: readonly string[], options?: Pick<StartOptions, "env" | "program">): KnackProcess;
  /** Runs a command to its end. */
  run(
    argv: readonly string[],
    options?: { env?: Record<string, string>; stdin?: string },
  ): Promise<{ code: ExitCode; stdout: string; stderr: string }>;
  /** Writes a file below the folder. */
  write(path: string, text: string): Promise<void>;
  /** Kills the processes started here and removes the folder. */
  remove(): Promise<void>;
}

/** @param config YAML of a configuration file; @param env added to an environment of PATH alone. */
export async function createBotHome({
  env = {},
  config = "",
}: {
  env?: Record<string, string>;
  config?: string;
} = {}): Promise<BotHome> {
  const cli = await builtProgram();
  const folder = await mkdtemp(join(tmpdir(), "knack-bot-"));
  const data = join(folder, "data");
  const children: Child[] = [];
  const base = {
    PATH: process.env.PATH ?? "",
    KNACK_DATA: data,
    KNACK_CONFIG: "knack.yaml",
    LOG_LEVEL: "warn",
    ...env,
  };
  const write = async (path: string, text: string) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await write("knack.yaml", config);

  const home: BotHome = {
    folder,
    data,
    write,
    spawn(argv, { env: more = {}, program = cli } = {}) {
      const options = argv[0] === "start" ? startOptions : [];
      const child = spawn(process.execPath, [...options, program, ...argv], {
        cwd: folder,
        env: { ...base, ...more },
        stdio: ["pipe", "pipe", "pipe"],
      });
      children.push(child);
      return watchProcess(child);
    },
    async run(argv, { stdin = "", ...options } = {}) {
      const child = home.spawn(argv, options);
      child.stdin.end(stdin);
      const code = await child.exited;
      return { code, stdout: child.out(), stderr: child.err() };
    },
    async start({ port = 0, role = "all", ...how } = {}) {
      const child = home.spawn(["start", "--role", role, "--port", String(port)], how);
      const url = await announcedUrl(child);
      const reconnect = { first_ms: 20, max_ms: 200, silence_ms: 45_000 };
      return {
        ...child,
        url,
        client: createApiClient({ fetch, baseUrl: url, reconnect }),
        async kill() {
          child.signal("SIGKILL");
          await child.exited;
        },
        async terminate() {
          child.signal("SIGTERM");
          return child.exited;
        },
      };
    },
    async remove() {
      for (const child of children.splice(0)) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exit = once(child, "exit");
        child.kill("SIGKILL");
        await exit;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
  return home;
}

function watchProcess(child: Child): KnackProcess {
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  // A command that does not read its input closes the pipe; that is its right.
  child.stdin.on("error", () => {});
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    out: out.text,
    err: err.text,
    says: err.holds,
    signal: (name) => void child.kill(name),
    exited: once(child, "close").then(([code]) => code as ExitCode),
  };
}

async function announcedUrl(child: KnackProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  const ended = child.exited.then((code) => {
    throw new Error(`The bot ended with ${code} before it was ready: ${child.err()}`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(lines, "line"), ended]);
  const url = /http:\/\/\S+/.exec(String(line))?.[0];
  if (url === undefined) throw new Error(`The bot's first line has no address: ${String(line)}`);
  return url;
}

function collect(stream: Readable): { text(): string; holds(part: string): Promise<void> } {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  return {
    text: () => text,
    async holds(part) {
      const over = once(stream, "close").then(() => {
        if (!text.includes(part)) throw new Error(`${JSON.stringify(part)} did not come. There was: ${text}`);
      });
      over.catch(() => {});
      while (!text.includes(part)) await Promise.race([once(stream, "data"), over]);
    },
  };
}

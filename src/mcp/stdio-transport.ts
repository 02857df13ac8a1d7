import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { Transport } from "@modelcontextprotocol/client";
import { asError } from "../base/error-text.ts";
import type { Clock } from "../core/ports/storage.ts";
import { guardGroup } from "../process/group-guard.ts";
import { endGroup, killGroup, spawnGroup } from "../process/process-group.ts";
import type { Target } from "./server-config.ts";
import { messagesIn, parseMarked, withExactNumbers } from "./server-message.ts";

/** Time that a server has to exit after its input was closed, ms. */
const graceMs = 1_000;

/** Maximum characters of one message; a server that writes more without a line break is broken. */
const maxMessage = 32 * 1024 * 1024;

/** Characters of stderr that are kept to explain a failure. */
const keptText = 4_000;

/** A process that speaks MCP on its standard streams. Unlike the SDK's own transport, it is killed together with everything it started. */
export interface StdioTransport extends Transport {
  /** These two tell the SDK that this is no HTTP: a server that does not answer its first question is an older one. */
  readonly stderr: null;
  readonly pid: number | null;
  /** Its latest output on stderr. */
  tail(): string;
  /** How it ended; undefined while it runs. */
  ending(): string | undefined;
  /** Kills the process and everything it started, immediately. */
  kill(): void;
}

/**
 * The only variables of the bot's environment passed on are those of its entry and those the SDK considers necessary for any server (PATH,
 * HOME …).
 * @param home absolute path of a folder that it is started in unless its entry names another. It is made if missing, for this user alone
 */
export async function createStdioTransport(
  target: Extract<Target, { type: "stdio" }>,
  clock: Pick<Clock, "after">,
  home?: string,
): Promise<StdioTransport> {
  const [{ getDefaultEnvironment }, { serializeMessage }] = await Promise.all([
    import("@modelcontextprotocol/client/stdio"),
    import("@modelcontextprotocol/client"),
  ]);
  const own = target.cwd === undefined ? home : undefined;
  if (own !== undefined) {
    await mkdir(own, { recursive: true });
    await chmod(own, 0o700);
  }
  const { command, args } = own === undefined ? target : withWholePaths(target);
  let child: ChildProcess | undefined;
  let ending: string | undefined;
  let stderr = "";

  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
    tail: () => stderr.trim(),
    ending: () => ending,
    kill: () => child && killGroup(child),
    start: () =>
      new Promise((resolve, reject) => {
        const { cwd = own, env } = target;
        const inherited = getDefaultEnvironment();
        const started = spawnGroup(command, args, { cwd, env: { ...inherited, ...env }, stdio: "pipe" });
        child = started;
        const guard = started.pid === undefined ? undefined : guardGroup(started.pid, inherited);
        started.once("spawn", resolve);
        started.on("error", (error) => {
          ending ??= failedStart(error, target);
          reject(error);
          transport.onerror?.(error);
        });
        started.once("close", (code, signal) => {
          ending ??= signal === null ? `it ended with code ${code}` : `it was killed (${signal})`;
          // Processes it left behind must not outlive it.
          killGroup(started);
          guard?.release();
          transport.onclose?.();
        });
        started.stdin?.on("error", (error) => transport.onerror?.(error));
        started.stderr?.on("data", (chunk: Buffer) => {
          stderr = `${stderr}${chunk.toString("utf8")}`.slice(-keptText);
        });
        started.stdout?.setEncoding("utf8").on("data", lineReader(transport));
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        const stdin = ending === undefined ? child?.stdin : undefined;
        if (!stdin) return reject(new Error("The server is not running."));
        stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => {
      if (child !== undefined && ending === undefined) await endGroup(child, graceMs, clock);
    },
  };
  return withExactNumbers(transport);
}

/**
 * What an entry names in the bot's own folder, with its whole path: a program with a separator in its name, a file, and anything else with
 * a separator. Other words stay as they are, even if there is a folder of that name.
 */
function withWholePaths({ command, args }: { command: string; args: readonly string[] }) {
  const isPath = (text: string) => text.includes("/") || text.includes(sep);
  const whole = (text: string) => {
    const found = statSync(text, { throwIfNoEntry: false });
    return found !== undefined && (found.isFile() || isPath(text)) ? resolve(text) : text;
  };
  return { command: isPath(command) ? whole(command) : command, args: args.map(whole) };
}

function failedStart(
  error: NodeJS.ErrnoException,
  { command, cwd }: { command: string; cwd?: string | undefined },
): string {
  if (error.code !== "ENOENT") return `${command} cannot be started (${error.code ?? error.message})`;
  const folder = cwd === undefined ? "" : `, or the folder ${cwd} is not there`;
  return `the program ${command} was not found${folder}; install it, or give its whole path`;
}

/** Reads messages, one per line. Servers often print other lines as well: those are skipped. */
function lineReader(transport: StdioTransport): (piece: string) => void {
  let begun: string[] = [];
  let length = 0;
  return (piece) => {
    const [end = "", ...lines] = piece.split("\n");
    begun.push(end);
    length += end.length;
    if (length > maxMessage) {
      begun = [];
      transport.onerror?.(new Error(`A message is longer than ${maxMessage} characters.`));
      transport.kill();
      return;
    }
    for (const line of lines) {
      receive(transport, begun.join(""));
      begun = [line];
      length = line.length;
    }
  };
}

function receive(transport: StdioTransport, line: string): void {
  if (line.trim() === "") return;
  let value: unknown;
  try {
    // .NET programs begin their output with a byte order mark.
    value = parseMarked(line.replace(/^\ufeff/, ""));
  } catch (error) {
    transport.onerror?.(asError(error));
    return;
  }
  for (const message of messagesIn(value)) transport.onmessage?.(message);
}

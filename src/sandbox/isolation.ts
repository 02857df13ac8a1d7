import { totalmem } from "node:os";
import type { IsolationLack } from "./isolation-cure.ts";
import { outputFolder } from "./output-files.ts";

/** What a script may use, however it is isolated. */
export interface SandboxLimits {
  /** Memory each process of a script may write to, bytes. */
  memoryBytes: number;
  /** Memory of all its processes together, looked at while it runs, bytes. */
  totalMemoryBytes: number;
  /** Processes and threads at one time. */
  processes: number;
  /** Largest file; with bubblewrap also the size of the workspace, bytes. */
  workspaceBytes: number;
  /** Scripts and programs at one time. Together with `processes` it bounds the processes of all of them. */
  maxRunning: number;
  /** How long a script or program waits for others to end where that many run, ms. */
  maxWaitMs: number;
  /** Memory of everything that runs, looked at as `totalMemoryBytes` is, bytes. */
  allMemoryBytes: number;
}

/** Enough for Node, which needs about 0.6 GB to start under such a limit, and for common Python libraries. */
export const defaultLimits: SandboxLimits = {
  memoryBytes: 1_073_741_824,
  totalMemoryBytes: 2_147_483_648,
  processes: 64,
  workspaceBytes: 268_435_456,
  maxRunning: 16,
  maxWaitMs: 30_000,
  allMemoryBytes: Math.round(availableMemory() / 2),
};

/** Memory of the machine, or of the container the bot runs in, bytes. */
function availableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

export interface LaunchRequest {
  /** Real path of the skill's folder. */
  folder: string;
  /** `node` stands for the Node this bot runs on; everything else is an absolute path or an argument. */
  interpreter: readonly string[];
  /** What the interpreter runs: a path within the skill's folder, or a module of the bot, seen with its folder. */
  entry: { script: string } | { module: string };
  /** See `placedArguments`. */
  args: readonly string[];
  /** Runs the command and hands out the files it left; see `collectorPrefix`. Absent for programs that stay. */
  collector?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Whether the code shipped with the bot. */
  shipped: boolean;
  /** Bounds the CPU time of each process, ms. Absent for programs that stay. */
  timeoutMs?: number;
  /** The bot's proxy for this run, a unix socket; without it there is no network. */
  socket?: string;
  /** An empty folder of this run, removed afterwards. */
  runFolder: string;
}

/** A process ready to be started. */
export interface Launch {
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Written to file descriptor 3: what must not stand in the process list. */
  privateInput?: string;
  /** Whether file descriptor 4 is read for files. */
  handsOutFiles?: boolean;
  /** Written to file descriptor 5: `systemCallFilter`. */
  filter?: Uint8Array | undefined;
}

/** Arguments as they are passed on: `{baseDir}` stands for the skill's folder, `{outputDir}` for where files are left. */
export function placedArguments(
  args: readonly string[],
  { skill, workspace }: { skill: string; workspace: string },
): string[] {
  const output = `${workspace}/${outputFolder}`;
  return args.map((argument) => argument.replaceAll("{baseDir}", skill).replaceAll("{outputDir}", output));
}

/** Variables every script gets unless its own are different: Python finds modules from the skill's folder on, as in `scripts.helper`. */
export function defaultEnvironment(skill: string): Record<string, string> {
  return { PYTHONPATH: skill };
}

/** A way to keep scripts apart from the bot. */
export type Isolation = {
  /** In words for a person: what holds, and what does not. */
  detail: string;
  prepare(request: LaunchRequest): Promise<Launch>;
} & ({ kind: "bubblewrap" } | WeakIsolation);

interface WeakIsolation {
  kind: "process";
  /** Why there is nothing stronger, and what to do. */
  lacks: IsolationLack;
  /** Where programs that run scripts are looked for, in this order. */
  programFolders: readonly string[];
}

/** The variables every script gets; a request cannot change them. */
export function fixedEnvironment(place: { path: string; workspace: string; skill: string; temp: string }) {
  return {
    PATH: place.path,
    HOME: place.workspace,
    TMPDIR: place.temp,
    LANG: "C.UTF-8",
    PYTHONUNBUFFERED: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    KNACK_WORKSPACE: place.workspace,
    KNACK_SKILL_DIR: place.skill,
    KNACK_OUTPUT_DIR: `${place.workspace}/${outputFolder}`,
  };
}

/** Variables by which Node's fetch, Python, curl and most others find a proxy on the loopback. */
export function proxyEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  // Some programs know networks, some only names. No `[::1]`: httpx takes what is behind its colon for a port and fails.
  const direct = "localhost,127.0.0.1,::1,0.0.0.0,127.0.0.0/8,sandbox";
  return {
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
    ...{ NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: "1" },
  };
}

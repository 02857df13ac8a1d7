import { randomInt } from "node:crypto";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { bubblewrapArguments, inside } from "./bubblewrap-arguments.ts";
import {
  fixedEnvironment,
  type Isolation,
  type Launch,
  type LaunchRequest,
  placedArguments,
  proxyEnvironment,
  type SandboxLimits,
} from "./isolation.ts";
import { type LimitPrograms, limitPrefix } from "./limit-programs.ts";
import { programFolders } from "./programs.ts";
import { stageFolder } from "./staged-folder.ts";

/**
 * How a script becomes another user. `namespace`: a user namespace in which the bot's user is user 1000. `switch`, for a
 * bot that runs as root: a user id that nobody has, because the kernel's process limit does not hold for root's own id.
 */
export type UserMode = "namespace" | "switch";

/** On the loopback of the sandbox's own network, where nothing else listens before. */
const forwarderPort = 3128;

export interface BubblewrapOptions {
  bwrap: string;
  mode: UserMode;
  programs: LimitPrograms | undefined;
  limits: SandboxLimits;
  /** Real paths no script may see, even where they lie within a system folder. */
  hidden: readonly string[];
}

/** Scripts in bubblewrap sandboxes. */
export function createBubblewrapIsolation(options: BubblewrapOptions): Isolation {
  const megabytes = Math.round(options.limits.memoryBytes / 1_048_576);
  const held =
    options.programs === undefined
      ? "no limits on memory and processes: install util-linux for prlimit, setpriv and choom"
      : `${megabytes} MB of memory per process, ${options.limits.processes} processes`;
  return {
    kind: "bubblewrap",
    detail: `Scripts run in bubblewrap: no network, no files but their skill's, a cleared environment, ${held}.`,
    prepare: (request) => prepare(request, options),
  };
}

async function prepare(request: LaunchRequest, options: BubblewrapOptions): Promise<Launch> {
  const { runFolder } = request;
  // Within the range of ids that user-remapped containers have, outside the ranges distributions give out.
  const user = options.mode === "namespace" ? 1000 : randomInt(50_000, 60_000);
  const skillFolder = options.mode === "namespace" ? request.folder : join(runFolder, "skill");
  if (options.mode === "switch") await stageFolder(request.folder, skillFolder);
  await mkdir(runFolder, { recursive: true });
  const passwd = join(runFolder, "passwd");
  const group = join(runFolder, "group");
  await writeFile(passwd, `script:x:${user}:${user}:script:${inside.workspace}:/bin/sh\n`, { mode: 0o644 });
  await writeFile(group, `script:x:${user}:\n`, { mode: 0o644 });
  const path = [...programFolders, dirname(inside.node)].join(":");
  const wayOut = request.socket === undefined ? undefined : await stageWayOut(request.socket, runFolder);
  const proxied = wayOut === undefined ? {} : proxyEnvironment(forwarderPort);
  const env = { ...request.env, ...fixedEnvironment({ path, ...inside }), ...proxied };
  const { hidden } = options;
  const { workspaceBytes } = options.limits;
  const moduleFolder =
    "module" in request.entry ? await stageModule(request.entry.module, runFolder) : undefined;
  const node = process.execPath;
  const layout = { skillFolder, moduleFolder, wayOut, node, passwd, group, workspaceBytes, env, hidden };
  const settings = [...(await bubblewrapArguments(layout)), ...userArguments(options.mode, user)];
  return {
    file: options.bwrap,
    args: ["--args", "3", "--", ...command(request, options, user)],
    // Variables may be secrets, and every user of the machine can read a process's arguments.
    privateInput: settings.map((argument) => `${argument}\0`).join(""),
    handsOutFiles: request.collector !== undefined,
    env: {},
    cwd: "/",
  };
}

/** A copy of a module's folder that is one of ES modules for Node, wherever it is seen. */
async function stageModule(module: string, runFolder: string): Promise<string> {
  const staged = join(runFolder, "module");
  await stageFolder(dirname(module), staged);
  await writeFile(join(staged, "package.json"), '{"type":"module"}\n', { mode: 0o644 });
  return staged;
}

async function stageWayOut(socket: string, runFolder: string) {
  const forwarder = join(runFolder, "forwarder.ts");
  await copyFile(join(import.meta.dirname, "inside/forwarder.ts"), forwarder);
  await chmod(forwarder, 0o644);
  return { forwarder, socket };
}

function userArguments(mode: UserMode, user: number): string[] {
  if (mode === "namespace") {
    return ["--unshare-user", "--uid", String(user), "--gid", String(user), "--disable-userns"];
  }
  return [
    "--cap-drop",
    "ALL",
    "--cap-add",
    "CAP_SETUID",
    "--cap-add",
    "CAP_SETGID",
    "--cap-add",
    "CAP_SETPCAP",
  ];
}

function command(request: LaunchRequest, options: BubblewrapOptions, user: number): string[] {
  const { programs, limits } = options;
  const { entry, timeoutMs } = request;
  const [program = "node", ...flags] = request.interpreter;
  const interpreter =
    program === "node"
      ? [inside.node, `--max-old-space-size=${Math.round(limits.memoryBytes / 2_097_152)}`]
      : [program];
  return [
    ...(programs !== undefined && options.mode === "switch" ? becomeUser(programs, user) : []),
    ...(programs === undefined
      ? []
      : limitPrefix(programs, limits, { timeoutMs, processes: limits.processes })),
    ...(request.collector ?? []),
    ...(request.socket === undefined ? [] : forwarderCommand),
    ...interpreter,
    ...flags,
    "module" in entry ? `${inside.module}/${basename(entry.module)}` : `${inside.skill}/${entry.script}`,
    ...placedArguments(request.args, inside.skill),
  ];
}

/** Node runs it: `--no-warnings` because its complaints would stand among the skill's own. */
const forwarderCommand = [
  ...[inside.node, "--no-warnings", "--max-old-space-size=64"],
  ...[inside.forwarder, inside.socket, String(forwarderPort)],
];

/** Gives up root and every capability for good. */
function becomeUser(programs: LimitPrograms, user: number): string[] {
  return [
    ...[programs.setpriv, `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--no-new-privs"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--"],
  ];
}

import { dirname, join } from "node:path";
import {
  defaultEnvironment,
  fixedEnvironment,
  type Isolation,
  type LaunchRequest,
  placedArguments,
  type SandboxLimits,
} from "./isolation.ts";
import type { IsolationLack } from "./isolation-cure.ts";
import { firstToGo, type LimitPrograms, limitPrefix } from "./limit-programs.ts";
import { programFolders } from "./programs.ts";

export interface ProcessIsolationOptions {
  /** Why there is nothing better. */
  lacks: IsolationLack;
  programs: LimitPrograms | undefined;
  limits: SandboxLimits;
  /** Ids of the skills that run although they did not ship. */
  allowWeak: readonly string[];
  /** Further folders of programs: Homebrew, pyenv and the like. Absolute paths. */
  searchPath: readonly string[];
}

/**
 * A plain child process with a cleared environment, its own temporary workspace and, where util-linux is there, limits.
 * It can read what the bot can read and reach the network: for skills that ship with the bot, and those the operator named.
 * Node code of the latter is held by Node's permission model, which its makers call a seat belt, not a boundary.
 */
export function createProcessIsolation(options: ProcessIsolationOptions): Isolation {
  const folders = [...new Set([...options.searchPath, ...programFolders])];
  return {
    kind: "process",
    detail: detail(options),
    lacks: options.lacks,
    programFolders: folders,
    async prepare(request) {
      const { runFolder, folder } = request;
      const { NODE_OPTIONS: _, ...env } = request.env;
      const [file = "", ...args] = command(request, options);
      const place = { path: folders.join(":"), workspace: runFolder, skill: folder, temp: runFolder };
      const handsOutFiles = request.collector !== undefined;
      return {
        file,
        args,
        env: { ...defaultEnvironment(folder), ...env, ...fixedEnvironment(place) },
        cwd: runFolder,
        handsOutFiles,
      };
    },
  };
}

function detail({ lacks, programs, allowWeak }: ProcessIsolationOptions): string {
  const others =
    allowWeak.length === 0 ? "" : `, and of ${allowWeak.join(", ")}, which the operator allowed,`;
  return [
    `${lacks.problem} Only code of shipped skills${others} runs here, as ordinary processes with a cleared environment.`,
    ...(allowWeak.length === 0
      ? []
      : [
          "Node code of allowed skills sees no files but its own and starts no programs (Node's permission model); Python and shell scripts can read what the bot can. The network is open to them all; granted hosts make no difference.",
        ]),
    ...(programs === undefined ? ["There are no limits on memory: install util-linux."] : []),
  ].join(" ");
}

function command(request: LaunchRequest, { programs, limits }: ProcessIsolationOptions): string[] {
  const { entry, folder, timeoutMs } = request;
  const [program = "node", ...flags] = request.interpreter;
  const isNode = program === "node";
  return [
    // A child in a group of its own would outlive a killed bot; the parent-death signal takes it along.
    ...(programs === undefined ? [] : [programs.setpriv, "--pdeathsig", "KILL", "--"]),
    ...(programs === undefined ? [] : limitPrefix(programs, limits, { timeoutMs })),
    ...firstToGo(programs),
    ...(request.collector ?? []),
    isNode ? process.execPath : program,
    ...(isNode && !request.shipped ? permissionFlags(request) : []),
    ...flags,
    "module" in entry ? entry.module : join(folder, entry.script),
    ...placedArguments(request.args, { skill: folder, workspace: request.runFolder }),
  ];
}

/** Node's permission model: its own files to read, its workspace to write, nothing to start. */
function permissionFlags({ entry, folder, runFolder }: LaunchRequest): string[] {
  const readable = [folder, runFolder, ...("module" in entry ? [dirname(entry.module)] : [])];
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}/*`),
    `--allow-fs-write=${runFolder}/*`,
  ];
}

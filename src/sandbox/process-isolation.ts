import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inputFolder, type MountedFolder } from "../core/ports/working-folder.ts";
import {
  fixedEnvironment,
  type Isolation,
  type IsolationNeeds,
  type LaunchRequest,
  moduleEnvironment,
  outputIn,
  type Places,
  placedArguments,
} from "./isolation.ts";
import type { IsolationLack } from "./isolation-cure.ts";
import { killedFirstPrefix, type LimitPrograms, limitPrefix } from "./limit-programs.ts";
import { programFolders } from "./run/programs.ts";

/** How code runs without bubblewrap. */
interface WeakMeans extends IsolationNeeds {
  /** Why there is nothing better. */
  lacks: IsolationLack;
  programs: LimitPrograms | undefined;
}

/**
 * A plain child process with a cleared environment, its own temporary workspace and, if util-linux is installed, limits. It can read what
 * the bot can read and reach the network: for skills that ship with the bot, and those the operator named. Node code of the latter runs
 * under Node's permission model, which its makers call a seat belt, not a boundary.
 */
export function createProcessIsolation(options: WeakMeans): Isolation {
  const folders = [...new Set([...options.searchPath, ...programFolders])];
  return {
    kind: "process",
    detail: detail(options),
    lacks: options.lacks,
    programFolders: folders,
    async prepare(request) {
      const { NODE_OPTIONS: _, ...given } = request.env;
      const places = placesOf(request);
      const { runFolder: temp, packages, moduleFolders = [""] } = request;
      const env = {
        ...moduleEnvironment(
          places.skill,
          moduleFolders,
          packages?.python === undefined ? [] : [packages.python],
        ),
        ...given,
        ...fixedEnvironment({ path: folders.join(":"), temp, home: temp, ...places }),
      };
      await mkdir(places.output, { recursive: true });
      const [file = "", ...args] = command(request, options, { places, env });
      return { file, args, env, cwd: places.workspace };
    },
  };
}

function detail({ lacks, programs, allowWeak }: WeakMeans): string {
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

/** The folders as they are on the machine: instead of a mount, code gets the real path. */
function placesOf({ folder, runFolder, working }: LaunchRequest): Places {
  if (working === undefined) return { skill: folder, workspace: runFolder, output: outputIn(runFolder) };
  const onMachine = (path: string) => machinePath(path, working.mounts);
  return {
    skill: folder,
    workspace: onMachine(working.working),
    output: onMachine(working.output),
    input: onMachine(inputFolder),
  };
}

/** The real path of a path in the working folder; the innermost mount counts. Other texts stay as they are. */
function machinePath(path: string, mounts: MountedFolder["mounts"]): string {
  const mount = mounts.findLast(({ to }) => path === to || path.startsWith(`${to}/`));
  return mount === undefined ? path : mount.from + path.slice(mount.to.length);
}

function command(
  request: LaunchRequest,
  { programs, limits }: WeakMeans,
  { places, env }: { places: Places; env: Readonly<Record<string, string>> },
): string[] {
  const { entry, folder = "", timeoutMs, working } = request;
  const args = placedArguments(request.args, places, env);
  const [program = "node", ...flags] = request.interpreter;
  const isNode = program === "node";
  return [
    // A child in a group of its own would outlive a killed bot; the parent-death signal ends it too.
    ...(programs === undefined ? [] : [programs.setpriv, "--pdeathsig", "KILL", "--"]),
    ...(programs === undefined ? [] : limitPrefix(programs, limits, { timeoutMs })),
    ...killedFirstPrefix(programs),
    isNode ? process.execPath : program,
    ...(isNode && !request.shipped ? permissionFlags(request) : []),
    ...flags,
    "module" in entry ? entry.module : join(folder, "script" in entry ? entry.script : ""),
    ...(working === undefined ? args : args.map((argument) => machinePath(argument, working.mounts))),
  ];
}

/** Node's permission model: it may read its own files, write to its workspace, and start nothing. */
function permissionFlags({ entry, folder, runFolder, working }: LaunchRequest): string[] {
  const mounts = working?.mounts ?? [];
  const readable = [
    ...(folder === undefined ? [] : [folder]),
    ...[runFolder, ...mounts.map(({ from }) => from)],
    ...("module" in entry ? [dirname(entry.module)] : []),
  ];
  const writable = [runFolder, ...mounts.filter((mount) => mount.writable).map(({ from }) => from)];
  return [
    "--permission",
    ...readable.flatMap((path) => [`--allow-fs-read=${path}`, `--allow-fs-read=${path}/*`]),
    ...writable.map((path) => `--allow-fs-write=${path}/*`),
  ];
}

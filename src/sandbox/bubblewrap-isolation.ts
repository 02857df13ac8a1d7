import { randomInt } from "node:crypto";
import { chmod, copyFile, cp, lchown, lstat, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { inputFolder } from "../core/ports/working-folder.ts";
import { bubblewrapArguments, inside } from "./bubblewrap-arguments.ts";
import {
  fixedEnvironment,
  type Isolation,
  type IsolationNeeds,
  type Launch,
  type LaunchRequest,
  moduleEnvironment,
  outputFolder,
  outputIn,
  type Places,
  placedArguments,
  proxyEnvironment,
} from "./isolation.ts";
import {
  boundedFoldersPrefix,
  killedFirstPrefix,
  type LimitPrograms,
  limitPrefix,
  type MountPrograms,
  makeBoundedFolders,
} from "./limit-programs.ts";
import { writeMachineFiles } from "./machine-files.ts";
import { placeOf, viewPackages } from "./package-view.ts";
import { programFolders } from "./run/programs.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/**
 * How a script becomes another user. `namespace`: a user namespace in which the bot's user is user 1000. `switch`, for a bot that runs as
 * root: a user id that nobody has, because the kernel's process limit does not apply to root's own id. `contained`, for a bot in a
 * container: like `namespace`, without the parts that containers do not allow: its own /proc and a ban on further namespaces.
 */
export type UserMode = "namespace" | "switch" | "contained";

/** Bytes a file may have even if a folder is full: programs write small ones of their own. */
const minFileBytes = 1_048_576;

/** On the loopback of the sandbox's own network, where nothing else listens yet. */
const forwarderPort = 3128;

/** How bubblewrap is run on this machine. */
interface Bubblewrap extends IsolationNeeds {
  bwrap: string;
  mode: UserMode;
  programs: LimitPrograms | undefined;
  /** Undefined if the number of files cannot be limited. */
  mounts: MountPrograms | undefined;
  /** Path of `sh`. */
  shell: string | undefined;
}

/** Runs code of skills in bubblewrap sandboxes. */
export function createBubblewrapIsolation(bubblewrap: Bubblewrap): Isolation {
  return {
    kind: "bubblewrap",
    detail: detail(bubblewrap),
    prepare: (request) => prepare(request, bubblewrap),
  };
}

function detail({ limits, programs, mounts, mode }: Bubblewrap): string {
  const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MB`;
  const total = `${megabytes(limits.totalMemoryBytes)} for all together, looked at while they run, and ${megabytes(limits.workspaceBytes)} for files in /tmp`;
  const held =
    programs === undefined
      ? `no limit on processes and on the memory of each (install util-linux), ${total}`
      : `${megabytes(limits.memoryBytes)} of memory per process, ${total}, ${limits.processes} processes`;
  const contained = mode === "contained" ? " In this container code has no /proc." : "";
  const files =
    mounts === undefined
      ? " The number of files it writes to memory is not limited (install util-linux and mount)."
      : "";
  return `Code of skills runs in bubblewrap: no network but granted hosts through the bot's proxy, no files but its skill's, a cleared environment, ${held}.${contained}${files}`;
}

async function prepare(request: LaunchRequest, options: Bubblewrap): Promise<Launch> {
  const { runFolder, entry, working, packages, calls, libraries = [], authority } = request;
  const { certificates, timeZone, hidden, mode, mounts } = options;
  const { workspaceBytes } = options.limits;
  const user = await userFor(request, options);
  await mkdir(runFolder, { recursive: true });
  const readable = await readableFolders(request, options);
  const skillFolder = request.folder && readable(request.folder);
  const shown = (request.shown ?? []).map((each) => ({ ...each, folder: readable(each.folder) }));
  const machine = { user, home: inside.home, certificates, authority, timeZone };
  const own = await writeMachineFiles(runFolder, machine);
  const path = [...programFolders, dirname(inside.node)].join(":");
  const ownPrograms = join(runFolder, "programs");
  await stageFolder(join(import.meta.dirname, "inside"), ownPrograms);
  const proxied = request.socket === undefined ? {} : proxyEnvironment(forwarderPort);
  const places = placesOf(request);
  const env = {
    ...moduleEnvironment(places.skill, request.moduleFolders ?? [""], [
      ...(calls === undefined ? [] : [inside.text]),
      ...(skillFolder === undefined ? shown.map(placeOf) : []),
      ...(packages?.python === undefined ? [] : [inside.pythonPackages]),
      inside.programs,
    ]),
    ...own.env,
    ...(libraries.length > 0 && { NODE_PATH: inside.libraries }),
    ...request.env,
    ...fixedEnvironment({ path, temp: inside.temp, home: inside.home, ...places }),
    ...proxied,
    ...(calls !== undefined && { KNACK_CALLS: inside.calls }),
  };
  const bounded = mounts && (await makeBoundedFolders(runFolder));
  const layout = {
    ...request,
    ...own,
    skillFolder,
    shown,
    view: await viewPackages(shown, working),
    moduleFolder: "module" in entry ? await stageModule(entry.module, runFolder) : undefined,
    textFolder: "text" in entry ? await stageText(entry, request, runFolder) : undefined,
    ownPrograms,
    node: process.execPath,
    workspaceBytes,
    bounded,
    contained: mode === "contained",
    env,
    hidden,
  };
  const filter = systemCallFilter();
  const settings = [
    ...(await bubblewrapArguments(layout)),
    ...userArguments(mode, user),
    ...(filter === undefined ? [] : ["--seccomp", "5"]),
  ];
  const mount = { bytes: workspaceBytes, asRoot: mode === "switch" };
  const [file = "", ...args] = [
    ...killedFirstPrefix(options.programs),
    ...(mounts && bounded ? boundedFoldersPrefix(mounts, bounded, mount) : []),
    ...[options.bwrap, "--args", "3", "--", ...command(request, options, { user, places, env })],
  ];
  return {
    file,
    args,
    // Variables may be secrets, and every user of the machine can read a process's arguments.
    privateInput: settings.map((argument) => `${argument}\0`).join(""),
    filter,
    env: {},
    cwd: "/",
  };
}

/** Paths of the run's folders inside. */
function placesOf({ folder, working }: LaunchRequest): Places {
  const skill = folder === undefined ? undefined : inside.skill;
  const { workspace } = inside;
  return working === undefined
    ? { skill, workspace, output: outputIn(workspace) }
    : { skill, workspace: working.working, output: working.output, input: inputFolder };
}

/**
 * The user that code runs as. With a switch of users, it is the owner of the folder the code writes to, so files of an earlier run stay its
 * own. A new folder gets a user within the range of ids that user-remapped containers have, outside the ranges that distributions assign.
 */
async function userFor({ working }: LaunchRequest, { mode }: Bubblewrap): Promise<number> {
  if (mode !== "switch") return 1000;
  const user = randomInt(50_000, 60_000);
  const written = working?.mounts.find(({ writable }) => writable);
  if (written === undefined) return user;
  const { uid } = await stat(written.from);
  if (uid !== 0) return uid;
  // All of it belongs to the bot, and nobody else uses it yet. The folder itself comes last, so that a change interrupted by a crash is
  // repeated.
  for (const path of [join(written.from, outputFolder), written.from]) await lchown(path, user, user);
  return user;
}

/** Folders of skills as they are mounted: themselves, or copies that another user can read. */
async function readableFolders(
  { folder, runFolder, shown = [] }: LaunchRequest,
  { mode }: Bubblewrap,
): Promise<(path: string) => string> {
  const copies = new Map<string, string>();
  const skills = folder === undefined ? shown : [...shown, { folder, leftOut: [] }];
  for (const skill of mode === "switch" ? skills : []) {
    if (copies.has(skill.folder)) continue;
    const copy = join(runFolder, `skill-${copies.size}`);
    copies.set(skill.folder, copy);
    await stageFolder(skill.folder, copy, skill.leftOut);
  }
  return (path) => copies.get(path) ?? path;
}

/** A folder with a text and, if it can call tools, the modules by which it does. */
async function stageText(
  { name, text }: { name: string; text: string },
  { calls }: Pick<LaunchRequest, "calls">,
  runFolder: string,
): Promise<string> {
  const folder = join(runFolder, "code");
  await mkdir(folder, { mode: 0o755 });
  await writeFile(join(folder, name), text, { mode: 0o644 });
  for (const module of calls === undefined ? [] : ["knack_tools.py", "knack-tools.mjs"]) {
    await copyFile(join(import.meta.dirname, "inside", module), join(folder, module));
    await chmod(join(folder, module), 0o644);
  }
  return folder;
}

/** A copy of a module's folder that Node treats as ES modules, wherever it is mounted. */
async function stageModule(module: string, runFolder: string): Promise<string> {
  const staged = join(runFolder, "module");
  await stageFolder(dirname(module), staged);
  await writeFile(join(staged, "package.json"), '{"type":"module"}\n', { mode: 0o644 });
  return staged;
}

function userArguments(mode: UserMode, user: number): string[] {
  if (mode !== "switch") {
    const ids = [
      ...["--unshare-user", "--uid", String(user), "--gid", String(user)],
      // By default, bubblewrap leaves capabilities to the root of a namespace.
      ...["--cap-drop", "ALL"],
      // A process of bubblewrap inside would run as the same user as the code, without the limits that are set for the code.
      "--as-pid-1",
    ];
    return mode === "contained" ? ids : [...ids, "--disable-userns"];
  }
  const kept = ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"].flatMap((capability) => ["--cap-add", capability]);
  return ["--cap-drop", "ALL", ...kept];
}

function command(
  request: LaunchRequest,
  options: Bubblewrap,
  { user, places, env }: { user: number; places: Places; env: Readonly<Record<string, string>> },
): string[] {
  const { programs } = options;
  const { entry, timeoutMs, working } = request;
  const limits =
    working === undefined
      ? options.limits
      : { ...options.limits, workspaceBytes: Math.max(minFileBytes, working.room) };
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
    ...firstProcess(options),
    ...(request.socket === undefined ? [] : forwarderCommand),
    ...interpreter,
    ...flags,
    entryInside(entry),
    ...placedArguments(request.args, places, env),
  ];
}

function entryInside(entry: LaunchRequest["entry"]): string {
  if ("module" in entry) return `${inside.module}/${basename(entry.module)}`;
  return "text" in entry ? `${inside.text}/${entry.name}` : `${inside.skill}/${entry.script}`;
}

/** Where bubblewrap leaves no process inside, a shell is the first one: it adopts the processes that the command leaves running. */
function firstProcess({ mode, shell }: Bubblewrap): string[] {
  return shell === undefined || mode === "switch" ? [] : [shell, "-c", '"$@"; exit $?', "first"];
}

/** Run by Node: `--no-warnings` because its warnings would mix with the skill's own output. */
const forwarderCommand = [
  ...[inside.node, "--no-warnings", "--max-old-space-size=64"],
  ...[`${inside.programs}/forwarder.cjs`, inside.socket, String(forwarderPort)],
];

/** Drops root and every capability permanently. */
function becomeUser(programs: LimitPrograms, user: number): string[] {
  return [
    ...[programs.setpriv, `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--no-new-privs"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--"],
  ];
}

/**
 * Copies a folder so that an unprivileged user can read it, whatever its owner and modes are. Links stay links (those that lead out dangle
 * inside the sandbox); devices, sockets, repository data and the folders in `leftOut` are skipped.
 */
async function stageFolder(folder: string, target: string, leftOut: readonly string[] = []): Promise<void> {
  const without = new Set(leftOut.map((path) => join(folder, path)));
  await cp(folder, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (source) => {
      if (basename(source) === ".git" || without.has(source)) return false;
      const found = await lstat(source);
      return found.isDirectory() || found.isFile() || found.isSymbolicLink();
    },
  });
  await chmod(target, 0o755);
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isExecutable = entry.isDirectory() || ((await lstat(path)).mode & 0o111) !== 0;
    await chmod(path, isExecutable ? 0o755 : 0o644);
  }
}

import { existsSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import { type LaunchRequest, outputIn } from "./isolation.ts";
import type { BoundedFolders } from "./limit-programs.ts";
import { readableEtc, type ShownFile } from "./machine-files.ts";
import { linksInside, type PackageView, placesInside } from "./package-view.ts";
import { systemFolders } from "./run/programs.ts";

/** The parts of one sandbox. Paths are on the machine, unless it says inside. */
export interface SandboxLayout
  extends Pick<LaunchRequest, "shown" | "socket" | "packages" | "libraries" | "calls" | "working"> {
  skillFolder?: string | undefined;
  view?: PackageView;
  /** The folder of the bot's own module that is run, if any. */
  moduleFolder?: string | undefined;
  /** The folder of the bot's own programs inside: the forwarder, and what every Python loads. */
  ownPrograms?: string | undefined;
  /** The folder of a text that is run. */
  textFolder?: string | undefined;
  /** The Node binary; inside it is `nodeInside`. */
  node: string;
  /** Files created for this sandbox alone, e.g. its /etc/passwd. */
  files: readonly ShownFile[];
  /** Size of /workspace and of /tmp, bytes, unless they are folders created for the sandbox. */
  workspaceBytes: number;
  /** Folders mounted as /workspace and /tmp; see `limit-programs.ts`. */
  bounded?: BoundedFolders | undefined;
  /** An empty file, mounted over files of /proc that describe the machine. */
  empty?: string | undefined;
  /** Real paths that appear empty if they lie within a system folder, e.g. a bot installed in /usr/src. */
  hidden: readonly string[];
  /** Whether the machine is a container that allows neither its own /proc nor its own host name. */
  contained: boolean;
  /** The whole environment inside. */
  env: Readonly<Record<string, string>>;
}

/** Paths inside the sandbox. */
export const inside = {
  node: "/opt/bin/node",
  skill: "/skill",
  programs: "/opt/net",
  socket: "/opt/proxy/socket",
  module: "/opt/knack",
  /** Path of a text that is run. */
  text: "/opt/code",
  calls: "/opt/calls",
  pythonPackages: "/opt/python",
  /** Node looks there from any module. */
  nodePackages: "/node_modules",
  /** Packages of the bot for code that requires them: see NODE_PATH of Node. */
  libraries: "/opt/libraries",
  workspace: "/workspace",
  temp: "/tmp",
  home: "/tmp/home",
};

/**
 * bubblewrap's options (bwrap(1), 0.8) without those about users: of the machine only its programs are visible; only /tmp and /workspace
 * are writable, which are in memory and vanish with the sandbox unless a working folder is mounted there; no network; a process namespace
 * of its own. Only /proc/PID/mountinfo says where on the machine mounted folders are: the kernel names the path of each within its file
 * system, in every namespace, and a mount over one process's file hides nothing from its children.
 */
export async function bubblewrapArguments(layout: SandboxLayout): Promise<string[]> {
  const size = String(layout.workspaceBytes);
  const { bounded } = layout;
  const etc = readableEtc();
  const folders = new Set([...etc.folders, ...layout.files.map(({ to }) => dirname(to))]);
  const writable = (path: string, folder: string | undefined) =>
    folder === undefined ? ["--perms", "1777", "--size", size, "--tmpfs", path] : ["--bind", folder, path];
  return [
    ...["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--die-with-parent", "--new-session", "--clearenv"],
    ...Object.entries(layout.env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...(layout.contained ? [] : ["--hostname", "sandbox"]),
    ...(await systemArguments()),
    ...layout.hidden.filter(isWithinSystem).flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    // Folders that bubblewrap creates on the way to a mount are closed to everyone but its own user.
    ...madeFolders(["/etc", "/opt", "/opt/bin", ...folders]),
    ...[...etc.files, ...layout.files].flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...["--ro-bind", layout.node, inside.node],
    ...pythonArguments(),
    ...readOnly(layout.moduleFolder, inside.module),
    ...readOnly(layout.ownPrograms, inside.programs),
    ...socketArguments(layout),
    ...(layout.contained ? [] : ["--proc", "/proc", ...emptyArguments(layout)]),
    // A device that reads as zeros and cannot be mapped: shared memory of /dev/zero is not counted once it is no longer mapped.
    ...["--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero", "--remount-ro", "/dev"],
    // POSIX semaphores and shared memory are files there; they share the limits of /tmp.
    ...writable("/dev/shm", bounded?.temp),
    ...writable(inside.temp, bounded?.temp),
    ...openFolder(inside.home),
    ...(layout.working === undefined
      ? [...writable(inside.workspace, bounded?.workspace), ...openFolder(outputIn(inside.workspace))]
      : workingArguments(layout.working)),
    ...skillArguments(layout),
    ...readOnly(layout.textFolder, inside.text),
    ...readOnly(layout.calls, inside.calls),
    ...readOnly(layout.packages?.python, inside.pythonPackages),
    ...readOnly(layout.packages?.node, inside.nodePackages),
    ...libraryArguments(layout),
    ...["--chdir", layout.working?.working ?? inside.workspace, "--remount-ro", "/"],
  ];
}

/** Guides call `python`, which many machines have as `python3` alone. */
function pythonArguments(): string[] {
  const [python = [], python3 = []] = ["python", "python3"].map((name) =>
    ["/usr/local/bin", "/usr/bin"].map((folder) => `${folder}/${name}`).filter(existsSync),
  );
  return python.length > 0 || python3[0] === undefined ? [] : ["--symlink", python3[0], "/opt/bin/python"];
}

function madeFolders(paths: readonly string[]): string[] {
  return [...new Set(paths)].flatMap((path) => ["--perms", "0755", "--dir", path]);
}

/** A folder in which everybody may write. */
function openFolder(path: string): string[] {
  return ["--perms", "1777", "--dir", path];
}

function readOnly(folder: string | undefined, to: string): string[] {
  return folder === undefined ? [] : ["--ro-bind", folder, to];
}

function libraryArguments({ libraries = [] }: SandboxLayout): string[] {
  const paths = libraries.map(({ name, folder }) => ({ folder, to: `${inside.libraries}/${name}` }));
  return [
    ...madeFolders(paths.map(({ to }) => dirname(to))),
    ...paths.flatMap(({ folder, to }) => ["--ro-bind", folder, to]),
  ];
}

/** Skills in their places and in the working folder. Parts that no review covered are hidden by something empty. */
function skillArguments({ skillFolder, shown = [], view }: SandboxLayout): string[] {
  const own = skillFolder === undefined ? [] : [{ from: skillFolder, to: inside.skill }];
  const mounts = [...own, ...(view?.mounts ?? [])];
  const unread = shown.flatMap(({ folder, leftOut }) => leftOut.map((path) => `${folder}/${path}`));
  const empty = mounts.flatMap(({ from, to }) =>
    unread
      .filter((path) => path.startsWith(`${from}/`) && existsSync(path))
      .map((path) => to + path.slice(from.length)),
  );
  return [
    ...madeFolders([placesInside, linksInside]),
    ...mounts.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...(view?.links ?? []).flatMap(({ at, target }) => ["--symlink", target, at]),
    ...empty.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
  ];
}

/** The parts of a working folder. */
function workingArguments({ mounts }: MountedFolder): string[] {
  const parents = new Set(mounts.flatMap(({ to }) => foldersTo(to)));
  const writable = mounts.find((mount) => mount.writable)?.to;
  // Mounted folders already contain folders.
  const made = [...parents].filter(
    (path) => writable === undefined || !`${path}/`.startsWith(`${writable}/`),
  );
  return [
    ...madeFolders(made.toSorted()),
    ...mounts.flatMap(({ from, to, writable }) => [writable ? "--bind" : "--ro-bind", from, to]),
  ];
}

/** The folders on the way to a path, from the root on. */
function foldersTo(path: string): string[] {
  const parent = dirname(path);
  return parent === "/" ? [] : [...foldersTo(parent), parent];
}

function socketArguments({ socket }: SandboxLayout): string[] {
  if (socket === undefined) return [];
  return [...madeFolders([dirname(inside.socket)]), ...readOnly(socket, inside.socket)];
}

/**
 * Files of /proc that no namespace separates from the machine's: the kernel's keys, boot parameters, disks, active devices, modules. Hiding
 * them breaks nothing.
 */
const ofMachine = [
  ...["keys", "key-users", "cmdline", "bootconfig", "config.gz", "modules", "kallsyms", "iomem", "ioports"],
  ...["partitions", "diskstats", "mdstat", "swaps", "interrupts", "softirqs", "timer_list", "sched_debug"],
];

function emptyArguments({ empty }: SandboxLayout): string[] {
  if (empty === undefined) return [];
  const there = ofMachine.map((name) => `/proc/${name}`).filter(existsSync);
  return there.flatMap((path) => ["--ro-bind", empty, path]);
}

function isWithinSystem(path: string): boolean {
  return systemFolders.some((folder) => path.startsWith(`${folder}/`));
}

/** On machines with a merged /usr, these folders are links. */
async function systemArguments(): Promise<string[]> {
  const found = await Promise.all(
    systemFolders.map(async (path) => {
      try {
        if ((await lstat(path)).isSymbolicLink()) return ["--symlink", await readlink(path), path];
        return ["--ro-bind", path, path];
      } catch {
        // Not on this machine.
        return [];
      }
    }),
  );
  return found.flat();
}

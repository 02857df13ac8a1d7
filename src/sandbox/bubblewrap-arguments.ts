import { existsSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import { readableEtc } from "./machine-files.ts";
import { systemFolders } from "./programs.ts";
import type { ShownFile } from "./shown-file.ts";

/** What one sandbox is made of. Paths on the machine, except where it says inside. */
export interface SandboxLayout {
  skillFolder: string;
  /** Holds the bot's own module that is run, if one is. */
  moduleFolder?: string | undefined;
  /** The folder of the forwarder and the socket it forwards to, if there is a way out. */
  wayOut?: { programs: string; socket: string } | undefined;
  /** The Node binary; inside it is `nodeInside`. */
  node: string;
  /** Files that exist for this sandbox alone, e.g. its /etc/passwd. */
  files: readonly ShownFile[];
  /** Size of /workspace and of /tmp, bytes, where they are not folders that were made for the sandbox. */
  workspaceBytes: number;
  /** Folders shown as /workspace and /tmp; see `bounded-folders.ts`. */
  bounded?: { workspace: string; temp: string } | undefined;
  /** An empty file, shown instead of what the kernel says about its keys. */
  empty?: string | undefined;
  /** Real paths that are shown empty where they lie within a system folder, e.g. a bot installed in /usr/src. */
  hidden: readonly string[];
  /** Whether the machine is a container that allows neither a /proc nor a host name of one's own. */
  contained: boolean;
  /** The whole environment inside. */
  env: Readonly<Record<string, string>>;
}

/** Where things are inside. */
export const inside = {
  node: "/opt/bin/node",
  skill: "/skill",
  wayOut: "/opt/net",
  socket: "/opt/proxy/socket",
  module: "/opt/knack",
  workspace: "/workspace",
  temp: "/tmp",
};

/**
 * bubblewrap's options (bwrap(1), 0.8) without those about users: nothing of the machine but its programs, nothing
 * writable but /tmp and /workspace, which live in memory and vanish with the sandbox; no network; processes of its own.
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
    // Folders that bubblewrap makes on the way to a mount are closed to everyone but its own user.
    ...[...new Set(["/etc", "/opt", "/opt/bin", ...folders])].flatMap((path) => [
      ...["--perms", "0755", "--dir", path],
    ]),
    ...[...etc.files, ...layout.files].flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...["--ro-bind", layout.node, inside.node],
    ...(layout.moduleFolder === undefined ? [] : ["--ro-bind", layout.moduleFolder, inside.module]),
    ...wayOutArguments(layout),
    ...(layout.contained ? [] : ["--proc", "/proc", ...keyListArguments(layout)]),
    ...["--dev", "/dev", "--remount-ro", "/dev"],
    // Semaphores and shared memory of POSIX are files there; with /tmp they share its limits.
    ...writable("/dev/shm", bounded?.temp),
    ...writable(inside.temp, bounded?.temp),
    ...writable(inside.workspace, bounded?.workspace),
    ...["--ro-bind", layout.skillFolder, inside.skill],
    ...["--chdir", inside.workspace, "--remount-ro", "/"],
  ];
}

function wayOutArguments({ wayOut }: SandboxLayout): string[] {
  if (wayOut === undefined) return [];
  return [
    ...["--perms", "0755", "--dir", dirname(inside.socket)],
    ...["--ro-bind", wayOut.programs, inside.wayOut, "--ro-bind", wayOut.socket, inside.socket],
  ];
}

/** Code can use no key, and does not learn which ones there are. */
function keyListArguments({ empty }: SandboxLayout): string[] {
  if (empty === undefined) return [];
  return ["/proc/keys", "/proc/key-users"].filter(existsSync).flatMap((path) => ["--ro-bind", empty, path]);
}

function isWithinSystem(path: string): boolean {
  return systemFolders.some((folder) => path.startsWith(`${folder}/`));
}

/** Merged-/usr machines have links where others have folders. */
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

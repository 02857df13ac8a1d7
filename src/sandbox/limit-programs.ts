import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pattern } from "../base/pattern.ts";
import type { SandboxLimits } from "./isolation.ts";
import { findPrograms } from "./run/programs.ts";

/** The programs of util-linux that set limits; undefined if one is missing (macOS, minimal images). */
export const findLimitPrograms = () => findPrograms("prlimit", "setpriv", "choom");
export type LimitPrograms = NonNullable<Awaited<ReturnType<typeof findLimitPrograms>>>;

/** Open files of a process: each pipe and socket may use memory. */
const openFiles = 2_048;
/** Pending signals and timers: they are counted for all processes of the bot's user. */
const pendingSignals = 1_024;

/**
 * A command prefix that limits the command: memory by RLIMIT_DATA (RLIMIT_AS would count V8's mere reservations), CPU seconds if there is a
 * time limit, file size, open files, pending signals, no core dumps.
 */
export function limitPrefix(
  programs: LimitPrograms,
  limits: SandboxLimits,
  { timeoutMs, processes }: { timeoutMs?: number | undefined; processes?: number | undefined },
): string[] {
  return [
    programs.prlimit,
    `--data=${limits.memoryBytes}`,
    ...(timeoutMs === undefined ? [] : [`--cpu=${Math.ceil(timeoutMs / 1000) + 1}`]),
    `--fsize=${limits.workspaceBytes}`,
    ...lowered("open files", `--nofile=${openFiles}`, openFiles),
    ...lowered("pending signals", `--sigpending=${pendingSignals}`, pendingSignals),
    "--core=0",
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    "--",
  ];
}

/** The option, unless the bot's own hard limit is lower, which only root may raise (proc_pid_limits(5)). */
function lowered(name: string, option: string, wanted: number): string[] {
  try {
    const [, hard = ""] =
      pattern("m")`^Max ${name} +\S+ +(\d+) `.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return hard !== "" && Number(hard) < wanted ? [] : [option];
  } catch {
    // No /proc: when the isolation is tried, prlimit reports what does not work.
    return [option];
  }
}

/** A command prefix that makes the kernel kill the command first when the machine runs out of memory. Needs /proc. */
export function killedFirstPrefix(programs: LimitPrograms | undefined): string[] {
  return programs === undefined ? [] : [programs.choom, "-n", "1000", "--"];
}

/**
 * The programs that create file systems in memory with a limited number of files: bubblewrap limits only their bytes. Undefined if one is
 * missing.
 */
export const findMountPrograms = () => findPrograms("unshare", "mount", "sh");
export type MountPrograms = NonNullable<Awaited<ReturnType<typeof findMountPrograms>>>;

/** Bytes per allowed file or folder: a page of memory. */
const bytesPerFile = 4_096;

/** The folders of a run that become its /workspace and /tmp. */
export interface BoundedFolders {
  workspace: string;
  temp: string;
}

export async function makeBoundedFolders(runFolder: string): Promise<BoundedFolders> {
  const folders = { workspace: join(runFolder, "workspace"), temp: join(runFolder, "temp") };
  await Promise.all(Object.values(folders).map((path) => mkdir(path)));
  return folders;
}

const shellScript = `mount=$1 options=$2 workspace=$3 temp=$4
shift 4
"$mount" -t tmpfs -o "$options" tmpfs "$workspace" && "$mount" -t tmpfs -o "$options" tmpfs "$temp" && exec "$@"`;

/**
 * A command prefix that mounts a file system of `bytes` bytes on each of the folders, with as many files as it has pages of memory. Only
 * the process started by the prefix sees them, and they vanish with it. `asRoot`: the bot may mount without a user namespace.
 */
export function boundedFoldersPrefix(
  programs: MountPrograms,
  { workspace, temp }: BoundedFolders,
  { bytes, asRoot }: { bytes: number; asRoot: boolean },
): string[] {
  const files = Math.max(16, Math.floor(bytes / bytesPerFile));
  const options = `size=${bytes},nr_inodes=${files},mode=1777,nosuid,nodev`;
  return [
    ...[programs.unshare, "--mount", ...(asRoot ? [] : ["--map-root-user"]), "--"],
    ...[programs.sh, "-c", shellScript, "mount", programs.mount, options, workspace, temp],
  ];
}

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findPrograms } from "./run/programs.ts";

/** The programs that create file systems in memory with a limited number of files: bubblewrap limits only their bytes. */
export interface MountPrograms {
  unshare: string;
  mount: string;
  sh: string;
}

/** All of them, or undefined if one is missing. */
export async function findMountPrograms(): Promise<MountPrograms | undefined> {
  return await findPrograms("unshare", "mount", "sh");
}

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

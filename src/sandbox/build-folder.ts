import { constants, type Stats } from "node:fs";
import { chmod, chown, lstat, mkdir, open, readdir, readlink } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { onOneLine } from "../base/text/invisible-text.ts";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import { outputFolder } from "./isolation.ts";

/** The working folder of an installer inside. */
export const buildInside = "/workspace";

/** Maximum files of a set, and bytes of a report or lock that an installer writes. */
const maxFiles = 200_000;
const maxReport = 50_000_000;

/** Why the result of an installer cannot be used, for a person. */
export class BuildRefusal extends Error {
  readonly code = "build_refused";
}

/** A folder in which an installer of the sandbox works, empty except for folders for its temporary files. */
export async function openBuild(folder: string, maxBytes: number): Promise<MountedFolder> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const name of [outputFolder, "temp", "cache"]) {
    await mkdir(join(folder, name));
    // The installer may run as another user, who sees nothing but this folder.
    await chmod(join(folder, name), 0o777);
  }
  return {
    mounts: [{ from: folder, to: buildInside, writable: true }],
    working: buildInside,
    output: `${buildInside}/${outputFolder}`,
    room: maxBytes,
    async exceeded(deleted = 0) {
      const { bytes, files } = await measure(folder);
      return bytes + deleted > maxBytes || files > 2 * maxFiles ? tooLarge(maxBytes) : undefined;
    },
  };
}

/** What exceeds the limit, and the setting to change. */
export function tooLarge(maxBytes: number): string {
  return `It is larger than ${Math.round(maxBytes / 1_048_576)} MB (skills.execution.package_megabytes) or has more than ${maxFiles} files.`;
}

async function measure(folder: string): Promise<{ bytes: number; files: number }> {
  const sum = { bytes: 0, files: 0 };
  const look = async (path: string): Promise<void> => {
    // Files that the installer removes meanwhile no longer count.
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      if (sum.files > 2 * maxFiles) return;
      sum.files += 1;
      const full = join(path, entry.name);
      if (entry.isDirectory()) await look(full);
      else sum.bytes += (await lstat(full).catch(() => undefined))?.size ?? 0;
    }
  };
  await look(folder);
  return sum;
}

/**
 * Makes the files of an installer the bot's own, readable for all code and writable for none. Links that lead out and special files are
 * refused. Nothing may write there any more. Returns its size. @throws BuildRefusal
 */
export async function sealFolder(folder: string, maxBytes: number): Promise<number> {
  let bytes = 0;
  let files = 0;
  const seal = async (path: string): Promise<void> => {
    const found = await lstat(path);
    files += 1;
    bytes += found.isFile() ? found.size : 0;
    if (bytes > maxBytes || files > maxFiles) throw new BuildRefusal(tooLarge(maxBytes));
    if (found.isSymbolicLink()) return await checkLink(path, folder);
    await own(path, found, folder);
    if (found.isDirectory()) for (const name of await readdir(path)) await seal(join(path, name));
  };
  await seal(folder);
  return bytes;
}

/** @throws BuildRefusal for a special file */
async function own(path: string, found: Stats, folder: string): Promise<void> {
  if (!found.isDirectory() && !found.isFile()) throw new BuildRefusal(`${shown(path, folder)} is no file.`);
  const user = process.getuid?.() ?? found.uid;
  if (found.uid !== user) await chown(path, user, process.getgid?.() ?? found.gid);
  await chmod(path, modeOf(found));
}

function modeOf(found: Stats): number {
  if (found.isDirectory()) return 0o755;
  return (found.mode & 0o111) === 0 ? 0o644 : 0o755;
}

async function checkLink(path: string, folder: string): Promise<void> {
  const target = await readlink(path);
  const leadsTo = resolve(dirname(path), target);
  if (target.startsWith("/") || !`${leadsTo}/`.startsWith(`${folder}/`))
    throw new BuildRefusal(`The link ${shown(path, folder)} in it leads out of its folder.`);
}

function shown(path: string, folder: string): string {
  return onOneLine(relative(folder, path)).slice(0, 200);
}

/** A text that an installer wrote, undefined if there is none. Links are not followed. @throws BuildRefusal when it is too long */
export async function readReport(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) return undefined;
    if (found.size > maxReport) throw new BuildRefusal("The report of the installer is too long.");
    return await file.readFile("utf8");
  } catch (error) {
    if (error instanceof BuildRefusal) throw error;
    return undefined;
  }
}

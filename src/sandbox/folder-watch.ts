import { readdir, stat, statfs } from "node:fs/promises";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import { processTree } from "./memory-watch.ts";

/** Delay before the first check of a process, ms: code may first tidy up a folder that had too many files. */
const firstMs = 500;

/** Minimum pause between two checks, as a multiple of the duration of the last one. */
const restFactor = 5;

/** Maximum open files counted in one check, which must not block the bot. */
const maxOpened = 4_096;

/** Free space that a disk must keep: a share of it, and at most this many bytes. */
const minFreeShare = 0.02;
const maxKeptFreeBytes = 500_000_000;

const diskFull =
  "The disk of this machine is nearly full, so this code was stopped. What it wrote is kept. An operator has to make room.";

/**
 * Checks repeatedly whether a process has filled its working folder, or the disk that holds it: with files that have names, and with
 * deleted ones that its processes keep open. Calls `onFull` once, with a reason for a person. Returns a function that ends the watch.
 * @param everyMs pause between two checks; longer if a check takes long
 */
export function watchFolder(
  pid: number,
  working: MountedFolder | undefined,
  everyMs: number,
  onFull: (reason: string) => void,
): () => void {
  if (working === undefined) return () => {};
  const folder = working.mounts.find(({ writable }) => writable)?.from ?? "/";
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let minFree: number | undefined;
  const full = async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    const free = bavail * bsize;
    // If little was free before, half of that.
    minFree ??= Math.min(maxKeptFreeBytes, blocks * bsize * minFreeShare, free / 2);
    return free < minFree ? diskFull : await working.exceeded(await deletedBytes(pid, folder));
  };
  const look = async () => {
    const began = performance.now();
    // After a failed check the next one follows as usual.
    const reason = await full().catch(() => undefined);
    if (ended) return;
    if (reason !== undefined) return onFull(reason);
    again(Math.max(everyMs, restFactor * (performance.now() - began)));
  };
  const again = (afterMs: number) => {
    timer = setTimeout(() => void look(), afterMs);
    timer.unref();
  };
  again(Math.max(everyMs, firstMs));
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** The size of nameless files that the process or a descendant has open, on the disk of the folder. Linux only. */
async function deletedBytes(pid: number, folder: string): Promise<number> {
  const { dev } = await stat(folder);
  const bytes = new Map<number, number>();
  let looked = 0;
  for (const each of await processTree(pid)) {
    for (const descriptor of await readdir(`/proc/${each.pid}/fd`).catch(() => [])) {
      looked += 1;
      if (looked > maxOpened) break;
      const found = await stat(`/proc/${each.pid}/fd/${descriptor}`).catch(() => undefined);
      if (found?.isFile() === true && found.nlink === 0 && found.dev === dev)
        bytes.set(found.ino, found.blocks * 512);
    }
  }
  return [...bytes.values()].reduce((sum, each) => sum + each, 0);
}

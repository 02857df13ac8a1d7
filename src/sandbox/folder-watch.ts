import { readdir, stat, statfs } from "node:fs/promises";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import { processTree } from "./memory-watch.ts";

/** When a process is looked at first, ms: what had too many files before may be tidied up. */
const firstMs = 500;

/** After a look, this many times what it took passes before the next one. */
const restFactor = 5;

/** Open files that one look counts; a look must not hold up the bot. */
const maxOpened = 4_096;

/** What a disk must have left: a share of it, and at most so many bytes. */
const leastShare = 0.02;
const leastBytes = 500_000_000;

const diskFull =
  "The disk of this machine is nearly full, so this code was stopped. What it wrote is kept. An operator has to make room.";

/**
 * Looks again and again whether a process has filled its working folder, or the disk that has it: by files with names, and by those that
 * it deleted and its processes have open. Calls `onFull` once, with a reason for a person. Answers a function that ends the watch.
 * @param everyMs after one look until the next; longer where a look takes long
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
  let least: number | undefined;
  const full = async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    const free = bavail * bsize;
    // Where little was left before, half of it.
    least ??= Math.min(leastBytes, blocks * bsize * leastShare, free / 2);
    return free < least ? diskFull : await working.exceeded(await deletedBytes(pid, folder));
  };
  const look = async () => {
    const began = performance.now();
    // One that cannot be looked at is looked at again.
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

/** What files take that have no name any more and that the process or a descendant has open, on the disk of the folder. Linux only. */
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

import { readFile } from "node:fs/promises";

export interface MemoryLimit {
  /** Of a process and its descendants together, bytes. */
  bytes: number;
  everyMs: number;
}

/** The most processes that are counted; a limit on processes holds besides. */
const mostProcesses = 1_000;

/**
 * Looks again and again how much memory a process and all its descendants have written to, and calls `onOver` once when it
 * is too much. Limits of the kernel hold for each process; this is for all of them. Linux only (proc_pid_status(5)); memory
 * that no process maps, such as a memfd that was only written to, is not seen. Answers a function that ends the watch.
 */
export function watchMemory(pid: number, limit: MemoryLimit, onOver: () => void): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const bytes = await memoryOfTree(pid);
    if (stopped) return;
    if (bytes > limit.bytes) onOver();
    else again();
  };
  const again = () => {
    timer = setTimeout(() => void look(), limit.everyMs);
    timer.unref();
  };
  again();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

async function memoryOfTree(root: number): Promise<number> {
  let bytes = 0;
  const pending = [String(root)];
  for (let seen = 0; seen < mostProcesses; seen += 1) {
    const pid = pending.pop();
    if (pid === undefined) break;
    const [status, children] = await Promise.all([
      readProc(`/proc/${pid}/status`),
      readProc(`/proc/${pid}/task/${pid}/children`),
    ]);
    // Private memory and shared memory; what is only mapped from files costs nothing that the kernel cannot take back.
    for (const [, kilobytes] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) {
      bytes += Number(kilobytes) * 1_024;
    }
    pending.push(...children.split(" ").filter((child) => child !== ""));
  }
  return bytes;
}

async function readProc(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Ended in between, or no Linux.
    return "";
  }
}

import { readFile } from "node:fs/promises";

/** How much memory code may use, bytes. */
export interface MemoryLimits {
  /** A process and its descendants together. */
  totalMemoryBytes: number;
  /** All watched processes and their descendants. */
  allMemoryBytes: number;
}

interface Watched {
  bytes: number;
  stop(reason: string): void;
}

/** The most processes that are counted; a limit on processes holds besides. */
const mostProcesses = 1_000;

/**
 * Looks again and again how much memory processes and all their descendants have written to. Limits of the kernel hold for each
 * process; this is for all of them. Linux only (proc_pid_status(5)); memory that no process maps, such as a memfd that was only
 * written to, is not seen.
 */
export class MemoryWatch {
  readonly #limits: MemoryLimits;
  readonly #watched = new Set<Watched>();

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /**
   * Calls `onOver` once, with a reason for a person, when the process uses too much, or the most while all use too much. Answers a
   * function that ends the watch.
   */
  watch(pid: number, everyMs: number, onOver: (reason: string) => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      this.#watched.delete(watched);
      clearTimeout(timer);
    };
    const watched: Watched = {
      bytes: 0,
      stop(reason) {
        end();
        onOver(reason);
      },
    };
    const look = async () => {
      watched.bytes = await memoryOfTree(pid);
      if (!this.#watched.has(watched)) return;
      this.#judge(watched);
      if (this.#watched.has(watched)) again();
    };
    const again = () => {
      timer = setTimeout(() => void look(), everyMs);
      timer.unref();
    };
    this.#watched.add(watched);
    again();
    return end;
  }

  #judge(watched: Watched): void {
    const { totalMemoryBytes, allMemoryBytes } = this.#limits;
    if (watched.bytes > totalMemoryBytes) watched.stop(tooMuchText(totalMemoryBytes));
    const all = [...this.#watched].sort((one, other) => other.bytes - one.bytes);
    if (all.reduce((sum, { bytes }) => sum + bytes, 0) > allMemoryBytes)
      all[0]?.stop(allText(allMemoryBytes));
  }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MB`;

function tooMuchText(bytes: number): string {
  return `Its processes together needed more memory than the ${megabytes(bytes)} they may use, and were stopped.`;
}

function allText(bytes: number): string {
  return `All code of skills together needed more memory than the ${megabytes(bytes)} it may use (skills.execution.all_memory_megabytes). This code used the most and was stopped.`;
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

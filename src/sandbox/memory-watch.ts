import { readdir, readFile, readlink } from "node:fs/promises";
import { freemem } from "node:os";

/** Memory limits of code, bytes. */
export interface MemoryLimits {
  /** A process and its descendants together. */
  totalMemoryBytes: number;
  /** All watched processes and their descendants. */
  allMemoryBytes: number;
  /** Free memory that the machine must keep, whoever uses the rest. */
  minFreeBytes: number;
}

interface Watched {
  bytes: number;
  stop(reason: string): void;
}

/** Maximum processes that are counted; the limit on processes applies independently. */
const maxProcesses = 1_000;

/** Bytes that a socket may hold unread: slightly more than the usual maximum buffer (socket(7), wmem_default). */
const socketBytes = 262_144;

/** How long the machine's memory may take to become free after something was stopped, ms. */
const comesBackMs = 1_000;

/**
 * Checks repeatedly how much memory processes and all their descendants use. The kernel's limits apply to each process; these apply to all
 * of them together. Linux only. It counts private and shared memory, including swapped-out pages, page tables (proc_pid_status(5)), and the
 * sockets of a separate network namespace. Other kernel memory shows only in the free memory of the machine.
 */
export class MemoryWatch {
  readonly #limits: MemoryLimits;
  readonly #watched = new Set<Watched>();
  #stoppedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /**
   * Calls `onOver` once, with a reason for a person, when the process uses too much, or when it uses the most while all together use too
   * much. Returns a function that ends the watch.
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
    const [most, ...others] = [...this.#watched].sort((one, other) => other.bytes - one.bytes);
    const all = others.reduce((sum, { bytes }) => sum + bytes, most?.bytes ?? 0);
    if (all > allMemoryBytes) most?.stop(allText(allMemoryBytes));
    else if (this.#isMachineShort()) most?.stop(machineText);
  }

  /** Not again until the stopped process has released its memory. */
  #isMachineShort(): boolean {
    const now = performance.now();
    if (process.platform !== "linux" || now < this.#stoppedAt + comesBackMs) return false;
    if (freemem() >= this.#limits.minFreeBytes) return false;
    this.#stoppedAt = now;
    return true;
  }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MB`;

function tooMuchText(bytes: number): string {
  return `Its processes together needed more memory than the ${megabytes(bytes)} they may use, and were stopped.`;
}

function allText(bytes: number): string {
  return `All code of skills together needed more memory than the ${megabytes(bytes)} it may use (skills.execution.all_memory_megabytes). This code used the most and was stopped.`;
}

const machineText =
  "This machine ran short of memory. Of the code of skills that ran, this code used the most and was stopped.";

async function memoryOfTree(root: number): Promise<number> {
  const tree = await processTree(root);
  let bytes = 0;
  for (const { status } of tree) {
    // Memory that is only mapped from files can be reclaimed by the kernel.
    for (const [, kilobytes] of status.matchAll(/^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s+(\d+) kB$/gm)) {
      bytes += Number(kilobytes) * 1_024;
    }
  }
  return bytes + (await socketsOf(tree[1]?.pid)) * socketBytes;
}

/** The process and its descendants, parents before children, with the kernel's status of each (proc_pid_status(5)). */
export async function processTree(root: number): Promise<{ pid: string; status: string }[]> {
  const tree: { pid: string; status: string }[] = [];
  const pending = [String(root)];
  for (let pid = pending.pop(); pid !== undefined && tree.length < maxProcesses; pid = pending.pop()) {
    const [status, children] = await Promise.all([readProc(`/proc/${pid}/status`), childrenOf(pid)]);
    tree.push({ pid, status });
    pending.push(...children);
  }
  return tree;
}

/** Each thread lists the children that it started. */
async function childrenOf(pid: string): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => readProc(`/proc/${pid}/task/${thread}/children`)));
  return lists.flatMap((list) => list.split(" ").filter((child) => child !== ""));
}

/** The number of sockets in the process's network namespace, unless that is the bot's own. */
async function socketsOf(pid: string | undefined): Promise<number> {
  if (pid === undefined) return 0;
  const [its, own] = await Promise.all([pid, "self"].map((each) => linkOf(`/proc/${each}/ns/net`)));
  if (its === undefined || its === own) return 0;
  return Number(/^sockets: used (\d+)/.exec(await readProc(`/proc/${pid}/net/sockstat`))?.[1] ?? 0);
}

async function linkOf(path: string): Promise<string | undefined> {
  return await readlink(path).catch(() => undefined);
}

async function readProc(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Ended in between, or not Linux.
    return "";
  }
}

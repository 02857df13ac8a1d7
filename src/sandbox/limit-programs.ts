import type { SandboxLimits } from "./isolation.ts";
import { findPrograms } from "./programs.ts";

/** The programs of util-linux that set limits. */
export interface LimitPrograms {
  prlimit: string;
  setpriv: string;
  choom: string;
}

/** All of them, or undefined where one is missing (macOS, minimal images). */
export async function findLimitPrograms(): Promise<LimitPrograms | undefined> {
  return await findPrograms("prlimit", "setpriv", "choom");
}

/**
 * A command prefix that limits what it runs: memory by RLIMIT_DATA (RLIMIT_AS would count what V8 only reserves), CPU
 * seconds where there is a time limit, file size, no core dumps.
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
    "--core=0",
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    "--",
  ];
}

/** A command prefix that makes the kernel choose what it runs first when the machine runs out of memory. Needs /proc. */
export function firstToGo(programs: LimitPrograms | undefined): string[] {
  return programs === undefined ? [] : [programs.choom, "-n", "1000", "--"];
}

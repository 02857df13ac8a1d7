import { readFileSync } from "node:fs";
import { pattern } from "../base/pattern.ts";
import type { SandboxLimits } from "./isolation.ts";
import { findPrograms } from "./run/programs.ts";

/** The programs of util-linux that set limits. */
export interface LimitPrograms {
  prlimit: string;
  setpriv: string;
  choom: string;
}

/** All of them, or undefined if one is missing (macOS, minimal images). */
export async function findLimitPrograms(): Promise<LimitPrograms | undefined> {
  return await findPrograms("prlimit", "setpriv", "choom");
}

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

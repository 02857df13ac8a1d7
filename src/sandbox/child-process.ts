import type { ChildProcess, StdioOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { spawnGroup, writeAndEnd } from "../process/process-group.ts";
import type { Launch } from "./isolation.ts";

/** A process was not started. `reason` is the code of the operating system. */
export interface StartFailure {
  reason: string;
}

/**
 * Starts a process as the leader of a group, with pipes to all its streams, and sends it its private input. It gets no other file
 * descriptor of the bot. `spawn` throws some failures (E2BIG) and emits others (ENOENT, as `error`); thrown ones are returned as values.
 */
export function startProcess(launch: Launch): ChildProcess | StartFailure {
  const nothing = openSync("/dev/null", "r");
  try {
    const { file, args, cwd, env } = launch;
    const child = spawnGroup(file, args, { cwd, env, stdio: streams(launch, nothing) });
    writeAndEnd(child.stdio[3] as Writable | null | undefined, launch.privateInput ?? "");
    const opened: readonly unknown[] = child.stdio;
    writeAndEnd(opened[5] as Writable | null | undefined, launch.filter ?? "");
    return child;
  } catch (error) {
    if (error instanceof Error && "code" in error) return { reason: startFailure(error) };
    throw error;
  } finally {
    closeSync(nothing);
  }
}

/** The descriptors of a process. `spawn` leaves a descriptor that the bot inherited open unless another one takes its number. */
function streams(launch: Launch, nothing: number): StdioOptions {
  const taken: ("pipe" | number | undefined)[] = ["pipe", "pipe", "pipe"];
  for (const descriptor of inheritedDescriptors()) taken[descriptor] ??= nothing;
  if (launch.privateInput !== undefined) taken[3] = "pipe";
  if (launch.filter !== undefined) taken[5] = "pipe";
  return Array.from(taken, (each) => each ?? "ignore");
}

const closeOnExec = 0o2000000;

/**
 * Descriptors that the bot inherited from its parent (open(2), O_CLOEXEC): Node itself opens none that a child gets. Empty without /proc.
 */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fdinfo").map(Number).filter(isInherited);
  } catch {
    // Not Linux.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = "0"] =
      /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return descriptor > 2 && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor of the list itself.
    return false;
  }
}

/** Why a process was not started, for a person. */
export function startFailure(error: Error & { code?: unknown }): string {
  if (error.code === "E2BIG") {
    return "The script was not started: its arguments are too long. Pass long input through its standard input.";
  }
  return `The script was not started (${String(error.code ?? error.message)}). Try again; if it stays, run "knack doctor".`;
}

/** Why the operating system cannot pass a value to a process as a variable, in words for a person. */
export function malformedEnvironment(env: Readonly<Record<string, string>>): string | undefined {
  const bad = Object.entries(env).find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"));
  return (
    bad && `The environment variable ${JSON.stringify(bad[0])} has a name or value that cannot be passed on.`
  );
}

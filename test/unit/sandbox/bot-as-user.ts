import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ScriptOutcome } from "../../../src/core/ports/work-context.ts";
import type { SandboxLimits } from "../../../src/sandbox/isolation.ts";

export interface BotRequest {
  files: Record<string, string>;
  script: string;
  timeoutMs: number;
  limits?: Partial<SandboxLimits>;
}

/** What the process that runs the sandbox begins with. */
export interface BotProcess {
  user: BotUser;
  /** A program and its first arguments, which ends as the command that is appended to it. */
  startedBy?: readonly string[];
  /** File descriptors it inherits, by number. */
  descriptors?: Readonly<Record<number, number>>;
}

export type BotUser = "root" | "nobody" | "tester";

/** Tests that run as root try the sandbox of a root bot and that of an ordinary one; others can only try their own. */
export const botUsers: readonly BotUser[] = process.getuid?.() === 0 ? ["root", "nobody"] : ["tester"];

const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];

/** What a command begins with that this user runs. */
export function startedAs(user: BotUser): readonly string[] {
  return user === "nobody" ? asNobody : [];
}

/** Starts a process that runs one script of a skill in the sandbox, and prints the outcome. */
export function startAs(
  { user, startedBy = [], descriptors = {} }: BotProcess,
  request: BotRequest,
): ChildProcess {
  const entry = join(import.meta.dirname, "script-process.ts");
  const [file = "", ...args] = [
    ...startedAs(user),
    ...startedBy,
    ...[process.execPath, entry, JSON.stringify(request)],
  ];
  const stdio: (number | "ignore" | "pipe")[] = ["ignore", "pipe", "pipe"];
  for (const [at, descriptor] of Object.entries(descriptors)) stdio[Number(at)] = descriptor;
  return spawn(file, args, { stdio: Array.from(stdio, (each) => each ?? "ignore") });
}

/** Runs one script of a skill in the sandbox of another process. */
export async function runAs(
  bot: BotProcess,
  request: BotRequest,
): Promise<{ isolation: { isolation: string; detail: string }; outcome: ScriptOutcome }> {
  const child = startAs(bot, request);
  if (child.stdout === null || child.stderr === null) throw new Error("It has no output.");
  const [said, complaints] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (said === "") throw new Error(complaints);
  return JSON.parse(said);
}

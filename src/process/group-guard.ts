import { spawn } from "node:child_process";

/** How long a group may take to end by itself when the bot is gone, seconds. */
const graceSeconds = 1;

/** Ends a process group with the bot. */
export interface GroupGuard {
  /** The group has ended: nothing is killed any more. */
  release(): void;
}

/**
 * Kills a process group when this process ends, however it does: a server that is busy or waits for something does not notice that
 * its input was closed, and a killed bot can end nothing. The guard is a shell that waits for the end of its own input. Where there
 * is no `/bin/sh` (Windows), servers end with their input alone.
 */
export function guardGroup(leader: number, env: Readonly<Record<string, string>>): GroupGuard {
  const script = `read -r _; sleep ${graceSeconds}; kill -KILL -${leader}`;
  const guard = spawn("/bin/sh", ["-c", script], {
    env,
    stdio: ["pipe", "ignore", "ignore"],
    // Whatever ends the bot's group, such as Ctrl+C in its terminal, must not end the guard before.
    detached: true,
  });
  // Without it servers end with their input; with it released, its pipe may break.
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  return { release: () => void guard.kill("SIGKILL") };
}

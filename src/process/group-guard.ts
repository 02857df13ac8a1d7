import { spawn } from "node:child_process";

/** How long a group may take to end by itself when the bot is gone, seconds. */
const graceSeconds = 1;

/** Ends a process group with the bot. */
export interface GroupGuard {
  /** The group has ended: nothing is killed any more. */
  release(): void;
}

/**
 * Kills a process group when this process ends, however it ends: a busy or waiting server does not notice that its input was closed, and a
 * killed bot can end nothing. The guard is a shell that waits for the end of its own input. Without `/bin/sh` (Windows), only the end of
 * their input ends servers.
 */
export function guardGroup(leader: number, env: Readonly<Record<string, string>>): GroupGuard {
  const script = `read -r _; sleep ${graceSeconds}; kill -KILL -${leader}`;
  const guard = spawn("/bin/sh", ["-c", script], {
    env,
    stdio: ["pipe", "ignore", "ignore"],
    // A signal to the bot's group, such as Ctrl+C in its terminal, must not end the guard first.
    detached: true,
  });
  // Without the guard, servers end with their input; when it is released, its pipe may break.
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  return { release: () => void guard.kill("SIGKILL") };
}

import type { TurnOutcome } from "../core/turn-event.ts";

/** The exit codes of the command line; scripts rely on them. */
export const exitCode = { ok: 0, failed: 1, usage: 2, limitReached: 3, stopped: 130 } as const;

/** The exit code of a turn. */
export function exitCodeOf(outcome: TurnOutcome): number {
  switch (outcome) {
    case "completed":
      return exitCode.ok;
    case "failed":
      return exitCode.failed;
    case "limit_reached":
      return exitCode.limitReached;
    case "stopped":
      return exitCode.stopped;
    default:
      return outcome satisfies never;
  }
}

import type { TurnHealth } from "../../src/core/log/turn-log.ts";

/** The number of turns that are not finished. */
export async function pendingTurns(log: TurnHealth): Promise<number> {
  const { queued, running, waiting } = await log.backlog();
  return queued + running + waiting;
}

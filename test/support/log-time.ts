import type { ClaimedTurn, TurnLog } from "../../src/core/log/turn-log.ts";
import type { StoreClock } from "../../src/storage/store-clock.ts";

/** A clock that is set by hand. */
class LogTime implements StoreClock {
  #now = 0;
  #steady = 0;
  now = () => this.#now;
  steady = () => this.#steady;

  /** Sets the wall clock, ms since the epoch, and steady time, which is the same unless given. */
  set(now: number, steady = now): void {
    this.#now = now;
    this.#steady = steady;
  }
}

/** The clock of logs whose turns a test claims by hand. */
export const logTime = new LogTime();

/** Claims at this time, ms. */
export function claimAt(
  log: TurnLog,
  now: number,
  ...claim: Parameters<TurnLog["claim"]>
): Promise<ClaimedTurn | undefined> {
  logTime.set(now);
  return log.claim(...claim);
}

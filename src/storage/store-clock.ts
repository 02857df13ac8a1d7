/** The time by which a store decides when leases and waits end. */
export interface StoreClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since the epoch according to the clock at the start of the process, plus the time elapsed since: it never jumps when the
   * clock is set. For leases.
   *
   * The times of two processes agree only as far as the wall clock did at their starts. A bot on SQLite relies on being the only process:
   * the lock of the data folder keeps others out, and `TurnLog.reclaim` releases at its start whatever an earlier process had leased.
   */
  steady(): number;
}

/** The time of this machine. */
export const systemTime: StoreClock = {
  now: () => Date.now(),
  steady: () => performance.timeOrigin + performance.now(),
};

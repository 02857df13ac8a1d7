/** The time, as core and app see it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since the epoch as the clock said when the process started, plus the time that passed since: it never jumps
   * when the clock is set. For leases and durations.
   *
   * Times of two processes agree only as far as the wall clock did when each of them started. The bot relies on there being one: the lock
   * of the data folder keeps others out, and `TurnLog.reclaim` frees at its start whatever an earlier process had leased.
   */
  steady(): number;
  /** Calls back once after `ms`, unless the answered function is called before. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

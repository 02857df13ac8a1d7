/** How long to wait between tries. */
export interface Backoff {
  /** The wait after the first failure, ms. */
  minMs: number;
  /** The longest wait before jitter, ms. */
  maxMs: number;
  /** What the wait is multiplied with, so that several waiters spread out. A random number around 1; 1 unless given. */
  jitter?: number;
}

/** Milliseconds to wait after `failures` failed tries in a row (1 or more): doubled with each one, up to the maximum. */
export function backoff(failures: number, { minMs, maxMs, jitter = 1 }: Backoff): number {
  return Math.min(maxMs, minMs * 2 ** (failures - 1)) * jitter;
}

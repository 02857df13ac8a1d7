/** Delays between attempts. */
export interface Backoff {
  /** The delay after the first failure, ms. */
  minMs: number;
  /** The maximum delay before jitter, ms. */
  maxMs: number;
  /** A random factor around 1 that spreads out concurrent attempts; 1 by default. */
  jitter?: number;
}

/** The delay after `failures` failed attempts in a row (1 or more), ms. It doubles with each failure, up to the maximum. */
export function backoff(failures: number, { minMs, maxMs, jitter = 1 }: Backoff): number {
  return Math.min(maxMs, minMs * 2 ** (failures - 1)) * jitter;
}

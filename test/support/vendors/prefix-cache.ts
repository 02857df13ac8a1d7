/** Prefixes of prompts that are in a vendor's cache, by a hash of all of their content. */
export interface PrefixCache {
  has(prefix: string, now: number): boolean;
  /** Keeps a prefix for `ttl` milliseconds, or renews it; never shortens its life. */
  keep(prefix: string, now: number, ttl: number): void;
  /** A use renews the prefix's lifetime. */
  renew(prefix: string, now: number): void;
}

export function createPrefixCache(): PrefixCache {
  const entries = new Map<string, { until: number; ttl: number }>();
  const has = (prefix: string, now: number) => (entries.get(prefix)?.until ?? 0) > now;
  const keep = (prefix: string, now: number, ttl: number) => {
    const longest = Math.max(ttl, has(prefix, now) ? (entries.get(prefix)?.ttl ?? 0) : 0);
    entries.set(prefix, { until: now + longest, ttl: longest });
  };
  return {
    has,
    keep,
    renew(prefix, now) {
      if (has(prefix, now)) keep(prefix, now, 0);
    },
  };
}

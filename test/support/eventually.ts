import { vi } from "vitest";

/** Repeats a check until it passes; answers what it returned. Its limit is for what never comes, not for a busy machine. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 10_000, interval: 10 });
}

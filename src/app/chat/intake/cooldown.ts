import { LRUCache } from "lru-cache";
import type { Clock } from "../../../core/clock.ts";

/** The least time between two questions of one person. */
export interface Cooldown {
  /** How long the person still has to wait, ms; 0 when they may ask. */
  left(person: string): number;
  /** They asked something. */
  start(person: string): void;
}

/** People kept in memory. */
const remembered = 10_000;

export function createCooldown(clock: Clock, cooldownMs: number): Cooldown {
  const askedAt = new LRUCache<string, number>({ max: remembered });
  return {
    left: (person) =>
      Math.max(0, (askedAt.get(person) ?? Number.NEGATIVE_INFINITY) + cooldownMs - clock.now()),
    start: (person) => void askedAt.set(person, clock.now()),
  };
}

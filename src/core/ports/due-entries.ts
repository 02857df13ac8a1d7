/**
 * What comes due by itself: schedules, reminders, and triggers that wait for a time. Kept in the turn log's store, so that one backup
 * and one power loss concern both.
 */
import type { Json } from "../values/json.ts";

export interface DueEntry {
  id: string;
  namespace: string;
  /** What it is, e.g. `schedule`: lists are made by it. */
  kind: string;
  /** When it comes due, ms since the epoch; absent while it does not (paused, or waiting for something else). */
  due_at?: number | undefined;
  /** Its content, which this port does not look into. At most 100,000 characters of JSON. */
  value: Json;
}

/** Every method is atomic, and what a resolved `put`, `change` or `remove` did survives power loss. */
export interface DueEntries {
  /** Adds an entry. @throws when its id is taken */
  add(entry: DueEntry): Promise<void>;
  get(id: string): Promise<DueEntry | undefined>;
  /** By the time they were added. All of a namespace, or of all; at most `most` (1,000 unless given). */
  list(filter: { namespace?: string; kind?: string; most?: number }): Promise<DueEntry[]>;
  /**
   * Replaces an entry by what `change` makes of it as it is stored now; `change` answers undefined to leave it. Answers the entry as it is
   * then; undefined when there is none.
   */
  change(id: string, change: (entry: DueEntry) => DueEntry | undefined): Promise<DueEntry | undefined>;
  /** Answers whether it was there. */
  remove(id: string): Promise<boolean>;
  /** Removes what a namespace has; answers how many. */
  removeAll(namespace: string): Promise<number>;
  /** Entries that are due at `now`, the longest due first; at most `most`. */
  due(now: number, most: number): Promise<DueEntry[]>;
  /** When the next one comes due, ms since the epoch. Costs the same however many there are. */
  next(): Promise<number | undefined>;
}

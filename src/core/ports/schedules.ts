/** How the agent plans to come back: the port behind the skill `schedule`. */

import type { Outcome } from "../values/failure.ts";
import type { Author, Cause } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type { Place } from "../values/place.ts";
import type { GrantedTool, PlannedView, Schedule, Trigger, TriggerCondition } from "./schedule.ts";

/** Who plans, and where. */
export interface Planner {
  author: Author;
  place: Place;
  /** Of a turn that was itself begun by a schedule or trigger: such turns plan nothing. */
  cause?: Cause | undefined;
}

/** What is to be said or done, and when. */
export type Wish = { text: string } & (
  | {
      what: "reminder" | "task";
      /** ISO 8601, with an offset or in the zone. */
      at?: string | undefined;
      /** Five fields. */
      cron?: string | undefined;
      /** IANA name; the planner's own unless given. */
      time_zone?: string | undefined;
      /** Names of the tools that the task will need. */
      tools?: readonly string[] | undefined;
    }
  | { what: "trigger"; condition: TriggerCondition }
);

/** A time as a wish has it. `time_zone`: one that was named with it. */
export type SpokenTime = ({ at: string } | { cron: string }) & { time_zone?: string };

/** A wish that can come true. */
export interface Plan {
  value: Schedule | Trigger;
  /** What people are asked, in a sentence: what, when, and the next times. */
  question: string;
  /** The same as values, for the approval. */
  shown: Json;
  /** Whether the planner has to agree whoever proposed it: everything but one reminder of their own. */
  asks: boolean;
}

export type PlanChange = "pause" | "resume" | "remove";

export interface Schedules {
  /**
   * When something is to be: ISO 8601, a cron pattern, or people's words, `tomorrow at 9` or `every weekday at 9`, in a zone (IANA name; the
   * planner's own unless given). Not ok: what to write instead.
   */
  timeOf(planner: Planner, words: string, time_zone?: string): Promise<Outcome<SpokenTime>>;
  /** When and what, from one sentence: `tomorrow at 9 remind me to call`. Not ok: what is not understood. */
  read(planner: Planner, words: string, time_zone?: string): Promise<Outcome<Wish>>;
  /** Not ok: why it cannot be, in words for a person. Nothing is stored yet. */
  plan(planner: Planner, wish: Wish): Promise<Outcome<Plan>>;
  /** Stores a plan; `key` names it, so that the same plan again is stored once. The secret of a webhook goes to its maker alone. */
  add(planner: Planner, plan: Plan, key: string): Promise<Outcome<PlannedView>>;
  /** Of a channel, in the order they were made; times are in the reader's zone. */
  list(namespace: string, reader: Author): Promise<PlannedView[]>;
  /** By who made it, or a manager of the channel. */
  change(planner: Planner, id: string, to: PlanChange): Promise<Outcome<PlannedView>>;
  /** What may run unasked in the runs of a schedule now. */
  granted(id: string): Promise<readonly GrantedTool[]>;
}

/**
 * What comes due by itself: schedules, reminders, and triggers that wait for a time. Kept in the turn log's store, so that one backup
 * and one power loss concern both.
 */

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

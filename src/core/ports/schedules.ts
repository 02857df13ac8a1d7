/** The agent's schedules and triggers: the port behind the skill `schedule`. */

import type { Outcome } from "../values/failure.ts";
import type { Author, Cause } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type { Place } from "../values/place.ts";
import type { When } from "./plan-times.ts";
import type { GrantedTool, PlannedView, Receiver, Schedule, Trigger, TriggerCondition } from "./schedule.ts";
import type { ScriptOutcome } from "./work-context.ts";
import type { MountedFolder } from "./working-folder.ts";

/** The person who plans, and the place. */
export interface Planner {
  author: Author;
  place: Place;
  /** The cause of a turn that was itself started by a schedule or trigger: such turns may not plan anything. */
  cause?: Cause | undefined;
}

/** A requested reminder, task or trigger. `for`: whom a reminder is for, if not the planner. */
export type Wish = { text: string; for?: Receiver | undefined } & (
  | ({
      what: "reminder" | "task";
      /** Names of the tools that the task will need. */
      tools?: readonly string[] | undefined;
    } & When)
  | { what: "trigger"; condition: TriggerCondition }
);

/** A valid wish, ready to be stored. */
export interface Plan {
  value: Schedule | Trigger;
  /** The question for people, one sentence: what, when, and the next times. */
  question: string;
  /** The same as values, for the approval. */
  shown: Json;
  /** Whether the planner has to agree, whoever proposed it: always, except for a single reminder. */
  asks: boolean;
  /** The id of the schedule that gets new times; absent for a new plan. */
  changes?: string | undefined;
}

export type PlanChange = "pause" | "resume" | "remove";

export interface Schedules {
  /** Checks a wish without storing anything. If not ok, the message gives the reason for a person, and what to write instead. */
  plan(planner: Planner, wish: Wish): Promise<Outcome<Plan>>;
  /** The same for new times of a schedule, which its maker and managers may set. Without a time, only the bounds of its repetition change. */
  replan(planner: Planner, id: string, when: When): Promise<Outcome<Plan>>;
  /** Stores a plan. `key` identifies it, so that a repeated call stores it once. Only the maker of a webhook gets its secret. */
  add(planner: Planner, plan: Plan, key: string): Promise<Outcome<PlannedView>>;
  /** The plans of a channel, and reminders of others for the person of these direct messages; times are in the reader's zone. */
  list(namespace: string, reader: Author): Promise<PlannedView[]>;
  /** Only its maker, a manager of the channel, or the person whom it reminds may change it. */
  change(planner: Planner, id: string, to: PlanChange): Promise<Outcome<PlannedView>>;
  /** The tools that the runs of a schedule may currently use without asking. */
  granted(id: string): Promise<readonly GrantedTool[]>;
  /** Whether people agreed to its direct messages, by their ids; absent where they were not asked. */
  receivers(id: string): Promise<{ readonly [person: string]: boolean }>;
  /** Records whether a person agrees. A reminder whose receiver no longer does is paused, and its maker is told. */
  agree(id: string, person: string, agrees: boolean): Promise<void>;
  /** Absent where there are none. */
  readonly jobs?: Jobs;
}

/** Code of the agent, and scripts of skills, that go on after their turn. */
export interface Jobs {
  /** Starts it, on the files of the thread. What it is watched for begins turns there, as does its end. If not ok, the message says why. */
  start(job: JobRequest): Promise<Outcome<{ id: string; max_ms: number }>>;
}

/** What a job runs with. */
export interface JobMeans {
  /** The working folder of its thread. */
  working: MountedFolder;
  signal: AbortSignal;
  timeout_ms: number;
  max_output_bytes: number;
  onLine(line: string): void;
  /** Called for each connection with its host. */
  onHost(host: string): void;
}

export interface JobRequest {
  /** What runs, for people: a language, or a script. */
  name: string;
  /** Its text; files that it names are brought up to date. */
  text: string;
  /** Runs it in a sandbox, to its end or its limit. */
  run(means: JobMeans): Promise<ScriptOutcome>;
  author: Author;
  place: Place;
  turn_id: string;
  call_id: string;
  /** Text in a line of its output, as it is. */
  line?: string | undefined;
  /** Time without output, ms. */
  quiet_ms?: number | undefined;
}

/**
 * Entries that are due at a time: schedules, reminders, and triggers that wait for a time. Stored with the turn log, so that both share one
 * backup and the same durability.
 */

export interface DueEntry {
  id: string;
  namespace: string;
  /** Its kind, e.g. `schedule`; lists can be filtered by it. */
  kind: string;
  /** When it is due, ms since the epoch; absent while it is not (paused, or waiting for something else). */
  due_at?: number | undefined;
  /** Its content, opaque to this port. Maximum 100,000 characters of JSON. */
  value: Json;
}

/** Every method is atomic. A resolved `put`, `change` or `remove` survives a power loss. */
export interface DueEntries {
  /** Adds an entry. @throws if its id is taken */
  add(entry: DueEntry): Promise<void>;
  get(id: string): Promise<DueEntry | undefined>;
  /** Entries in the order they were added, of one namespace or of all; at most `most` (default 1,000). */
  list(filter: { namespace?: string; kind?: string; most?: number }): Promise<DueEntry[]>;
  /**
   * Replaces an entry by the result of `change`, which gets the stored entry and may return undefined to leave it unchanged. Returns the
   * resulting entry; undefined if there is none.
   */
  change(id: string, change: (entry: DueEntry) => DueEntry | undefined): Promise<DueEntry | undefined>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
  /** Removes the entries of a namespace; returns their number. */
  removeAll(namespace: string): Promise<number>;
  /** Entries that are due at `now`, the longest overdue first; at most `most`. */
  due(now: number, most: number): Promise<DueEntry[]>;
  /** When the next entry is due, ms since the epoch. The cost does not depend on the number of entries. */
  next(): Promise<number | undefined>;
}

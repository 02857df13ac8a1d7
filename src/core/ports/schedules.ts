/**
 * Plans of people and the agent. A schedule is due at a time; a trigger waits for an event; a goal starts one turn after another. All of
 * them start turns in the name of their maker, with the maker's rights at that time.
 */
import { z } from "zod";
import type { Outcome } from "../values/failure.ts";
import { type Author, authorSchema, type Cause } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import { namespaceSchema, type Place, threadSchema } from "../values/place.ts";
import { timingSchema, type When } from "./plan-times.ts";
import type { ScriptOutcome } from "./work-means.ts";
import type { MountedFolder } from "./working-folder.ts";

/**
 * The kinds of due entries besides plans (`PlanKinds`): threads that a trigger watches for an answer, events that wait for a turn, and events
 * that had one.
 */
export const dueKinds = { watched: "watched_thread", event: "trigger_event", seen: "seen_event" } as const;

/** Maximum characters of the text of a reminder or task. */
export const maxPlanText = 4_000;

const grantedToolSchema = z.object({
  tool: z.string(),
  skill_id: z.string(),
  /** Identifies the tool, or the code it runs, as it was when people agreed. */
  definition: z.string(),
});
/** A tool that the runs of one schedule may use without asking. */
export type GrantedTool = z.infer<typeof grantedToolSchema>;

const pauseSchema = z.object({
  /** The reason for people: one sentence. */
  because: z.string(),
  /** ms since the epoch. */
  at: z.number(),
});

const receiverSchema = z.object({
  id: z.string().min(1).max(200),
  name: z.string().max(200),
  /** Their direct messages with the bot. */
  namespace: namespaceSchema,
});
/** The person whom a reminder of somebody else is for. */
export type Receiver = z.infer<typeof receiverSchema>;

/** A person for whom somebody wants a reminder. */
export interface WantedReceiver extends Receiver {
  /** They, as cards name them. */
  who: string;
}

/** The common properties of schedules, triggers and goals. */
const plannedSchema = z.object({
  /** The text to post, or the task. */
  text: z.string().min(1).max(maxPlanText),
  /** The maker at the time of creation; chat platforms look them up again for each run. */
  maker: authorSchema,
  /** Whether its namespace belongs to a chat platform: the schedule then waits while the platform is not connected. */
  on_platform: z.boolean(),
  /** The thread in which it was created. */
  thread: threadSchema,
  /** ms since the epoch. */
  made_at: z.number(),
  paused: pauseSchema.optional(),
  /** Consecutive temporary failures. */
  failures: z.number().int().default(0),
  /** Whether people who were asked agreed to its direct messages, by their ids. */
  receivers: z.record(z.string(), z.boolean()).optional(),
  /** Of a reminder: who gets it, in their direct messages, as long as `receivers` says that they agree; by default its maker. */
  for: receiverSchema.optional(),
});

const scheduleSchema = plannedSchema.extend({
  /** `reminder`: its text is posted, without a model. `task`: its text is work for the agent. */
  what: z.enum(["reminder", "task"]),
  timing: timingSchema,
  /** Time zone of its times, IANA name. */
  time_zone: z.string(),
  /** Time of the next run, ms since the epoch; absent if it never runs again. */
  next: z.number().optional(),
  tools: z.array(grantedToolSchema).max(20).default([]),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** Maximum characters kept of one event. */
export const maxHappened = 10_000;

const eventSchema = z.object({
  /** The same for every delivery of the same event. */
  key: z.string().max(300),
  /** ms since the epoch. */
  at: z.number(),
  /** Where the turn answers; absent: in the channel itself. */
  thread: threadSchema.optional(),
  /** The person who caused it, platform user id; absent if unknown. */
  by: z.string().max(200).optional(),
  /** The event as data. */
  happened: z.string().max(maxHappened),
  /** The message that the event is about; it is read when the turn begins. */
  reference: z.string().max(300).optional(),
});
/** An event that a trigger waited for. */
export type TriggerEvent = z.infer<typeof eventSchema>;

/** An event that waits for a turn of a trigger. */
export const heldEventSchema = eventSchema.extend({
  /** The trigger's id. */
  trigger: z.string(),
  /** Which of the trigger's turns reports it, counted from 0; absent while none does. */
  start: z.number().int().optional(),
});
export type HeldEvent = z.infer<typeof heldEventSchema>;

/**
 * How the sender of a webhook proves that it knows the secret: with Knack's own signature or token, or with the scheme of one of these
 * senders.
 */
export const hookKinds = ["knack", "github", "gitlab", "slack", "stripe", "hmac"] as const;
export type HookKind = (typeof hookKinds)[number];

/** What a trigger waits for. */
export const conditionSchema = z.discriminatedUnion("on", [
  /** A signed request to `/hooks/ID`; `knack` unless given. */
  z.object({ on: z.literal("webhook"), kind: z.enum(hookKinds).optional() }),
  z.object({ on: z.literal("message"), words: z.string().trim().min(1).max(300) }),
  /** `emoji`: names and characters with the same meaning, separated by spaces. `by`: only reactions of this person. */
  z.object({
    on: z.literal("reaction"),
    emoji: z.string().trim().min(1).max(100),
    by: z.string().optional(),
  }),
  /** No answer for this many hours. `here`: only in the thread in which it was created, once. */
  z.object({
    on: z.literal("quiet"),
    hours: z
      .number()
      .min(0.25)
      .max(24 * 14),
    here: z.boolean().default(false),
  }),
  /**
   * News of code or a script (`language`: which) that goes on after its turn. `alive_until`: until when its process vouches for it, ms since
   * the epoch.
   */
  z.object({ on: z.literal("job"), language: z.string(), alive_until: z.number() }),
]);
export type TriggerCondition = z.infer<typeof conditionSchema>;

/** Maximum events that wait for turns of one trigger; further ones are only counted. */
export const maxHeld = 100;

/** Maximum events reported together in one turn, if their text fits. */
export const maxTogether = 50;

export const triggerSchema = plannedSchema.extend({
  what: z.literal("trigger"),
  condition: conditionSchema,
  /** Number of turns it has started. */
  starts: z.number().int().default(0),
  /** Time of the latest of them, ms since the epoch. */
  started_at: z.number().optional(),
  /** The latest turns it started that may still be running. */
  open: z.array(z.string()).default([]),
  /** Number of events noted so far; shows whether one arrived since this was read. */
  noted: z.number().int().default(0),
  /** Number of events that were not kept because too many were waiting. */
  more: z.number().int().default(0),
});
export type Trigger = z.infer<typeof triggerSchema>;

/**
 * `blocked`: the same obstacle twice in a row, or its maker may not go on. `used_up`: it had all its turns, or nothing more may be spent.
 */
const goalStates = ["going", "reached", "blocked", "used_up", "stopped"] as const;

const goalSchema = plannedSchema.extend({
  what: z.literal("goal"),
  /** The request that set it: a repeated one changes nothing, and the keys of its turns contain it. */
  key: z.string().max(200),
  state: z.enum(goalStates),
  max_turns: z.number().int(),
  /** Number of turns it has started. */
  turns: z.number().int().default(0),
  /** The latest of them. */
  turn_id: z.string().optional(),
  /** Fingerprint of what the turn before it met: an obstacle, or its whole answer. */
  met: z.string().optional(),
});
/** An aim that the agent works towards in one thread, turn after turn. Its text is the aim. A thread has at most one. */
export type Goal = z.infer<typeof goalSchema>;

/** Everything that begins turns by itself. */
export const planSchema = z.discriminatedUnion("what", [scheduleSchema, triggerSchema, goalSchema]);
export type Plan = z.infer<typeof planSchema>;

/** Plans by the kind of their due entry, which is also the kind of cause of their turns. */
export interface PlanKinds {
  schedule: Schedule;
  trigger: Trigger;
  goal: Goal;
}

/** A goal in the form that people read. */
export const goalViewSchema = z.object({
  aim: z.string(),
  state: z.enum(goalStates),
  turns: z.number().int().describe("turns begun so far"),
  max_turns: z.number().int(),
  by: z.string().describe("who set it"),
  turn_id: z.string().optional().describe("the turn that works on it, or the last one that did"),
});
export type GoalView = z.infer<typeof goalViewSchema>;

export const watchedThreadSchema = z.object({
  trigger: z.string(),
  thread: threadSchema,
  /** The person who started it, platform user id. */
  by: z.string(),
  text: z.string().max(1_000),
  /** ms since the epoch. */
  at: z.number(),
});
/** A thread that a trigger watches until somebody answers. */
export type WatchedThread = z.infer<typeof watchedThreadSchema>;

/** Limits of schedules and triggers. Times are in ms. A schedule whose runs are less than `least_gap_ms` apart is refused. */
export interface ScheduleLimits {
  least_gap_ms: number;
  /** Maximum schedules and triggers of a channel, and of one person in it. */
  per_channel: number;
  per_person: number;
  /** A task that is later than this is reported and not run. */
  late_ms: number;
  /** Maximum concurrent turns of one trigger. */
  open_turns: number;
  /** Minimum interval between two turns of one trigger. */
  trigger_gap_ms: number;
  /** Maximum turns of one goal; 0: there are no goals. */
  goal_turns: number;
  /** Maximum time of a job; 0: there are no jobs. */
  job_ms: number;
  /** Maximum jobs of a channel at the same time. */
  jobs: number;
}

/** A schedule or trigger in the form that people read. */
export const plannedViewSchema = z.object({
  id: z.string(),
  what: z.enum(["reminder", "task", "trigger"]),
  text: z.string(),
  when: z.string().describe("in words"),
  next: z.array(z.string()).describe("the next times, in words, in the reader's zone"),
  next_at: z.array(z.number()).describe("the same, ms since the epoch"),
  tools: z.array(z.string()).describe("tools that it may use unasked"),
  by: z.string().describe("who made it"),
  for: z.string().optional().describe("whom it reminds, if not the person who made it"),
  paused: z.string().optional().describe("why it is paused"),
  address: z.string().optional().describe("of a webhook: where requests are sent"),
});
export type PlannedView = z.infer<typeof plannedViewSchema>;

/** The person who plans, and the place. */
export interface Planner {
  author: Author;
  place: Place;
  /** The cause of a turn that was itself started by a schedule or trigger: such turns may not plan anything. */
  cause?: Cause | undefined;
}

/** A requested reminder, task or trigger, or new times of a schedule. */
export type Wish =
  | ({
      what: "reminder" | "task";
      text: string;
      /** Names of the tools that the task will need. */
      tools?: readonly string[] | undefined;
    } & When)
  | { what: "trigger"; text: string; condition: TriggerCondition }
  /** Without a time, only the bounds of its repetition change. */
  | ({ what: "change"; id: string } & When);

/** A valid wish, ready to be stored. */
export interface Proposal {
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
  /**
   * Checks a wish without storing anything. If not ok, the message gives the reason for a person, and what to write instead. The maker of a
   * schedule and managers may give it new times. `receiver`: whom a reminder is for, if not the planner.
   */
  plan(planner: Planner, wish: Wish, receiver?: WantedReceiver): Promise<Outcome<Proposal>>;
  /** Stores a proposal. `key` identifies it, so that a repeated call stores it once. Only the maker of a webhook gets its secret. */
  add(planner: Planner, proposal: Proposal, key: string): Promise<Outcome<PlannedView>>;
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
  /** Starts a job on the files of its thread. What it is watched for begins turns there, as does its end. If not ok, the message says why. */
  startJob(job: JobRequest): Promise<Outcome<StartedJob>>;
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

export interface StartedJob {
  id: string;
  /** Its time limit. */
  max_ms: number;
}

/** Code of the agent, or a script of a skill, that goes on after its turn. */
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
  /** Another namespace for which it can be listed. */
  shown_in?: string | undefined;
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
  /** Entries in the order they were added, of one namespace, shown in one, or all; at most `most` (default 1,000). */
  list(filter: { namespace?: string; shown_in?: string; kind?: string; most?: number }): Promise<DueEntry[]>;
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

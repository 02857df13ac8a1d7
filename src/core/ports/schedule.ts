/**
 * Coming back: what people and the agent planned. A schedule comes due at a time; a trigger waits for something to happen. Both begin
 * turns as the person who made them, with the rights that person has then.
 */
import { z } from "zod";
import { authorSchema } from "../values/inbound.ts";
import { threadSchema } from "../values/place.ts";

/**
 * The kinds of due entries: schedules, triggers, threads that a trigger watches for an answer, events that wait for a turn, and those
 * that had one.
 */
export const dueKinds = {
  schedule: "schedule",
  trigger: "trigger",
  watched: "watched_thread",
  event: "trigger_event",
  seen: "seen_event",
} as const;

/** The longest text of a reminder or a task, characters. */
export const maxPlanText = 4_000;

/** When a schedule runs: once (ms since the epoch), or as a cron pattern of five fields says. */
const timingSchema = z.union([z.object({ at: z.number() }), z.object({ cron: z.string().max(100) })]);
export type Timing = z.infer<typeof timingSchema>;

const grantedToolSchema = z.object({
  tool: z.string(),
  skill_id: z.string(),
  /** Names the tool, or the code it runs, as it was when people agreed. */
  definition: z.string(),
});
/** A tool that runs unasked within the runs of one schedule. */
export type GrantedTool = z.infer<typeof grantedToolSchema>;

const pauseSchema = z.object({
  /** Why, for people: a sentence. */
  because: z.string(),
  /** ms since the epoch. */
  at: z.number(),
});

/** What schedules and triggers have alike. */
const plannedSchema = z.object({
  /** What is to be said or done. */
  text: z.string().min(1).max(maxPlanText),
  /** Who made it, as they were then; on chat platforms they are looked up again for each run. */
  maker: authorSchema,
  /** Whether its namespace is of a chat platform: then it waits for one that is away. */
  on_platform: z.boolean(),
  /** The thread it was made in. */
  thread: threadSchema,
  /** ms since the epoch. */
  made_at: z.number(),
  paused: pauseSchema.optional(),
  /** Tries that failed in passing, one after the other. */
  failures: z.number().int().default(0),
});

export const scheduleSchema = plannedSchema.extend({
  /** `reminder`: its text is posted, without a model. `task`: its text is work for the agent. */
  what: z.enum(["reminder", "task"]),
  timing: timingSchema,
  /** In which its times are meant, IANA name. */
  time_zone: z.string(),
  /** When it runs next, ms since the epoch; absent when it never runs again. */
  next: z.number().optional(),
  tools: z.array(grantedToolSchema).max(20).default([]),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** What is kept of one event, characters. */
export const maxHappened = 10_000;

const eventSchema = z.object({
  /** The same for every delivery of the same event. */
  key: z.string().max(300),
  /** ms since the epoch. */
  at: z.number(),
  /** Where the turn answers; absent: in the channel itself. */
  thread: threadSchema.optional(),
  /** Who caused it, platform user id; absent where nobody is known. */
  by: z.string().max(200).optional(),
  /** What happened, as data. */
  happened: z.string().max(maxHappened),
  /** The message that it happened to, which is read when the turn begins. */
  reference: z.string().max(300).optional(),
});
/** Something a trigger waited for. */
export type TriggerEvent = z.infer<typeof eventSchema>;

/** An event that waits for a turn of a trigger. */
export const heldEventSchema = eventSchema.extend({
  /** The trigger's id. */
  trigger: z.string(),
  /** Which of the trigger's turns tells it, counted from 0; absent while none does. */
  start: z.number().int().optional(),
});
export type HeldEvent = z.infer<typeof heldEventSchema>;

/** How the sender of a webhook proves that it knows the secret: our own signature or token, or as these senders do. */
export const hookKinds = ["knack", "github", "gitlab", "slack", "stripe", "hmac"] as const;
export type HookKind = (typeof hookKinds)[number];

const conditionSchema = z.discriminatedUnion("on", [
  /** A signed request to `/hooks/ID`; `knack` unless given. */
  z.object({ on: z.literal("webhook"), kind: z.enum(hookKinds).optional() }),
  z.object({ on: z.literal("message"), words: z.string().min(1).max(300) }),
  /** `emoji`: names and characters that mean the same, with spaces between them. `by`: only this person's. */
  z.object({ on: z.literal("reaction"), emoji: z.string().min(1).max(100), by: z.string().optional() }),
  /** No answer for so long. `here`: only in the thread it was made in, once. */
  z.object({
    on: z.literal("quiet"),
    hours: z
      .number()
      .min(0.25)
      .max(24 * 14),
    here: z.boolean().default(false),
  }),
]);
export type TriggerCondition = z.infer<typeof conditionSchema>;

/** Events that wait for turns of one trigger; further ones are counted. */
export const mostHeld = 100;

/** Events that one turn is told together, as far as they fit into what it is told. */
export const mostTogether = 50;

export const triggerSchema = plannedSchema.extend({
  what: z.literal("trigger"),
  condition: conditionSchema,
  /** Turns it has begun. */
  starts: z.number().int().default(0),
  /** When it began the latest, ms since the epoch. */
  started_at: z.number().optional(),
  /** The latest turns it began, as far as they may still run. */
  open: z.array(z.string()).default([]),
  /** Of earlier versions: events that wait for a turn, which are entries of their own now. */
  held: z.array(eventSchema).default([]),
  /** Events that were noted so far: tells whether one came since this was read. */
  noted: z.number().int().default(0),
  /** What happened while too much waited. */
  more: z.number().int().default(0),
});
export type Trigger = z.infer<typeof triggerSchema>;

export const watchedThreadSchema = z.object({
  trigger: z.string(),
  thread: threadSchema,
  /** Who began it, platform user id. */
  by: z.string(),
  text: z.string().max(1_000),
  /** ms since the epoch. */
  at: z.number(),
});
/** A thread that a trigger watches until somebody answers. */
export type WatchedThread = z.infer<typeof watchedThreadSchema>;

/** Two runs of a schedule that are closer than this apart are refused, and how much there may be. Times are ms. */
export interface ScheduleLimits {
  least_gap_ms: number;
  /** Schedules and triggers of a channel, and of one person in it. */
  per_channel: number;
  per_person: number;
  /** A task whose time is longer ago is not run any more, but told. */
  late_ms: number;
  /** Turns of one trigger at the same time. */
  open_turns: number;
  /** Least time between two turns of one trigger. */
  trigger_gap_ms: number;
}

/** A schedule or trigger as people read it. */
export const plannedViewSchema = z.object({
  id: z.string(),
  what: z.enum(["reminder", "task", "trigger"]),
  text: z.string(),
  when: z.string().describe("in words"),
  next: z.array(z.string()).describe("the next times, in words, in the reader's zone"),
  next_at: z.array(z.number()).describe("the same, ms since the epoch"),
  tools: z.array(z.string()).describe("tools that it may use unasked"),
  by: z.string().describe("who made it"),
  paused: z.string().optional().describe("why it is paused"),
  address: z.string().optional().describe("of a webhook: where requests are sent"),
});
export type PlannedView = z.infer<typeof plannedViewSchema>;

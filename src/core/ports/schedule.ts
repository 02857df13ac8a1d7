/**
 * Plans of people and the agent. A schedule is due at a time; a trigger waits for an event; a goal starts one turn after another. All of
 * them start turns in the name of their maker, with the maker's rights at that time.
 */
import { z } from "zod";
import { authorSchema } from "../values/inbound.ts";
import { namespaceSchema, threadSchema } from "../values/place.ts";
import { timingSchema } from "./plan-times.ts";

/**
 * The kinds of due entries: schedules, triggers, threads that a trigger watches for an answer, events that wait for a turn, events that
 * had one, and goals.
 */
export const dueKinds = {
  schedule: "schedule",
  trigger: "trigger",
  watched: "watched_thread",
  event: "trigger_event",
  seen: "seen_event",
  goal: "goal",
} as const;

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

export const scheduleSchema = plannedSchema.extend({
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

const conditionSchema = z.discriminatedUnion("on", [
  /** A signed request to `/hooks/ID`; `knack` unless given. */
  z.object({ on: z.literal("webhook"), kind: z.enum(hookKinds).optional() }),
  z.object({ on: z.literal("message"), words: z.string().min(1).max(300) }),
  /** `emoji`: names and characters with the same meaning, separated by spaces. `by`: only reactions of this person. */
  z.object({ on: z.literal("reaction"), emoji: z.string().min(1).max(100), by: z.string().optional() }),
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

export const goalSchema = plannedSchema.extend({
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

/**
 * Patterns for the messages that a trigger waits for: words, and phrases in quotes, all of which have to occur. `*` stands for the rest of
 * a word. Matching takes time proportional to the text, so no pattern can block the bot.
 */

/** Characters of a message that are searched. */
const lookedAt = 8_000;

const quoted = /["“”„«»]([^"“”„«»]+)["“”„«»]|(\S+)/g;

/** The parts of a pattern, each a sequence of words. */
function partsOf(pattern: string): string[][] {
  const parts = [...pattern.matchAll(quoted)].map(([, phrase, word]) => wordsOf(phrase ?? word ?? "", true));
  return parts.filter((words) => words.length > 0);
}

/** What is wrong with a pattern, in words for people; undefined if it is valid. */
export function wordsProblem(pattern: string): string | undefined {
  const parts = partsOf(pattern);
  const isAnything = parts.flat().every((word) => word.replaceAll("*", "").length < 2);
  if (parts.length === 0 || isAnything)
    return 'Name words that have to occur, at least one of two letters: `deploy failed`, `"deploy failed"` or `deploy*`.';
  return parts.length > 10 ? "At most ten words or phrases can be looked for." : undefined;
}

/** Whether a message contains all words and phrases of a pattern, regardless of case and accents. */
export function hasWords(pattern: string, text: string): boolean {
  const words = wordsOf(text.slice(0, lookedAt), false);
  const parts = partsOf(pattern);
  return parts.length > 0 && parts.every((part) => occurs(part, words));
}

function occurs(part: readonly string[], words: readonly string[]): boolean {
  return words.some((_, at) => part.every((wanted, offset) => fits(wanted, words[at + offset])));
}

/** `deploy*` matches a beginning, `*ment` an ending, `*ploy*` any part of the word. */
function fits(wanted: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  const core = wanted.replaceAll("*", "");
  const [open, close] = [wanted.startsWith("*"), wanted.endsWith("*")];
  if (open && close) return word.includes(core);
  if (close) return word.startsWith(core);
  return open ? word.endsWith(core) : word === core;
}

function wordsOf(text: string, stars: boolean): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.match(stars ? /[\p{L}\p{N}*]+/gu : /[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a trigger waits for this reaction. `emoji` are names and characters separated by spaces. */
export function isEmojiOf(emoji: string, reaction: string): boolean {
  const wanted = emoji.split(/\s+/).map(plainEmoji);
  return plainEmoji(reaction) !== "" && wanted.includes(plainEmoji(reaction));
}

/** Without colons, skin tones (`::skin-tone-2`) and variation selectors. */
function plainEmoji(text: string): string {
  return text
    .toLowerCase()
    .replace(/::skin-tone-\d/, "")
    .replace(/[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]/gu, "")
    .replaceAll(":", "");
}

/** How long data is kept, and when that was announced. */
import { z } from "zod";
import type { Json } from "../../core/values/json.ts";

/** Days, or `never`. */
const days = z.union([z.number(), z.literal("never")]);

const retentionPolicySchema = z.object({
  /** After the last message of a thread. */
  conversation_days: days,
  /** After a turn finished: everything except question, posts and answer. */
  run_detail_days: days,
  /** After the turn of a file finished. */
  file_days: days,
  audit_days: days,
});
export type RetentionPolicy = z.infer<typeof retentionPolicySchema>;

const announcementSchema = z.object({ policy: retentionPolicySchema, at: z.number() });
/** The policy that was announced to the operator, and when; `at` is ms since the epoch. */
export type Announcement = z.infer<typeof announcementSchema>;

/** The key of the announcement in the store. */
export const announcementKey = "retention:announced";

const dayMs = 86_400_000;

/** Notice period after an announcement, in which nothing is deleted, ms. */
const noticeMs = 14 * dayMs;

/** How long the copies of a channel's index are kept, as the end of a sentence. */
export function keptFor(kept: RetentionPolicy[keyof RetentionPolicy]): string {
  return kept === "never"
    ? "messages stay in it until search is switched off"
    : `messages are deleted from it after ${kept} days`;
}

/** The time before which data is too old, ms since the epoch; undefined when it never is. */
export function limitOf(kept: RetentionPolicy[keyof RetentionPolicy], now: number): number | undefined {
  return kept === "never" ? undefined : now - kept * dayMs;
}

/** The announcement in a stored value; undefined when there is none. */
export function readAnnouncement(stored: Json | undefined): Announcement | undefined {
  return announcementSchema.safeParse(stored).data;
}

/**
 * The announcement for a policy. A policy that deletes nothing earlier than the announced one keeps the date of announcement. In a store
 * without turns a policy applies at once, because nobody relies on old data.
 */
export function announce(
  policy: RetentionPolicy,
  { before, now, isEmpty }: { before: Announcement | undefined; now: number; isEmpty: boolean },
): Announcement {
  if (isEmpty) return { policy, at: 0 };
  if (before === undefined || isShorter(policy, before.policy)) return { policy, at: now };
  return { policy, at: before.at };
}

/** The time from which the announced policy applies, ms since the epoch. */
export function deletesFrom({ at }: Announcement): number {
  return at + noticeMs;
}

function isShorter(policy: RetentionPolicy, than: RetentionPolicy): boolean {
  const length = (kept: number | "never") => (kept === "never" ? Number.POSITIVE_INFINITY : kept);
  return kinds.some((kind) => length(policy[kind]) < length(than[kind]));
}

const kinds = ["conversation_days", "run_detail_days", "file_days", "audit_days"] as const;

/** How long data is kept. */
export const retentionStatus = z.object({
  policy: retentionPolicySchema,
  from: z
    .number()
    .describe("milliseconds since the epoch")
    .optional()
    .describe("from when old data is deleted; absent until the bot starts and announces it"),
});

/** What was deleted, or would be. */
export const retentionReport = retentionStatus.extend({
  ran: z.boolean().describe("true when the data was deleted, false when it was only counted"),
  counts: z.object({
    threads: z.number().describe("whole conversations"),
    turns: z.number().describe("turns of these conversations"),
    run_details: z.number().describe("turns that lose their steps"),
    files: z.number().describe("turns and threads that lose their files"),
    audit: z.number().describe("lines of the audit"),
    openings: z.number().describe("openings of conversations that are no longer used"),
  }),
});
export type RetentionStatus = z.output<typeof retentionStatus>;
export type RetentionReport = z.output<typeof retentionReport>;
export type RetentionCounts = RetentionReport["counts"];

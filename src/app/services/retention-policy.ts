/** How long things are kept, and since when a store knows. */
import { z } from "zod";
import type { Json } from "../../core/json.ts";

/** Days, or `never`. */
const days = z.union([z.number().int().positive(), z.literal("never")]);

const retentionPolicySchema = z.object({
  /** After the last message of a thread. */
  conversation_days: days,
  /** After a turn finished: everything but what was said, posted and answered. */
  run_detail_days: days,
  /** After the turn of the files finished. */
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

/** How long nothing is deleted after an announcement, ms. */
const noticeMs = 14 * dayMs;

/** Before this time something that is kept for so many days is old, ms since the epoch; undefined when it never is. */
export function limitOf(kept: RetentionPolicy[keyof RetentionPolicy], now: number): number | undefined {
  return kept === "never" ? undefined : now - kept * dayMs;
}

/** The announcement in a stored value; undefined when there is none. */
export function readAnnouncement(stored: Json | undefined): Announcement | undefined {
  return announcementSchema.safeParse(stored).data;
}

/**
 * What must be announced for a policy: the same as before while it deletes nothing earlier than what was announced, else anew. A
 * store without turns has nobody who relies on it, so its policy counts at once.
 */
export function announce(
  policy: RetentionPolicy,
  { before, now, isEmpty }: { before: Announcement | undefined; now: number; isEmpty: boolean },
): Announcement {
  if (isEmpty) return { policy, at: 0 };
  if (before === undefined || isShorter(policy, before.policy)) return { policy, at: now };
  return { policy, at: before.at };
}

/** From when on is deleted what the announced policy says, ms since the epoch. */
export function deletesFrom({ at }: Announcement): number {
  return at + noticeMs;
}

function isShorter(policy: RetentionPolicy, than: RetentionPolicy): boolean {
  const length = (kept: number | "never") => (kept === "never" ? Number.POSITIVE_INFINITY : kept);
  return kinds.some((kind) => length(policy[kind]) < length(than[kind]));
}

const kinds = ["conversation_days", "run_detail_days", "file_days", "audit_days"] as const;

/** What was deleted, or would be. */
export interface RetentionCounts {
  /** Whole conversations. */
  threads: number;
  /** Turns of these. */
  turns: number;
  /** Turns without their steps. */
  run_details: number;
  /** Turns without their files. */
  files: number;
  /** Lines of the audit. */
  audit: number;
  /** Beginnings of transcripts that no thread uses. */
  openings: number;
}

/** How long things are kept here. */
export interface RetentionStatus {
  policy: RetentionPolicy;
  /** From when on old things are deleted, ms since the epoch; undefined until the bot starts and announces it. */
  from?: number | undefined;
}

interface RetentionReport extends RetentionStatus {
  /** Whether anything was deleted; else `counts` is what would be. */
  ran: boolean;
  counts: RetentionCounts;
}

/** Deletes what is older than the operator wants it kept. */
export interface Retention {
  status(): Promise<RetentionStatus>;
  /** Counts what is old, and unless `dryRun` deletes it. Only counts while the policy is still announced. */
  run(options: { dryRun: boolean }): Promise<RetentionReport>;
}

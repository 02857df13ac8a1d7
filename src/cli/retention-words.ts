import type { RetentionStatus } from "../client/shapes.ts";

type Policy = RetentionStatus["policy"];

const words: Record<keyof Policy, (kept: string) => string> = {
  conversation_days: (kept) => `conversations ${kept} after their last message`,
  run_detail_days: (kept) => `steps of turns ${kept}`,
  file_days: (kept) => `files ${kept}`,
  audit_days: (kept) => `audit ${kept}`,
};

/** How to keep what would be deleted, as a sentence. */
export const howToKeep =
  "To keep it, set conversation_days, run_detail_days, file_days or audit_days of retention to more days, or to never.";

/** How long things are kept, in a line for people. */
export function retentionLine({ policy, from }: RetentionStatus, now: number): string {
  const limited = Object.entries(words).flatMap(([kind, text]) => {
    const days = policy[kind as keyof Policy];
    return days === "never" ? [] : text(days === 1 ? "1 day" : `${days} days`);
  });
  if (limited.length === 0) return "everything, until somebody deletes it";
  const kept = limited.join(", ");
  if (from === undefined) return `${kept}; nothing is deleted in the first 14 days after the bot starts`;
  return from <= now ? kept : `${kept}; what is older is deleted from ${dayOf(from)} on`;
}

/** `6 December 2026`, by UTC. */
export function dayOf(time: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(time);
}

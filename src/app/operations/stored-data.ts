import { z } from "zod";
import { forgottenPerson } from "../services/forget-person/forgotten-person.ts";
import { retentionReport, retentionStatus } from "../services/retention-policy.ts";
import { operation, type Reading } from "./operation.ts";

export const showRetention = operation({
  name: "retention.show",
  input: z.object({}),
  output: retentionStatus,
  who: "anyone",
  about: "bot",
  http: {
    route: "GET /retention",
    summary: "How long data is kept, and from when old data is deleted",
    answers: "the policy",
  },
  run: async ({ services }) => ({ ok: true, value: await services.retention.status() }),
});

export const runRetention = operation({
  name: "retention.run",
  input: z.object({
    dry_run: z.boolean().default(false).describe("whether old data is only counted"),
  }),
  output: retentionReport,
  who: { least: "operator", refusal: "Only operators may delete old data." },
  http: {
    route: "POST /retention",
    summary: "Count old data, or delete it now",
    answers: "what was deleted, or would be",
  },
  commandLine: {
    command: "retention",
    options: ["--dry-run"],
    read: ({ dryRun }) => ({ dry_run: dryRun !== undefined }),
  },
  text: reportText,
  async run({ input: { dry_run: dryRun }, services }) {
    return { ok: true, value: await services.retention.run({ dryRun }) };
  },
  audit({ ran }) {
    const detail = "deleted what is older than the settings keep";
    return ran ? { action: "old_data_deleted", subject: "retention", detail } : undefined;
  },
});

type Report = z.output<typeof retentionReport>;

/** Says how to keep data that would be deleted. */
export const howToKeep =
  "To keep it, set conversation_days, run_detail_days, file_days or audit_days of retention to more days, or to never.";

const kinds: Record<keyof Report["policy"], (kept: string) => string> = {
  conversation_days: (kept) => `conversations ${kept} after their last message`,
  run_detail_days: (kept) => `steps of turns ${kept}`,
  file_days: (kept) => `files ${kept}`,
  audit_days: (kept) => `audit ${kept}`,
};

/** How long data is kept, in one line. @param now ms since the epoch */
export function retentionLine({ policy, from }: z.output<typeof retentionStatus>, now: number): string {
  const limited = Object.entries(kinds).flatMap(([kind, text]) => {
    const days = policy[kind as keyof Report["policy"]];
    return days === "never" ? [] : text(days === 1 ? "1 day" : `${days} days`);
  });
  if (limited.length === 0) return "everything, until somebody deletes it";
  const kept = limited.join(", ");
  if (from === undefined) return `${kept}; nothing is deleted in the first 14 days after the bot starts`;
  return from <= now ? kept : `${kept}; what is older is deleted from ${dayOf(from)} on`;
}

/** `6 December 2026`, by UTC. */
function dayOf(time: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(time);
}

const dayMs = 86_400_000;

function reportText(report: Report, { dry_run }: { dry_run: boolean }, { now }: Reading): string {
  const { from, ran, policy, counts } = report;
  const counted = [
    [policy.conversation_days, `conversations: ${counts.threads}, with ${several(counts.turns, "turn")}`],
    [policy.run_detail_days, `steps: of ${several(counts.run_details, "turn")}; question and answer stay`],
    [policy.file_days, `files: of ${several(counts.files, "turn")}`],
    [policy.audit_days, `audit: ${several(counts.audit, "line")}`],
  ] as const;
  const lines = counted.map(([kept, text]) => {
    const since = kept === "never" ? "kept forever" : `older than ${dayOf(now - kept * dayMs)}`;
    return `- ${text} (${since})`;
  });
  if (ran) return ["Deleted:", ...lines].join("\n");
  const waits = from !== undefined && from > now;
  return [
    `Kept: ${retentionLine(report, now)}`,
    dry_run ? "Would be deleted now:" : "Nothing is deleted yet. Already old:",
    ...lines,
    ...(waits || from === undefined ? ["", howToKeep] : []),
  ].join("\n");
}

function several(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

const person = z.string().min(1).max(300).describe("a user id of a platform, or platform:workspace:id");
const who = { least: "operator", refusal: "Only an operator of the bot may forget a person." } as const;

export const lookUpPerson = operation({
  name: "person.show",
  input: z.object({ id: person }),
  output: forgottenPerson,
  who,
  http: {
    route: "GET /people/{id}",
    summary: "What is stored about a person; changes nothing",
    answers: "what would be deleted",
  },
  run: ({ input: { id }, asker, services }) => services.people.forget(id, asker, { dryRun: true }),
});

export const forgetPerson = operation({
  name: "person.forget",
  input: z.object({
    id: person,
    leave_posts: z
      .enum(["true", "false"])
      .default("false")
      .describe("whether answers that the bot posted may stay on the platform"),
  }),
  output: forgottenPerson,
  who,
  http: {
    route: "DELETE /people/{id}",
    summary: "Delete everything that is stored about a person",
    answers: "what was deleted, and what is left",
  },
  run: ({ input: { id, leave_posts }, asker, services }) =>
    services.people.forget(id, asker, { leavePosts: leave_posts === "true" }),
});

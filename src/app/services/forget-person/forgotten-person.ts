import { z } from "zod";
import type { Asker, Outcome } from "../../../core/values/failure.ts";

const count = z.number().int().min(0);

/** What was deleted for a person, or would be. */
export const forgottenPerson = z.object({
  user: z.string().describe("platform:workspace:id"),
  pseudonym: z.string().describe("what stands in their place where a record stays"),
  dry_run: z.boolean().describe("counted, and nothing was changed"),
  complete: z.boolean().describe("false when something is left"),
  turns: count.describe("of theirs, with answers and files"),
  other_turns: count.describe("of other people: their run details may have had words of the person"),
  facts: count.describe("that they told the memory of channels"),
  documents: count.describe("that they added to what channels know"),
  messages: count.describe("of theirs in the copies of channels that are searched by an index"),
  plans: count.describe(
    "reminders, schedules and triggers of theirs, and threads of theirs that are watched",
  ),
  allowances: count.describe("of theirs to run a tool without asking, or never"),
  accounts: count.describe("of theirs with tool servers"),
  feedback: count.describe("what they thought of answers"),
  stored: count.describe("values stored for their direct messages"),
  renamed: count.describe("settings and grants they made: these stay, with the pseudonym"),
  audit_lines: count.describe("lines that have the pseudonym now"),
  kept: z
    .array(z.string())
    .describe(
      "files of threads, and where, that calls of other people made of theirs or changed: these stay",
    ),
  copies: z
    .array(z.string())
    .optional()
    .describe("files: whole databases as they were before an upgrade, with the words of everybody"),
  left: z.array(z.string()).describe("what could not be deleted, and what to do"),
});
export type ForgottenPerson = z.output<typeof forgottenPerson>;

/** Deleted values of the store, by kind. */
export type ValuesForgotten = Pick<
  ForgottenPerson,
  "allowances" | "accounts" | "feedback" | "stored" | "renamed"
>;

export interface ForgetPersonOptions {
  /** Only counts. */
  dryRun?: boolean;
  /** Leaves posted answers on the platform. */
  leavePosts?: boolean;
}

/**
 * Deletes a person from everything that is stored; `user` as in `findPerson`. Every step can be repeated: after a crash, or when something
 * is left, another run does the rest. For operators.
 */
export type ForgetPerson = (
  user: string,
  asker: Asker,
  options?: ForgetPersonOptions,
) => Promise<Outcome<ForgottenPerson>>;

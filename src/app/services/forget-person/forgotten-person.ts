import { z } from "zod";

const count = z.number().int().min(0);

/** What was deleted for a person, or would be. */
export const forgottenPerson = z.object({
  user: z.string().describe("platform:workspace:id"),
  dry_run: z.boolean().describe("true when it was only counted"),
  complete: z.boolean().describe("false when something is left"),
  turns: count.describe("their turns, with answers and files"),
  other_turns: count.describe(
    "turns of other people whose run details may have contained words of the person",
  ),
  facts: count.describe("facts they told the memory of channels"),
  documents: count.describe("documents they added to channels"),
  messages: count.describe("their messages in the indexes of channels"),
  plans: count.describe("their reminders, schedules, triggers and watched threads"),
  allowances: count.describe("their decisions to run a tool always or never"),
  accounts: count.describe("their accounts with tool servers"),
  feedback: count.describe("their feedback on answers"),
  stored: count.describe("values stored for their direct messages"),
  blanked: count.describe("audit lines, settings and grants of theirs, which stay without their name"),
  kept: z
    .array(z.string())
    .describe(
      "files of threads, each with its thread and channel, that calls of other people made from theirs or changed; these stay",
    ),
  copies: z
    .array(z.string())
    .optional()
    .describe("files with copies of whole databases from before an upgrade, with data of everybody"),
  left: z.array(z.string()).describe("what could not be deleted, and what to do"),
});
export type ForgottenPerson = z.output<typeof forgottenPerson>;

/** Deleted values of the store, by kind. */
export type ValuesForgotten = Pick<
  ForgottenPerson,
  "allowances" | "accounts" | "feedback" | "stored" | "blanked" | "messages" | "documents"
>;

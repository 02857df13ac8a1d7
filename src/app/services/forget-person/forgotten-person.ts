import type { Asker, Outcome } from "../../../core/outcome.ts";

/** What stands under keys of the store of a person, by kind. */
export interface ValuesForgotten {
  allowances: number;
  accounts: number;
  /** What they thought of answers. */
  feedback: number;
  /** What was stored for their direct messages, and questions about late messages of theirs. */
  stored: number;
  /** Settings, grants and packages that name them as who made them: these stay, with the pseudonym. */
  renamed: number;
}

/** What was deleted of a person, or would be. */
export interface ForgottenPerson extends ValuesForgotten {
  /** `platform:workspace:id` */
  user: string;
  /** What stands in their place where a record stays. */
  pseudonym: string;
  dry_run: boolean;
  /** False when something is left: forget them again, after doing what `left` says. */
  complete: boolean;
  /** Of theirs, with answers and files. */
  turns: number;
  /** Of other people: their details went, since they had read words of the person. */
  other_turns: number;
  facts: number;
  /** Lines in which the pseudonym stands now. */
  audit_lines: number;
  left: string[];
}

export interface ForgetPersonOptions {
  /** Counts, and changes nothing. */
  dryRun?: boolean;
  /** Answers that the bot posted may stay on the platform. */
  leavePosts?: boolean;
}

/**
 * Takes a person out of everything that is stored; `user` as `findPerson` takes it. Every step can be repeated: after a crash, or
 * when something is left, forgetting them again does the rest. For operators.
 */
export type ForgetPerson = (
  user: string,
  asker: Asker,
  options?: ForgetPersonOptions,
) => Promise<Outcome<ForgottenPerson>>;

/** Skills made in the chat: the port behind the skill `skill-maker`. */

import type { Usage } from "../log/usage.ts";
import type { Outcome } from "../values/failure.ts";
import type { Author } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";
import type { Model } from "./model.ts";

/** What a button says for the person who presses it. `$skill-maker` opens that skill. */
export const teachThis = "Make this thread a skill of the channel. $skill-maker";

/** The person who wants a skill, the thread that shows how it is done, and the turn in which it is written. */
export interface Teacher {
  author: Author;
  place: Place;
  turn_id: string;
}

/** A wanted skill, or a change of one. */
export interface Lesson {
  /** A SKILL.md, or a flow as JSON. */
  text: string;
  /** What somebody would write to have done again what the thread shows. */
  request: string;
  /** One line: what it is for, or what changes. */
  why: string;
  /** The id of the skill that it changes. */
  changes?: string | undefined;
}

/** A lesson that can be kept. Plain data. */
export interface Draft extends Lesson {
  id: string;
  kind: "document" | "flow";
  /** The hash of the version that it replaces. */
  base?: string | undefined;
  /** For a manager: the whole text, or the changed lines with some around them. */
  shown: string;
  /** What the review found, one sentence each. */
  findings: string[];
  /** Why only an operator may accept it, one clause each; empty if a manager of the channel may. */
  wider: string[];
}

/** A test of a skill, from a turn that was done well. */
export interface TaughtCheck {
  /** The turn that showed how it is done. */
  turn_id: string;
  /** What somebody writes to have it done again. */
  request: string;
  /** The tools that were called then. */
  tools: string[];
}

/** A run of a draft on what the thread has recorded: no tool runs. */
export interface DryRun {
  /** The turn that the recorded results are of. */
  turn_id: string;
  request: string;
  /** Its calls, in order. `recorded`: the thread had made the same call, so its result is known. */
  calls: { tool: string; recorded: boolean }[];
  /** Tools that the turn had called and the draft did not. */
  missing: string[];
  /** What it answered; absent for a flow, whose steps for models are left out. */
  answer?: string | undefined;
  /** Why it did not come to an end, or was not run. */
  problem?: string | undefined;
}

/** The model that follows a guide in a dry run. */
export interface DryRunModel {
  model: Model;
  /** Counts a call. */
  used(model: string, usage: Usage): Promise<void>;
  signal: AbortSignal;
}

export interface Teaching {
  /** Reads and reviews a lesson, without a model. If not ok, the message says what to write instead. */
  check(teacher: Teacher, lesson: Lesson): Promise<Outcome<Draft>>;
  /**
   * Runs a draft on the recorded results of its thread; one that changes a skill also on those of the turns that showed that skill, and of
   * the latest turns that people were not content with.
   */
  dryRun(teacher: Teacher, draft: Draft, by: DryRunModel): Promise<DryRun[]>;
  /** Keeps an accepted draft and gives it to the channel, once for each key. @param by who accepted it */
  keep(
    teacher: Teacher,
    draft: Draft,
    accepted: { by: string; name: string; key: string; checks: readonly TaughtCheck[] },
  ): Promise<Outcome<{ id: string; version: number }>>;
}

import type { Message } from "../values/message.ts";
import type { TranscriptStep } from "./transcript.ts";

/** A finished turn of a thread, as a new transcript may carry it over. */
export interface PastTurn {
  turn_id: string;
  /** What was said, done and answered, without reasoning and without what only told of changes. */
  messages: readonly Message[];
  /** The skills it activated or called, by id of the root. */
  used: readonly string[];
  /** Its run details are deleted: a question and an answer are left, and nobody can tell what untrusted text the answer repeats. */
  bare: boolean;
  /** Stands for all turns up to and including `through_turn`; made when this turn opened a transcript. */
  summary?: { text: string; through_turn: string } | undefined;
}

/** What is known of a thread before a turn. */
export interface PastThread {
  /** The steps of its transcript, beginning with the latest opening; empty without one. */
  readonly steps: readonly TranscriptStep[];
  /** False when something the transcript says was deleted since: it must not be sent any more. */
  readonly intact: boolean;
  /** How many turns of the thread had been deleted when this was read. */
  readonly deletions: number;
  /** The finished turns, newest first. */
  turns(): AsyncIterable<PastTurn>;
}

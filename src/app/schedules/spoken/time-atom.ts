/** What words of time say. */

export type Unit = "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";
export type DayPart = "morning" | "afternoon" | "evening" | "night";

/** What one word or a few of them say. */
export type Meaning =
  /** `minute`: of the day, from midnight. */
  | { kind: "clock"; minute: number }
  | { kind: "part"; part: DayPart; bare: boolean }
  /** Again and again: `every 2 weeks`, `daily`. `implied`: `of the month`. `adverb`: may belong to a noun, as in `weekly report`. */
  | { kind: "each"; unit: Unit; count: number; implied?: true; adverb?: true; part?: DayPart }
  /** `twice a day`. */
  | { kind: "times"; count: number; unit: Unit }
  /** In front of a weekday, an ordinal or a date. `other`: every other one. */
  | { kind: "every"; other: boolean }
  /** 0 is Sunday. `plural`: of more than one week, as `mondays` and `mon-fri`. `short`: could be another word, as `sat`. */
  | { kind: "weekdays"; days: readonly number[]; plural: boolean; short: boolean }
  /** A day of the month or a place in it; -1 is the last. */
  | { kind: "ordinal"; nth: number; word: boolean }
  /** `day` or `working day` after an ordinal. */
  | { kind: "dayOf"; working: boolean }
  | { kind: "month"; month: number }
  /** One date. `exact`: a moment, with its time. */
  | { kind: "date"; exact?: true }
  /** `next week`, `next month`. */
  | { kind: "span"; unit: Unit; ahead: number }
  | { kind: "zone" }
  /** A bound or something vague, of which nothing can be made: `until`, `starting`, `biweekly`. */
  | { kind: "unknown" }
  /** Words that only look like a time: `last week`. */
  | { kind: "words" };

/** A meaning where it stands in the text. */
export type Atom = Meaning & { start: number; end: number; text: string };

import type { Clock } from "../ports/storage.ts";

/** Minimum interval between changes of the line, ms: people have to be able to read it. */
const thoughtPaceMs = 700;

/** Maximum characters of the line. */
const maxLineLength = 160;

/** Characters of a thought that are searched for its latest sentence. */
const maxThought = 2_000;

/** Condenses the reasoning and notes that a model streams to one line about its current work. */
export class ThoughtLine {
  readonly #clock: Clock;
  readonly #show: (line: string) => void;
  #thought = "";
  #shown = "";
  #cancel: (() => void) | undefined;
  #changed = false;

  /** @param show gets each new line, which replaces the one before */
  constructor(clock: Clock, show: (line: string) => void) {
    this.#clock = clock;
    this.#show = show;
  }

  add(more: string): void {
    this.#thought = (this.#thought + more).slice(-maxThought);
    this.#changed = true;
    if (this.#cancel === undefined) this.#showLatest();
  }

  /** Ends the thought, because the model says or does something else. Returns the line that stands for all of it. */
  end(): string {
    const note = noteOf(this.#thought);
    this.#cancel?.();
    this.#cancel = undefined;
    this.#thought = "";
    this.#shown = "";
    this.#changed = false;
    return note;
  }

  #showLatest(): void {
    this.#cancel = undefined;
    if (!this.#changed) return;
    this.#changed = false;
    this.#cancel = this.#clock.after(thoughtPaceMs, () => this.#showLatest());
    const line = latestLine(this.#thought);
    if (line === "" || line === this.#shown) return;
    this.#shown = line;
    this.#show(line);
  }
}

/** A complete thought in one line: its last paragraph if that is short, otherwise its latest statement. */
function noteOf(thought: string): string {
  const paragraph =
    thought
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  const isShort = paragraph.length <= maxLineLength && thought.search(heading) === -1;
  return isShort ? plainLine(paragraph) : latestLine(`${thought}\n`);
}

/** A heading as reasoning summaries use it, e.g. `**Checking the invoices**`. */
const heading = /(?:^|\n)(?:\*\*([^*\n]+)\*\*|#{1,6} +([^\n]+))[ \t]*(?=\n|$)/g;

/** The end of a sentence or line. An unfinished sentence is not shown. */
const end = /(?<![.!?…])[.!?…]+(?=\s)|[。！？]+|\n/g;

/**
 * The latest complete statement of the thought as plain text: its last heading, otherwise its last whole sentence. Empty while it has
 * neither.
 */
export function latestLine(thought: string): string {
  const title = [...thought.matchAll(heading)].at(-1);
  return plainLine(title?.[1] ?? title?.[2] ?? lastSentence(thought));
}

function plainLine(text: string): string {
  const line = text
    .replace(/^[\s#>-]+/, "")
    .replaceAll(/[*`]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1).trimEnd()}…`;
}

function lastSentence(thought: string): string {
  let from = 0;
  let last = "";
  for (const { index, 0: mark } of thought.matchAll(end)) {
    const sentence = thought.slice(from, index + mark.length);
    from = index + mark.length;
    if (/\p{L}/u.test(sentence)) last = sentence;
  }
  return last;
}

import type { Clock } from "../ports/clock.ts";

/** How often the line changes at most, ms: people have to be able to read it. */
const pace = 700;

/** Characters of the line at most. */
const longest = 160;

/** Characters of a thought that are kept to find its latest sentence in. */
const keptBehind = 2_000;

/** Makes one line, what the model is doing now, of the reasoning and notes it streams. */
export interface ThoughtLine {
  add(thought: string): void;
  /** The model has said something else: what it thought before is over, and nothing of it is shown any more. */
  end(): void;
}

/** @param show gets each new line; the next one replaces it */
export function createThoughtLine(clock: Clock, show: (line: string) => void): ThoughtLine {
  let thought = "";
  let shown = "";
  let cancel: (() => void) | undefined;
  let changed = false;
  const showLatest = () => {
    cancel = undefined;
    if (!changed) return;
    changed = false;
    cancel = clock.after(pace, showLatest);
    const line = latestLine(thought);
    if (line === "" || line === shown) return;
    shown = line;
    show(line);
  };
  return {
    add(more) {
      thought = (thought + more).slice(-keptBehind);
      changed = true;
      if (cancel === undefined) showLatest();
    },
    end() {
      cancel?.();
      cancel = undefined;
      thought = "";
      shown = "";
      changed = false;
    },
  };
}

/** `**Checking the invoices**`, as summaries of reasoning begin. */
const heading = /(?:^|\n)(?:\*\*([^*\n]+)\*\*|#{1,6} +([^\n]+))[ \t]*(?=\n|$)/g;

/** Where a sentence or line ends: what is still being written is not shown. */
const end = /(?<![.!?…])[.!?…]+(?=\s)|[。！？]+|\n/g;

/**
 * The latest thing the thought says about itself as plain text: its last heading, else its last whole sentence. Empty while it has
 * neither.
 */
export function latestLine(thought: string): string {
  const title = [...thought.matchAll(heading)].at(-1);
  const found = title?.[1] ?? title?.[2] ?? lastSentence(thought);
  const line = found
    .replace(/^[\s#>-]+/, "")
    .replaceAll(/[*`]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
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

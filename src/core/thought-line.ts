import type { Clock } from "./clock.ts";

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
  const showLatest = () => {
    cancel = undefined;
    const line = latestLine(thought);
    if (line === "" || line === shown) return;
    shown = line;
    cancel = clock.after(pace, showLatest);
    show(line);
  };
  return {
    add(more) {
      thought = (thought + more).slice(-keptBehind);
      if (cancel === undefined) showLatest();
    },
    end() {
      cancel?.();
      cancel = undefined;
      thought = "";
      shown = "";
    },
  };
}

/** `**Checking the invoices**`, as summaries of reasoning begin. */
const heading = /(?:^|\n)\s*(?:\*\*([^*\n]+)\*\*|#{1,6} +([^\n]+))\s*(?:\n|$)/g;

/** A whole sentence or line: what is still being written is not shown. */
const sentence = /[^.!?…。！？\n]+(?:[.!?…]+(?=\s)|[。！？]+|\n)/g;

/**
 * The latest thing the thought says about itself as plain text: its last heading, else its last whole sentence. Empty while it has
 * neither.
 */
export function latestLine(thought: string): string {
  const title = [...thought.matchAll(heading)].at(-1);
  const found = title?.[1] ?? title?.[2] ?? lastSentence(thought);
  const line = found
    .replaceAll(/[*_`#>]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

function lastSentence(thought: string): string {
  const whole = thought.match(sentence) ?? [];
  return whole.findLast((each) => /\p{L}/u.test(each)) ?? "";
}

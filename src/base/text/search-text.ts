/** The result of a search. Lines count from 1, offsets are characters (UTF-16 units) from 0. */
interface FoundPassages {
  /** The lines around the matches: `12: a matching line`, `13- a neighbouring line`, `--` where lines are left out. */
  passages: string;
  shown: number;
  /** Matches in the text from `from` on. */
  total: number;
  /** Lines of the whole text. */
  lines: number;
  /** Where the search continues if not all matches are shown. */
  next_offset?: number | undefined;
  /** How the lines were chosen if no line matches exactly. */
  note?: string;
}

interface SearchLimits {
  /** Only matches at or after this offset. */
  from: number;
  /** Maximum characters of `passages`; at least one match is always shown. */
  characters: number;
  /** Lines shown before and after a match. */
  context: number;
}

/** Maximum matches shown at once. */
const maxMatches = 30;
/** Maximum alternatives and words of a search. */
const maxAlternatives = 20;
/** Longer lines are shown only around their matches, and as neighbouring lines only with their beginning; characters. */
const longLine = 400;
const around = 150;
/** Characters of a line's number. */
const lineMark = 8;

/** Characters of a long line that are searched at once; the parts of a match must be within this distance. */
const pieceLength = 4_000;
const overlap = 200;

interface Match {
  line: number;
  offset: number;
}

/** The position of the next match in a piece of a line in lower case; -1 if there is none. */
type Finder = (piece: string, from: number) => number;

/**
 * Searches a text for words, line by line, case-insensitive: `a|b` finds either, `a*b` both in one line in that order. For a phrase that no
 * line contains, it finds the lines with most of its words. Takes time linear in the length of the text, whatever the search.
 */
export function searchText(text: string, search: string, limits: SearchLimits): FoundPassages {
  const lines = text.split("\n");
  const find = finderOf(search);
  const exact = matchesOf(lines, find, limits.from);
  const isBefore = exact.length === 0 && limits.from > 0 && matchesOf(lines, find, 0).length > 0;
  if (exact.length > 0 || isBefore) return passagesOf(text, lines, exact, limits);
  const words = wordsOf(search);
  const { finder, most } =
    words.length > 1 ? linesWithMostWords(lines, words) : { finder: undefined, most: 0 };
  if (finder === undefined) return { passages: "", shown: 0, total: 0, lines: lines.length };
  const note = `No line has “${search}”; these have ${most} of its ${words.length} words.`;
  return { ...passagesOf(text, lines, matchesOf(lines, finder, limits.from), limits), note };
}

function finderOf(search: string): Finder {
  const alternatives = search
    .toLowerCase()
    .split("|")
    .map((each) => each.split("*").flatMap((part) => part.trim() || []))
    .filter((parts) => parts.length > 0)
    .slice(0, maxAlternatives);
  return (piece, from) => {
    const found = alternatives.map((parts) => indexOfParts(piece, parts, from)).filter((at) => at >= 0);
    return found.length === 0 ? -1 : Math.min(...found);
  };
}

/** The position of the first part, if all parts follow in order. */
function indexOfParts(line: string, parts: readonly string[], from: number): number {
  let first = -1;
  let at = from;
  for (const part of parts) {
    const found = line.indexOf(part, at);
    if (found < 0) return -1;
    if (first < 0) first = found;
    at = found + part.length;
  }
  return first;
}

/** The significant words, in lower case. */
function wordsOf(search: string): string[] {
  const words = search.toLowerCase().match(/[\p{L}\p{N}_.-]{3,}/gu) ?? [];
  return [...new Set(words)].slice(0, maxAlternatives);
}

/** Finds the lines that contain the highest number of the words. */
function linesWithMostWords(
  lines: readonly string[],
  words: readonly string[],
): { finder: Finder | undefined; most: number } {
  const count = (piece: string) => words.filter((word) => piece.includes(word)).length;
  let most = 0;
  for (const { lower } of piecesOf(lines)) most = Math.max(most, count(lower));
  if (most === 0) return { finder: undefined, most };
  const finder: Finder = (piece, from) => {
    if (count(piece) < most) return -1;
    const places = words.map((word) => piece.indexOf(word, from)).filter((at) => at >= 0);
    return places.length === 0 ? -1 : Math.min(...places);
  };
  return { finder, most };
}

/** A line, or a part of a long one, in lower case. */
interface Piece {
  line: number;
  offset: number;
  lower: string;
  /** Positions beyond this one belong to the next piece, which begins there. */
  length: number;
  isLong: boolean;
}

/** Splits long lines into overlapping pieces, so that finding all matches takes linear time. */
function* piecesOf(lines: readonly string[]): Generator<Piece> {
  let start = 0;
  for (const [index, line] of lines.entries()) {
    const isLong = line.length > longLine;
    for (let at = 0; at < line.length; at += pieceLength) {
      const lower = line.slice(at, at + pieceLength + overlap).toLowerCase();
      yield { line: index + 1, offset: start + at, lower, length: pieceLength, isLong };
    }
    start += line.length + 1;
  }
}

/** One match for a short line; for a long one, a match for each excerpt that will show it. */
function matchesOf(lines: readonly string[], find: Finder, from: number): Match[] {
  const matches: Match[] = [];
  for (const { line, offset, lower, length, isLong } of piecesOf(lines)) {
    let at = offset + lower.length < from ? -1 : find(lower, Math.max(0, from - offset));
    while (at >= 0 && at < length) {
      matches.push({ line, offset: offset + at });
      at = isLong ? find(lower, at + 2 * around) : -1;
    }
  }
  return matches;
}

function shownMatch(text: string, line: string, offset: number): string {
  if (line.length <= longLine) return line;
  const end = text.indexOf("\n", offset);
  const lineEnd = end < 0 ? text.length : end;
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const from = Math.max(lineStart, offset - around);
  const to = Math.min(lineEnd, offset + 2 * around);
  const excerpt = text.slice(from, to).toWellFormed();
  return `(offset ${offset}) ${from > lineStart ? "…" : ""}${excerpt}${to < lineEnd ? "…" : ""}`;
}

function passagesOf(
  text: string,
  lines: readonly string[],
  matches: readonly Match[],
  limits: SearchLimits,
): FoundPassages {
  const shown = new Map<number, { text: string; matches: boolean }>();
  let size = 0;
  let count = 0;
  for (const { line, offset } of matches.slice(0, maxMatches)) {
    const found = shownMatch(text, lines[line - 1] ?? "", offset);
    const beside = besideOf(lines, line, limits.context).filter((other) => !shown.has(other));
    const context = beside.map((other) => beginningOf(lines[other - 1] ?? ""));
    size += [found, ...context].reduce((sum, each) => sum + each.length + lineMark, 0);
    if (count > 0 && size > limits.characters) break;
    for (const [index, other] of beside.entries()) {
      shown.set(other, { text: context[index] ?? "", matches: false });
    }
    const known = shown.get(line);
    shown.set(line, { text: known?.matches === true ? `${known.text} ${found}` : found, matches: true });
    count += 1;
  }
  const next = matches[count];
  return {
    passages: printed(shown),
    shown: count,
    total: matches.length,
    lines: lines.length,
    next_offset: next?.offset,
  };
}

function besideOf(lines: readonly string[], line: number, context: number): number[] {
  const numbers = Array.from({ length: 2 * context + 1 }, (_, index) => line - context + index);
  return numbers.filter((number) => number !== line && number >= 1 && number <= lines.length);
}

function beginningOf(line: string): string {
  return line.length > longLine ? `${line.slice(0, around).toWellFormed()}…` : line;
}

function printed(shown: ReadonlyMap<number, { text: string; matches: boolean }>): string {
  const sorted = [...shown].sort(([a], [b]) => a - b);
  return sorted
    .flatMap(([line, { text, matches }], index) => {
      const previous = sorted[index - 1]?.[0];
      const gap = previous !== undefined && previous < line - 1 ? ["--"] : [];
      return [...gap, `${line}${matches ? ":" : "-"} ${text}`];
    })
    .join("\n");
}

import { charactersOf } from "../../../base/markdown-text.ts";
import { readInline } from "./read-markdown.ts";

/** Longer lines are no prose: their Markdown is not looked at. */
const maxProseLength = 20_000;

/** Splits a line of Markdown at sentence ends, else between words, never within a link, inline code or a character people see. */
export function splitLine(line: string, room: number, limit: number): string[] {
  return packUnits(sentencesOf(wordsOf(line, limit)), room, limit);
}

/** A unit that is cut between characters where it does not fit. */
export function uncuttable(text: string): Unit {
  return { text, split: (room, limit) => splitCharacters(text, room, limit) };
}

const endOfSentence = /([.!?…]["'”’)\]*_]*\s+|[。！？]\s*|\n)$/u;

function sentencesOf(words: readonly string[]): Unit[] {
  const sentences: string[][] = [[]];
  for (const word of words) {
    sentences.at(-1)?.push(word);
    if (endOfSentence.test(word)) sentences.push([]);
  }
  return sentences
    .filter((each) => each.length > 0)
    .map((each) => ({
      text: each.join(""),
      split: (room, limit) => packUnits(each.map(uncuttable), room, limit),
    }));
}

/** Words with the white space after them. Links, inline code and short emphasis are one word. */
function wordsOf(line: string, limit: number): string[] {
  const tokens = line.length > maxProseLength ? undefined : readInline(line);
  if (tokens === undefined) return line.match(/\S*\s+|\S+$/gu) ?? [];
  const words: string[] = [];
  let word = "";
  const end = () => {
    if (word !== "") words.push(word);
    word = "";
  };
  for (const { type, raw } of tokens) {
    const isPlain = type === "text" || type === "br" || (isEmphasis(type) && raw.length > limit / 2);
    if (!isPlain) {
      word += raw;
      continue;
    }
    for (const piece of raw.match(/[^\s。，、！？]*(?:\s+|[。，、！？]+\s*)|\S+$/gu) ?? [raw]) {
      word += piece;
      if (/[\s。，、！？]$/u.test(piece)) end();
    }
  }
  end();
  return words;
}

const isEmphasis = (type: string) => type === "em" || type === "strong" || type === "del";

function splitCharacters(text: string, room: number, limit: number): string[] {
  const parts: string[] = [];
  let current = "";
  let space = room;
  const add = (piece: string) => {
    if (current.length + piece.length > space) {
      parts.push(current);
      current = "";
      space = limit;
    }
    current += piece;
  };
  for (const { segment } of charactersOf(text)) {
    if (segment.length <= limit) add(segment);
    else for (const point of segment) add(point);
  }
  parts.push(current);
  return parts;
}

/** A piece of text that stays together where it fits into one part. */
export interface Unit {
  text: string;
  /** Splits it: the first piece has at most `room` characters (empty when nothing fits), the others at most `limit`. */
  split(room: number, limit: number): string[];
}

/** A part that is filled less than this does not end before a unit that would fit into the next part whole. */
const leastFilled = 1 / 4;

/**
 * Joins units to parts of at most `limit` characters, the first of at most `room`. Breaks between units where it can. White space
 * at the end of a part does not count. The first part is empty when nothing fits into its room.
 */
export function packUnits(units: readonly Unit[], room: number, limit: number): string[] {
  const parts: string[] = [];
  let current = "";
  let space = room;
  const next = (text: string) => {
    parts.push(current);
    current = text;
    space = limit;
  };
  for (const unit of units) {
    if (fits(current, unit.text, space)) {
      current += unit.text;
      continue;
    }
    const used = limit - space + current.length;
    if (used >= limit * leastFilled && fits("", unit.text, limit)) {
      next(unit.text);
      continue;
    }
    const left = space - current.length;
    const [first = "", ...rest] = unit.split(left < limit * leastFilled ? 0 : left, limit);
    current += first;
    for (const piece of rest) next(piece);
  }
  parts.push(current);
  return parts;
}

function fits(before: string, text: string, space: number): boolean {
  const length = before.length + text.length;
  return length <= space || (before + text).trimEnd().length <= space;
}

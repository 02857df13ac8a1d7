import { packUnits, type Unit } from "./pack-units.ts";
import { readInline } from "./read-markdown.ts";

/** Longer lines are no prose: their Markdown is not looked at. */
const longestProse = 20_000;

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
  const tokens = line.length > longestProse ? undefined : readInline(line);
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
    for (const piece of raw.match(/\S*\s+|[^\s。，、！？]*[。，、！？]|\S+$/gu) ?? [raw]) {
      word += piece;
      if (/[\s。，、！？]$/u.test(piece)) end();
    }
  }
  end();
  return words;
}

const isEmphasis = (type: string) => type === "em" || type === "strong" || type === "del";

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

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
  for (const { segment } of characters.segment(text)) {
    if (segment.length <= limit) add(segment);
    else for (const point of segment) add(point);
  }
  parts.push(current);
  return parts;
}

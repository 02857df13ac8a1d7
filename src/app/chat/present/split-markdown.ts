import type { Token, Tokens } from "marked";
import { charactersOf } from "../../../base/markdown-text.ts";
import { pattern } from "../../../base/pattern.ts";
import { fenceLines, groupLines, type LineGroup } from "./markdown-fences.ts";
import { readBlocks, readInline } from "./read-markdown.ts";

/**
 * Splits Markdown into messages of at most `limit` characters (UTF-16 units), none of them empty. Breaks between blocks where it
 * can, then between list items, lines, sentences, words. Code blocks are closed and opened again, headers of tables repeated.
 */
export function splitMarkdown(markdown: string, limit: number): string[] {
  const text = markdown.replaceAll("\r\n", "\n");
  const trimmed = trimBlankLines(text);
  if (trimmed.length <= limit) return [trimmed].filter(Boolean);
  return packUnits(blocksOf(text), limit, limit).map(trimBlankLines).filter(Boolean);
}

const trimBlankLines = (part: string) => part.replace(/^(?:[ \t]*\n)+/, "").trimEnd();

/** The blocks of the text; a heading and what follows are one, so that no part ends with a heading. */
function blocksOf(text: string): Unit[] {
  const tokens = readBlocks(text);
  if (tokens === undefined) return linesOf(text);
  const units: Unit[] = [];
  let heading = "";
  for (const token of tokens) {
    if (token.type === "heading" || (heading !== "" && token.type === "space")) heading += token.raw;
    else {
      units.push(blockOf(token, heading));
      heading = "";
    }
  }
  if (heading !== "") units.push(...linesOf(heading));
  return units;
}

function blockOf(token: Token, heading: string): Unit {
  const split = (room: number, limit: number) => {
    if (heading === "") return splitBlock(token, room, limit);
    const short = room < heading.length * 2 ? limit : room;
    const [first = "", ...rest] = packUnits([...linesOf(heading), blockOf(token, "")], short, limit);
    return short === room ? [first, ...rest] : ["", first, ...rest];
  };
  return { text: heading + token.raw, split };
}

function splitBlock(token: Token, room: number, limit: number): string[] {
  switch (token.type) {
    case "table":
      return splitTable(token.raw, room, limit);
    case "list":
      return packUnits(itemsOf(token as Tokens.List), room, limit);
    default:
      return packUnits(linesOf(token.raw), room, limit);
  }
}

function itemsOf({ raw, items }: Tokens.List): Unit[] {
  if (items.map((item) => item.raw).join("") !== raw) return linesOf(raw);
  return items.map((item) => ({
    text: item.raw,
    split: (room, limit) => packUnits(linesOf(item.raw), room, limit).map(dedent),
  }));
}

/** Four spaces at the beginning of a message would turn a nested list into code. */
function dedent(piece: string): string {
  const indentation = /^ {4,}/.exec(piece)?.[0];
  return indentation === undefined ? piece : piece.replaceAll(pattern("gm")`^${indentation}`, "");
}

function linesOf(text: string): Unit[] {
  return groupLines(text).map((group) => {
    const whole = group.lines.join("");
    return {
      text: whole,
      split: (room, limit) =>
        group.fence === undefined ? splitLine(whole, room, limit) : splitCode(group, room, limit),
    };
  });
}

function splitCode({ lines, fence, closed }: LineGroup, room: number, limit: number): string[] {
  const [first = "", ...rest] = lines;
  if (fence === undefined) return splitLine(lines.join(""), room, limit);
  const body = closed ? rest.slice(0, -1) : rest;
  const { open, close } = fenceLines(fence);
  const end = closed ? (rest.at(-1) ?? close) : close;
  const overhead = Math.max(first.length, open.length) + Math.max(close.length, end.length) + 1;
  if (overhead > limit / 2 || body.join("").trim() === "")
    return packUnits([uncuttable(lines.join(""))], room, limit);
  const pieces = packUnits(body.map(uncuttable), Math.max(0, room - overhead), limit - overhead);
  const firstIndex = pieces.findIndex((piece) => piece.trim() !== "");
  const lastIndex = pieces.findLastIndex((piece) => piece.trim() !== "");
  return pieces.map((code, index) => {
    if (code.trim() === "") return "";
    return `${index === firstIndex ? first : open}${code.trimEnd()}\n${index === lastIndex ? end : close}`;
  });
}

function splitTable(raw: string, room: number, limit: number): string[] {
  const [header = "", delimiter = "", ...rows] = raw.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const head = header + delimiter;
  const space = limit - head.length;
  if (rows.some((row) => row.trimEnd().length > space)) return packUnits(linesOf(raw), room, limit);
  const pieces = packUnits(rows.map(uncuttable), Math.max(0, room - head.length), space);
  return pieces.map((piece) => (piece === "" ? "" : head + piece));
}

/** Longer lines are not prose: their Markdown is not parsed. */
const maxProseLength = 4_000;

/** Splits a line of Markdown at sentence ends, otherwise between words, never within a link, inline code or a visible character. */
function splitLine(line: string, room: number, limit: number): string[] {
  return packUnits(sentencesOf(wordsOf(line, limit)), room, limit);
}

/** A unit that is cut between characters when it does not fit. */
function uncuttable(text: string): Unit {
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

/** A piece of text that stays together if it fits into one part. */
interface Unit {
  text: string;
  /** Splits it: the first piece has at most `room` characters (empty when nothing fits), the others at most `limit`. */
  split(room: number, limit: number): string[];
}

/** Minimum fill of a part before it ends in front of a unit that would fit whole into the next part. */
const minFill = 1 / 4;

/**
 * Joins units to parts of at most `limit` characters, the first of at most `room`. Breaks between units where it can. White space
 * at the end of a part does not count. The first part is empty when nothing fits into its room.
 */
function packUnits(units: readonly Unit[], room: number, limit: number): string[] {
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
    if (used >= limit * minFill && fits("", unit.text, limit)) {
      next(unit.text);
      continue;
    }
    const left = space - current.length;
    const [first = "", ...rest] = unit.split(left < limit * minFill ? 0 : left, limit);
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

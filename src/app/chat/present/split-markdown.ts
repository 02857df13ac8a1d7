import type { Token, Tokens } from "marked";
import { pattern } from "../../../base/pattern.ts";
import { fenceLines, groupLines, type LineGroup } from "./markdown-fences.ts";
import { readBlocks } from "./read-markdown.ts";
import { packUnits, splitLine, type Unit, uncuttable } from "./split-line.ts";

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

/** Four spaces at the beginning of a message would make code of a nested list. */
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

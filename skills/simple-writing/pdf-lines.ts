/** Words as lines of a page: measured, broken, and in reading order. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";
import type { Inline, Look } from "./markdown-blocks.ts";
import {
  byDirection,
  type Cut,
  inOrder,
  isReadFromRight,
  joined,
  type Line,
  type Piece,
} from "./pdf-order.ts";

/** The shipped font's styles. The machine's fonts are not used. */
const cuts: Readonly<Record<Cut, string>> = {
  regular: "DejaVuSans",
  bold: "DejaVuSans-Bold",
  italic: "DejaVuSans-Oblique",
  bolditalic: "DejaVuSans-BoldOblique",
  mono: "DejaVuSansMono",
  monobold: "DejaVuSansMono-Bold",
};

/** Line height, as a multiple of the font size. */
export const leading = 1.45;
/** Height of the font's own lines, as a multiple of its size. */
const ownHeight = 1.164;

export interface Fonts {
  /** Registers a style in the document on first use. */
  use(cut: Cut): void;
  has(cut: Cut, character: string): boolean;
  /** Characters that no style has, in order of appearance. */
  missing: Set<string>;
}

export function openFonts(document: PDFKit.PDFDocument): Fonts {
  const locate = createRequire(import.meta.url);
  const loaded = new Map<Cut, Font>();
  const known = new Map<string, boolean>();
  const load = (cut: Cut): Font => {
    const before = loaded.get(cut);
    if (before !== undefined) return before;
    const bytes = readFileSync(locate.resolve(`dejavu-fonts-ttf/ttf/${cuts[cut]}.ttf`));
    const font = create(bytes) as Font;
    loaded.set(cut, font);
    document.registerFont(cut, bytes);
    return font;
  };
  return {
    use: (cut) => void load(cut),
    has(cut, character) {
      const before = known.get(cut + character);
      if (before !== undefined) return before;
      const found = load(cut).hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
      known.set(cut + character, found);
      return found;
    },
    missing: new Set(),
  };
}

export interface Setting {
  document: PDFKit.PDFDocument;
  fonts: Fonts;
  size: number;
  bold?: boolean;
  italic?: boolean;
}

/** Breaks words into lines within a width; a word longer than a line is split. Returns at least one line. */
export function breakLines(inlines: readonly Inline[], width: number, setting: Setting): Line[] {
  const height = setting.size * leading;
  const fromRight = isReadFromRight(inlines);
  const lines: Line[] = [];
  let line: Line = { pieces: [], width: 0, height, fromRight };
  const end = () => {
    lines.push(finished(line));
    line = { pieces: [], width: 0, height, fromRight };
  };
  const add = (piece: Piece) => {
    const isOver = line.width + piece.width - piece.blank > width;
    if (isOver && line.pieces.length > 0 && !isGlued(line, piece)) end();
    line.pieces.push(piece);
    line.width += piece.width;
  };
  for (const inline of inlines) {
    if (inline.kind === "break") end();
    for (const piece of piecesOf(inline, setting)) for (const part of cutUp(piece, width, setting)) add(part);
  }
  if (line.pieces.length > 0 || lines.length === 0) end();
  return lines;
}

/** Widths of the longest word and the longest line, points, at most `maxWidth`. */
export function measure(
  inlines: readonly Inline[],
  maxWidth: number,
  setting: Setting,
): { word: number; all: number } {
  const found = { word: 0, all: 0 };
  let line = 0;
  for (const inline of inlines) {
    if (inline.kind === "break") line = 0;
    for (const { width } of piecesOf(inline, setting)) {
      line += width;
      found.word = Math.max(found.word, width);
      found.all = Math.max(found.all, line);
    }
  }
  return { word: Math.min(found.word, maxWidth), all: Math.min(found.all, maxWidth) };
}

export interface LinePlace {
  x: number;
  /** Its upper edge. */
  y: number;
  width: number;
  align?: "left" | "center" | "right" | undefined;
}

export function drawLine(line: Line, { x, y, width, align = "left" }: LinePlace, setting: Setting): void {
  const { document, fonts, size } = setting;
  const rest = Math.max(0, width - line.width);
  const side = line.fromRight && align === "left" ? "right" : align;
  let at = x + (side === "right" ? rest : side === "center" ? rest / 2 : 0);
  for (const piece of joined(inOrder(line))) {
    const { href, strike, code } = piece.look;
    fonts.use(piece.cut);
    if (code) document.rect(at - 1, y + 1, piece.width + 2, line.height - 2).fill("#eff0f2");
    document.font(piece.cut).fontSize(piece.size);
    document.fillColor(href === undefined ? "#1c1c1c" : "#0b57b5");
    const top = y + (line.height - size * ownHeight) / 2 + (size - piece.size) * 0.93 - (piece.rise ?? 0);
    document.text(piece.text, at, top, {
      lineBreak: false,
      ...(href === undefined ? {} : { link: href, underline: true }),
      ...(strike ? { strike: true } : {}),
    });
    at += piece.width;
  }
}

/** The line without trailing blanks. */
function finished(line: Line): Line {
  const last = line.pieces.at(-1);
  if (last === undefined || last.blank === 0) return line;
  const { blank } = last;
  const text = last.text.trimEnd();
  const kept = text === "" ? [] : [{ ...last, text, width: last.width - blank, blank: 0 }];
  return { ...line, pieces: [...line.pieces.slice(0, -1), ...kept], width: line.width - blank };
}

/** Punctuation and footnote marks stay with the word before them, even if their formatting differs. */
function isGlued({ pieces }: Line, piece: Piece): boolean {
  if (/\s$/.test(pieces.at(-1)?.text ?? " ")) return false;
  return piece.rise !== undefined || /^[.,;:!?)\]}»”’%]\s*$/.test(piece.text);
}

/** Words with the blanks after them; in East Asian scripts a line may break between any two characters. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\s*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+\s*|\s+/gu;

function piecesOf(inline: Inline, setting: Setting): Piece[] {
  if (inline.kind === "note") {
    const small = { ...setting, size: setting.size * 0.65 };
    const rise = setting.size * 0.4;
    return measured(String(inline.number), {}, small).map((piece) => ({ ...piece, rise }));
  }
  if (inline.kind === "picture") return measured(`[${inline.alt || "picture"}]`, {}, setting);
  if (inline.kind === "break") return [];
  const { kind: _, text, ...look } = inline;
  const words = text.replace(/[\n\t]/g, " ").match(word) ?? [];
  return words.flatMap(byDirection).flatMap((one) => measured(one, look, setting));
}

/** A word, split into pieces by the font styles it needs. */
function measured(text: string, look: Look, setting: Setting): Piece[] {
  const { size } = setting;
  const wanted = cutOf(look, setting);
  const pieces: { text: string; cut: Cut }[] = [];
  for (const character of text) {
    const shown = shownAs(character, wanted, setting.fonts);
    const last = pieces.at(-1);
    if (last?.cut === shown.cut) last.text += shown.text;
    else pieces.push(shown);
  }
  return pieces.map((piece) => ({
    ...piece,
    size,
    look,
    width: widthOf(piece.text, piece.cut, size, setting),
    blank: blankWidth({ ...piece, size }, setting),
  }));
}

/** Common characters, and the most similar one in the font. */
const nearest: Readonly<Record<string, string>> = { "✅": "✔", "❌": "✘", "❎": "✘", "⭐": "★" };
/** For all other missing characters: the library measures the font's own placeholder incorrectly. */
const box = "□";

function shownAs(character: string, wanted: Cut, fonts: Fonts): { text: string; cut: Cut } {
  if (fonts.has(wanted, character)) return { text: character, cut: wanted };
  if (fonts.has("regular", character)) return { text: character, cut: "regular" };
  if (/\s/.test(character)) return { text: " ", cut: wanted };
  // Characters that only modify the one before are omitted.
  if (/[\p{Cf}\p{M}]/u.test(character)) return { text: "", cut: wanted };
  const near = nearest[character];
  if (near === undefined) fonts.missing.add(character);
  return { text: near ?? box, cut: "regular" };
}

function cutOf({ bold, italic, code }: Look, setting: Setting): Cut {
  const isBold = bold === true || setting.bold === true;
  if (code) return isBold ? "monobold" : "mono";
  const isItalic = italic === true || setting.italic === true;
  if (isItalic) return isBold ? "bolditalic" : "italic";
  return isBold ? "bold" : "regular";
}

function widthOf(text: string, cut: Cut, size: number, { document, fonts }: Setting): number {
  fonts.use(cut);
  return document.font(cut).fontSize(size).widthOfString(text);
}

function blankWidth({ text, cut, size }: Pick<Piece, "text" | "cut" | "size">, setting: Setting): number {
  const blanks = text.length - text.trimEnd().length;
  return blanks === 0 ? 0 : widthOf(text.slice(-blanks), cut, size, setting);
}

/** Splits a word that is longer than a line. */
function cutUp(piece: Piece, width: number, setting: Setting): Piece[] {
  if (piece.width - piece.blank <= width) return [piece];
  const parts: Piece[] = [];
  let text = "";
  let at = 0;
  for (const character of piece.text) {
    const wide = widthOf(character, piece.cut, piece.size, setting);
    if (text !== "" && at + wide > width) {
      parts.push({ ...piece, text, width: at, blank: 0 });
      text = "";
      at = 0;
    }
    text += character;
    at += wide;
  }
  return [...parts, { ...piece, text, width: at, blank: Math.min(piece.blank, at) }];
}

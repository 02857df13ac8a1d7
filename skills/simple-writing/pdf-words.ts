/** Words in the shipped font: measured, and with a substitute for each character that the font lacks. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";
import type { Inline, Look } from "./markdown-blocks.ts";

const locate = createRequire(import.meta.url);
const pathOf = (name: string) => locate.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);
const [sans, bold, oblique, boldOblique, mono, monoBold] = [
  "DejaVuSans",
  "DejaVuSans-Bold",
  "DejaVuSans-Oblique",
  "DejaVuSans-BoldOblique",
  "DejaVuSansMono",
  "DejaVuSansMono-Bold",
].map(pathOf) as [string, string, string, string, string, string];

/** The paths of the shipped fonts. The machine's fonts are not used. */
export const fonts = {
  sans: { normal: sans, bold, italics: oblique, bolditalics: boldOblique },
  mono: { normal: mono, bold: monoBold, italics: mono, bolditalics: monoBold },
};

/** Line height, as a multiple of the font size; and of the font's own lines, whose height is 1.164 of its size. */
export const leading = 1.45;
export const lineHeight = leading / 1.164;

/** A style of a font. */
interface Cut {
  font: keyof typeof fonts;
  bold: boolean;
  italics: boolean;
}
const regular: Cut = { font: "sans", bold: false, italics: false };

/** A part of a text in a document definition. */
interface Words {
  readonly text: string;
  readonly [property: string]: unknown;
}

interface Measures {
  word: number;
  /** At most the width of the column. */
  all: number;
  lines: number;
}

/** Common characters, and the most similar one in the font. */
const nearest: Readonly<Record<string, string>> = { "✅": "✔", "❌": "✘", "❎": "✘", "⭐": "★" };
/** For all other missing characters. */
const box = "□";

/** The words of one document. */
export class PdfWords {
  /** Characters that no style has, in order of appearance. */
  readonly missing = new Set<string>();
  readonly #fonts = new Map<string, Font>();
  /** By style and character; undefined for a character that the style lacks. */
  readonly #advances = new Map<string, number | undefined>();

  /** Words as content of a document definition. `around`: the formatting of the block. */
  inlines(inlines: readonly Inline[], around: Look = {}): Words[] {
    return inlines.flatMap((inline): Words[] => {
      if (inline.kind === "break") return [{ text: "\n" }];
      if (inline.kind === "note") return [{ text: String(inline.number), sup: true }];
      const look: Look = inline.kind === "text" ? { ...around, ...inline } : around;
      const decoration: ("underline" | "lineThrough")[] = [];
      if (look.href !== undefined) decoration.push("underline");
      if (look.strike) decoration.push("lineThrough");
      return this.#runs(textOf(inline), cutOf(look)).map((run) => ({
        ...run,
        background: look.code ? "#eff0f2" : undefined,
        link: look.href,
        color: look.href === undefined ? undefined : "#0b57b5",
        decoration: decoration.length > 0 ? decoration : undefined,
      }));
    });
  }

  /** The widths of the longest word and line, points, and the number of lines in a column of a width. Estimated without kerning. */
  measure(inlines: readonly Inline[], look: Look, size: number, width: number): Measures {
    const found = { word: 0, all: 0, lines: 1 };
    let [word, line, whole] = [0, 0, 0];
    for (const [advance, kind] of this.#advancesOf(inlines, look)) {
      if (kind === "break") [word, line, whole] = [0, 0, 0];
      else if (kind === "blank") word = 0;
      else word += advance * size;
      line += advance * size;
      whole += advance * size;
      const isOver = line > width && kind === "letter";
      if (isOver && word > width) word = advance * size;
      if (isOver) line = word;
      if (isOver || kind === "break") found.lines += 1;
      found.word = Math.max(found.word, word);
      found.all = Math.max(found.all, whole);
    }
    return { ...found, all: Math.min(found.all, width) };
  }

  /** Advance widths as shares of the font size. */
  *#advancesOf(inlines: readonly Inline[], look: Look): Generator<[number, "letter" | "blank" | "break"]> {
    for (const inline of inlines) {
      if (inline.kind === "break") yield [0, "break"];
      const cut = cutOf(inline.kind === "text" ? { ...look, ...inline } : look);
      for (const character of textOf(inline)) {
        const advance = this.#advanceOf(cut, character) ?? this.#advanceOf(regular, character) ?? 1;
        yield [advance, /\s/.test(character) ? "blank" : "letter"];
      }
    }
  }

  /** Splits a text by the styles that have its characters. */
  #runs(text: string, wanted: Cut): (Cut & { text: string })[] {
    const runs: (Cut & { text: string })[] = [];
    for (const character of text) {
      const isThere = this.#advanceOf(wanted, character) !== undefined;
      const cut = isThere || /\s/.test(character) ? wanted : regular;
      const shown = isThere ? character : this.#substitute(character);
      const last = runs.at(-1);
      if (last !== undefined && last.font === cut.font && last.bold === cut.bold) last.text += shown;
      else runs.push({ ...cut, text: shown });
    }
    return runs;
  }

  #substitute(character: string): string {
    if (this.#advanceOf(regular, character) !== undefined) return character;
    if (/\s/.test(character)) return " ";
    // Characters that only modify the one before are omitted.
    if (/[\p{Cf}\p{M}]/u.test(character)) return "";
    if (nearest[character] === undefined) this.missing.add(character);
    return nearest[character] ?? box;
  }

  /** The advance width as a share of the font size; undefined for a character that the style lacks. */
  #advanceOf({ font, bold, italics }: Cut, character: string): number | undefined {
    const path = fonts[font][bold ? (italics ? "bolditalics" : "bold") : italics ? "italics" : "normal"];
    const key = path + character;
    if (this.#advances.has(key)) return this.#advances.get(key);
    const file = this.#fonts.get(path) ?? (create(readFileSync(path)) as Font);
    this.#fonts.set(path, file);
    const point = character.codePointAt(0) ?? 0;
    const advance = file.hasGlyphForCodePoint(point)
      ? file.glyphForCodePoint(point).advanceWidth / file.unitsPerEm
      : undefined;
    this.#advances.set(key, advance);
    return advance;
  }
}

function cutOf({ code, bold, italic }: Look): Cut {
  return { font: code ? "mono" : "sans", bold: bold === true, italics: italic === true };
}

/** Long texts without a blank can be broken at these intervals, because the library measures each part as a whole. */
const longRun = /\S{400}(?=\S)/g;

function textOf(inline: Inline): string {
  if (inline.kind === "picture") return `[${inline.alt || "picture"}]`;
  return inline.kind === "text" ? inline.text.replace(/[\n\t]/g, " ").replace(longRun, "$&\u200b") : "";
}

/** The shipped font. No fonts of the machine are used, so a picture is the same everywhere. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";

/** Its family name; the fallbacks are for people who open an SVG without the font. */
export const fontFamily = "DejaVu Sans";
export const fontFallbacks = `${fontFamily}, Verdana, Segoe UI, sans-serif`;
/** Diagrams use its condensed faces, which are about as wide as Arial: models assume that width. */
export const diagramFallbacks = `${fontFamily} Condensed, Arial, Helvetica, sans-serif`;

/** The fonts of a picture. */
export type FontSet = "chart" | "diagram";

const faces: Record<FontSet, readonly string[]> = {
  chart: ["DejaVuSans", "DejaVuSans-Bold"],
  diagram: ["DejaVuSansCondensed", "DejaVuSansCondensed-Bold", "DejaVuSansMono"],
};

const locate = createRequire(import.meta.url);

/** The files of the font. */
export function fontFiles(set: FontSet): Buffer[] {
  return faces[set].map((name) => readFileSync(locate.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)));
}

function openFont(weight: "regular" | "bold"): Font {
  const [regular, bold] = fontFiles("chart");
  return create((weight === "bold" ? bold : regular) as Buffer) as Font;
}

const widths = { regular: new Map<number, number>(), bold: new Map<number, number>() };
const fonts: { regular?: Font; bold?: Font } = {};

/** Width of a text, pixels. */
export function textWidth(text: string, size: number, bold: boolean): number {
  const weight = bold ? "bold" : "regular";
  fonts[weight] ??= openFont(weight);
  const font = fonts[weight];
  let units = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    let width = widths[weight].get(code);
    if (width === undefined) {
      width = font.glyphForCodePoint(code).advanceWidth / font.unitsPerEm;
      widths[weight].set(code, width);
    }
    units += width;
  }
  return units * size;
}

/** Text broken into lines of a maximum width, pixels; a wider word has a line of its own. */
export function wrapped(text: string, width: number, size: number, bold: boolean): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || textWidth(longer, size, bold) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** The characters of a picture's texts that the font lacks, and the SVG without emoji that it lacks. */
export function withKnownSigns(svg: string): { drawable: string; notes: string[] } {
  fonts.regular ??= openFont("regular");
  const { regular } = fonts;
  const isMissing = (sign: string) => !regular.hasGlyphForCodePoint(sign.codePointAt(0) ?? 0);
  const words = svg.replace(/<style[\s\S]*?<\/style>|<[^<>]*>/g, "").replace(/[ -~\s]/g, "");
  const missing = [...new Set(words)].filter(isMissing);
  const emoji = missing.filter((sign) => isEmoji.test(sign));
  const letters = missing.filter((sign) => !isEmoji.test(sign));
  const left = emoji.filter((sign) => /\p{Extended_Pictographic}|\p{RI}/u.test(sign));
  const lacking = (signs: readonly string[], effect: string) =>
    signs.length === 0 ? [] : [`The font has no ${signs.slice(0, 10).join(" ")}: ${effect}`];
  const boxes =
    "boxes stand there in the PNG. Write these words in Latin letters, or tell the person to open the SVG.";
  const notes = [...lacking(left, "the PNG leaves out such emoji."), ...lacking(letters, boxes)];
  const drawable =
    emoji.length === 0 ? svg : svg.replace(/[^ -~\s]/gu, (sign) => (emoji.includes(sign) ? "" : sign));
  return { drawable, notes };
}

const isEmoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{RI}|[\u200d\ufe0f\u20e3]/u;

/** The shipped font. Nothing of the machine's fonts is used, so a picture is the same everywhere. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";

/** As its files call it; what follows is for people who open an SVG without it. */
export const fontFamily = "DejaVu Sans";
export const fontFallbacks = `${fontFamily}, Verdana, Segoe UI, sans-serif`;

const locate = createRequire(import.meta.url);

function bytesOf(name: string): Buffer {
  return readFileSync(locate.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
}

let loaded: { regular: Buffer; bold: Buffer } | undefined;

/** The font's files. */
export function fontFiles(): { regular: Buffer; bold: Buffer } {
  loaded ??= { regular: bytesOf("DejaVuSans"), bold: bytesOf("DejaVuSans-Bold") };
  return loaded;
}

const widths = { regular: new Map<number, number>(), bold: new Map<number, number>() };
const fonts: { regular?: Font; bold?: Font } = {};

/** How wide a text is, pixels. */
export function textWidth(text: string, size: number, bold: boolean): number {
  const weight = bold ? "bold" : "regular";
  fonts[weight] ??= create(fontFiles()[weight]) as Font;
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

/** That a picture has signs which the font has not, as a sentence. */
export function missingSigns(svg: string): string[] {
  fonts.regular ??= create(fontFiles().regular) as Font;
  const { regular } = fonts;
  const signs = new Set(svg.replace(/<[^>]*>/g, "").replace(/[ -~\s]/g, ""));
  const missing = [...signs].filter((sign) => !regular.hasGlyphForCodePoint(sign.codePointAt(0) ?? 0));
  if (missing.length === 0) return [];
  return [`The font has no ${missing.slice(0, 10).join(" ")}: boxes stand there in the PNG.`];
}

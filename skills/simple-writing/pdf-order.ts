/** The visual order of the words of a line, for text with words that are read from right to left. */
import type { Inline, Look } from "./markdown-blocks.ts";

/** Styles of the font. */
export type Cut = "regular" | "bold" | "italic" | "bolditalic" | "mono" | "monobold";

/** A part of a line with one formatting, and the blanks after it. */
export interface Piece {
  text: string;
  cut: Cut;
  size: number;
  width: number;
  /** Width of the blanks at its end, which `width` includes. */
  blank: number;
  look: Look;
  /** Raises footnote marks above the line, points. */
  rise?: number;
}
export interface Line {
  pieces: Piece[];
  width: number;
  height: number;
  /** Whether the line is read from right to left. */
  fromRight: boolean;
}

/** Letters that are read from right to left. */
export const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Splits a word into parts of one direction: numbers and Latin letters within right-to-left words run left to right. */
export function byDirection(word: string): string[] {
  if (!rightToLeft.test(word)) return [word];
  return (
    word.match(
      /[\p{Nd}\p{Script=Latin}](?:[\p{Nd}\p{Script=Latin}.,:/%-]*[\p{Nd}\p{Script=Latin}%])?\s*|[^\p{Nd}\p{Script=Latin}]+/gu,
    ) ?? [word]
  );
}

/** Whether the first letter is read from right to left. */
export function isReadFromRight(inlines: readonly Inline[]): boolean {
  for (const inline of inlines) {
    const letter = inline.kind === "text" ? /\p{L}/u.exec(inline.text) : null;
    if (letter !== null) return rightToLeft.test(letter[0]);
  }
  return false;
}

/**
 * The pieces from left to right: reverses runs of right-to-left words and keeps runs of the other direction together. The font
 * library orders the characters within a word. Follows https://www.unicode.org/reports/tr9/, by words.
 */
export function inOrder({ pieces, fromRight }: Line): Piece[] {
  if (!fromRight && !pieces.some(({ text }) => rightToLeft.test(text))) return pieces;
  const own = pieces.map(({ text }) =>
    rightToLeft.test(text) ? true : /[\p{L}\p{N}]/u.test(text) ? false : undefined,
  );
  const runs: { isRight: boolean; pieces: Piece[] }[] = [];
  for (const [at, piece] of pieces.entries()) {
    const around = own[at - 1] === own[at + 1] ? own[at - 1] : undefined;
    const isRight = own[at] ?? around ?? fromRight;
    const last = runs.at(-1);
    if (last?.isRight === isRight) last.pieces.push(piece);
    else runs.push({ isRight, pieces: [piece] });
  }
  const shown = runs.map(({ isRight, pieces: run }) => {
    const ordered = (words: Piece[]) => (isRight ? words.toReversed().map(blankFirst).map(mirrored) : words);
    if (isRight === fromRight) return ordered(run);
    // In a line of the other direction, the blank after the last word of the run goes next to the following run.
    const { words, blank } = withoutBlank(run);
    return fromRight ? [...blank, ...ordered(words)] : [...ordered(words), ...blank];
  });
  return (fromRight ? shown.toReversed() : shown).flat();
}

function withoutBlank(run: Piece[]): { words: Piece[]; blank: Piece[] } {
  const last = run.at(-1);
  if (last === undefined || last.blank === 0) return { words: run, blank: [] };
  const { text, width, blank } = last;
  const word = { ...last, text: text.trimEnd(), width: width - blank, blank: 0 };
  return {
    words: [...run.slice(0, -1), word],
    blank: [{ ...last, text: " ", width: blank, look: {} }],
  };
}

/** Moves the blank after a right-to-left word to its left. */
function blankFirst(piece: Piece): Piece {
  const text = piece.text.trimEnd();
  return { ...piece, text: piece.text.slice(text.length) + text };
}

const mirrors: Readonly<Record<string, string>> = {
  "(": ")",
  ")": "(",
  "[": "]",
  "]": "[",
  "«": "»",
  "»": "«",
};

/** Mirrors brackets. */
function mirrored(piece: Piece): Piece {
  return { ...piece, text: piece.text.replace(/[()[\]«»]/g, (sign) => mirrors[sign] ?? sign) };
}

/** Joins adjacent pieces with the same formatting, so that their text can be searched and copied as a whole. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last !== undefined && isAlike(last, piece)) {
      last.text += piece.text;
      last.width += piece.width;
    } else found.push({ ...piece });
  }
  return found;
}

function isAlike(one: Piece, other: Piece): boolean {
  if (one.cut !== other.cut || one.size !== other.size || one.rise !== other.rise) return false;
  const isSame = one.look.href === other.look.href && one.look.strike === other.look.strike;
  return isSame && one.look.code === other.look.code && !rightToLeft.test(one.text + other.text);
}

import type { Section } from "../document-summarizer/sections.ts";

/** Characters of a piece, about 400 tokens of English, and of what it repeats of the one before it. */
const maxPiece = 1_600;
const maxOverlap = 240;

/** A character of these scripts is about a token, of others a quarter of one. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

/**
 * Cuts sections into pieces that are found one by one, at the borders of paragraphs, else of sentences. A piece stays within its section,
 * and begins with the end of the one before it, so that no sentence is without what it refers to.
 */
export function cutPieces(sections: readonly Section[]): Section[] {
  return sections.flatMap(({ place, text }) => cut(text).map((piece) => ({ place, text: piece })));
}

/** Characters of a table's first row that its pieces repeat; a longer one is no header. */
const maxHeader = 400;

/** The pieces of tables, each with the first row of its table: a row without the names of its columns says little. */
export function withHeaders(pieces: readonly Section[], sections: readonly Section[]): Section[] {
  return pieces.map(({ place, text }) => {
    // A table of text is cut by lines, and has one header; a sheet is a section.
    const table = place === "" || place.startsWith("lines ") ? sections[0] : sectionAt(sections, place);
    const header = table?.text.split("\n", 1)[0]?.trim() ?? "";
    const isRepeated = header !== "" && header.length <= maxHeader && !text.startsWith(header);
    return { place, text: isRepeated ? `${header}\n${text}` : text };
  });
}

function sectionAt(sections: readonly Section[], place: string): Section | undefined {
  return sections.find((section) => section.place === place);
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  let current: string[] = [];
  let length = 0;
  /** Units of `current` that the piece before has too. */
  let repeated = 0;
  const close = () => {
    const piece = current.join("").trim();
    if (piece !== "" && current.length > repeated) pieces.push(piece);
    current = endOf(current);
    length = lengthOf(current);
    repeated = current.length;
  };
  for (const unit of unitsOf(text)) {
    const more = weight(unit);
    if (length + more > maxPiece) close();
    // What is repeated gives way to what is new.
    if (length + more > maxPiece) [current, length, repeated] = [[], 0, 0];
    current.push(unit);
    length += more;
  }
  close();
  return pieces;
}

/** The last units of a piece that are short enough to be repeated. */
function endOf(units: readonly string[]): string[] {
  let from = units.length;
  let length = 0;
  while (from > 1) {
    length += weight(units[from - 1] ?? "");
    if (length > maxOverlap) break;
    from -= 1;
  }
  return units.slice(from);
}

/** Paragraphs with what parts them; of long ones the sentences, of those the words. */
function unitsOf(text: string): string[] {
  return text.split(/(?<=\n[ \t]*\n)/).flatMap((paragraph) => {
    if (weight(paragraph) <= maxOverlap) return [paragraph];
    return sentencesOf(paragraph).flatMap((sentence) =>
      weight(sentence) <= maxPiece ? [sentence] : wordsOf(sentence),
    );
  });
}

/** Sentences, and the lines of what has none, such as a table. */
function sentencesOf(paragraph: string): string[] {
  const lines = paragraph.split(/(?<=\n)/);
  return lines.flatMap((line) => {
    if (weight(line) <= maxOverlap) return [line];
    const segments = new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(line);
    return [...segments].map(({ segment }) => segment);
  });
}

/** Parts of a text without sentences, at spaces where it has some. */
function wordsOf(text: string): string[] {
  return text.match(/\S{1,300}\s*|\s+/g) ?? [];
}

function lengthOf(units: readonly string[]): number {
  return units.reduce((sum, unit) => sum + weight(unit), 0);
}

function weight(text: string): number {
  return text.length + 3 * (text.match(dense)?.length ?? 0);
}

import { groupedBy } from "../../src/core/scope/generate.ts";

/** A part of a document with its place, as people refer to it. */
export interface Section {
  /** `page 3`, `sheet Orders`, a heading, or else `lines 1–80`. */
  place: string;
  text: string;
}

/** Maximum characters of a section without a mark. */
const maxSection = 4_000;

/** Splits a text into sections by its pages, slides and sheets, or else its headings, or else its lines. */
export function sectionsOf(text: string): Section[] {
  const marks = marksIn(text);
  if (marks.length > 0) return byMarks(text, marks);
  const headings = [...text.matchAll(/^#{1,4} (.{1,200})$/gm)];
  return headings.length > 1 ? byMarks(text, headings) : byLines(text);
}

/** In a document with pages or slides, a line that looks like another kind of mark belongs to the text. */
function marksIn(text: string): RegExpExecArray[] {
  const marks = [...text.matchAll(/^--- (.{1,200}) ---$/gm)];
  const numbered = /^(page|slide) \d+$/.exec(marks[0]?.[1] ?? "")?.[1];
  return numbered === undefined ? marks : marks.filter(([, place = ""]) => place.startsWith(`${numbered} `));
}

function byMarks(text: string, marks: readonly RegExpExecArray[]): Section[] {
  const before = text.slice(0, marks[0]?.index).trim();
  const first = before === "" ? [] : [{ place: "beginning", text: before }];
  return [...first, ...marks.flatMap((mark, at) => section(text, mark, marks[at + 1]?.index))];
}

function section(text: string, mark: RegExpExecArray, end: number | undefined): Section[] {
  const place = (mark[1] ?? "").trim();
  const content = text.slice(mark.index + mark[0].length, end).trim();
  return content === "" ? [] : [{ place, text: content }];
}

function byLines(text: string): Section[] {
  const lines = text.split("\n");
  const sections: Section[] = [];
  let from = 0;
  let length = 0;
  for (const [at, line] of lines.entries()) {
    length += line.length + 1;
    const isLast = at === lines.length - 1;
    if (length < maxSection && !isLast) continue;
    const content = lines
      .slice(from, at + 1)
      .join("\n")
      .trim();
    if (content !== "") sections.push({ place: `lines ${from + 1}–${at + 1}`, text: content });
    from = at + 1;
    length = 0;
  }
  return sections;
}

/** Joins sections into parts of at most `max` characters; a longer section is split. */
export function partsOf<Piece extends Section>(sections: readonly Piece[], max: number): Piece[][] {
  const pieces = sections.flatMap((whole) =>
    Array.from({ length: Math.ceil(whole.text.length / max) }, (_, at) => ({
      ...whole,
      text: whole.text.slice(at * max, (at + 1) * max),
    })),
  );
  return groupedBy(pieces, max, ({ text }) => text.length);
}

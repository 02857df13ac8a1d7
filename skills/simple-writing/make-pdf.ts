import pdfmake, { type Content, type Definition } from "pdfmake";
import type { Writing } from "./document.ts";
import { type Block, type Inline, rightToLeft } from "./markdown-blocks.ts";
import { blocksOf, body, type Making, ruleOf } from "./pdf-blocks.ts";
import { fonts, lineHeight, PdfWords } from "./pdf-words.ts";

/** Margins, points. */
const margin = { x: 64, top: 60, bottom: 64 };

/** A PDF with an outline, page numbers, links and the shipped font. `notes`: sentences about content that cannot be shown. */
export async function makePdf(
  writing: Writing,
): Promise<{ data: Uint8Array; pages: number; notes: string[] }> {
  const { title, author, language, now, text } = writing;
  const named = [...writing.pictures].map(
    ([path, picture], at) => [path, { ...picture, name: `p${at}` }] as const,
  );
  const making: Making = { words: new PdfWords(), pictures: new Map(named), places: [] };
  const column = { width: (writing.isLetter ? 612 : 595.28) - 2 * margin.x, look: {}, depth: 0 };
  const blocks = blocksOf(text.blocks, column, making);
  const above: Content = {
    text: making.words.inlines([{ kind: "text", text: title }], { bold: true }),
    fontSize: 22,
    marginBottom: 12,
  };
  let pages = 0;
  const definition: Definition = {
    pageSize: writing.isLetter ? "LETTER" : "A4",
    pageMargins: [margin.x, margin.top, margin.x, margin.bottom],
    version: "1.7",
    displayTitle: true,
    language,
    info: { title, author, creationDate: new Date(now) },
    defaultStyle: { font: "sans", fontSize: body, lineHeight, color: "#1c1c1c" },
    images: Object.fromEntries(
      named.map(([, { name, kind, data }]) => [
        name,
        `data:image/${kind};base64,${Buffer.from(data).toString("base64")}`,
      ]),
    ),
    content: [
      ...(writing.isTitleAbove ? [above] : []),
      ...(writing.hasContents ? [contentsOf(making)] : []),
      ...blocks,
      ...footnotesOf(text.footnotes, making),
    ],
    footer(page, count) {
      pages = count;
      return footerOf(page, count, title, making);
    },
  };
  const paths = new Set<unknown>(Object.values(fonts).flatMap((cuts) => Object.values(cuts)));
  pdfmake.setFonts(fonts);
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => paths.has(path));
  const data = await pdfmake.createPdf(definition).getBuffer();
  return { data, pages, notes: notesOf(making.words.missing, text.blocks) };
}

function contentsOf({ places, words }: Making): Content {
  const rows = places
    .filter(({ level }) => level <= 3)
    .map(({ title, level, id }): Content[] => [
      {
        text: words.inlines([{ kind: "text", text: title }], level === 1 ? { bold: true } : {}),
        linkToDestination: id,
        marginLeft: (level - 1) * 16,
      },
      { pageReference: id, alignment: "right", linkToDestination: id },
    ]);
  return {
    table: { widths: ["*", 40], dontBreakRows: true, body: rows },
    layout: "noBorders",
    pageBreak: "after",
  };
}

function footnotesOf(footnotes: readonly Inline[][], { words }: Making): Content[] {
  if (footnotes.length === 0) return [];
  const notes = footnotes.map((inlines, at): Content => {
    const marked: Inline[] = [{ kind: "note", number: at + 1 }, { kind: "text", text: " " }, ...inlines];
    return { text: words.inlines(marked), fontSize: 8.5 };
  });
  return [
    { stack: [ruleOf(120, "#8a8f98"), ...notes.slice(0, 1)], unbreakable: true, marginTop: 8 },
    ...notes.slice(1),
  ];
}

/** The page number, and the title on all pages but the first. */
function footerOf(page: number, count: number, title: string, { words }: Making): Content {
  return {
    columns: [
      {
        text: page === 1 ? "" : words.inlines([{ kind: "text", text: title }]),
        width: "*",
        noWrap: true,
        maxHeight: 12,
      },
      { text: count === 1 ? "" : `${page} / ${count}`, width: 80, alignment: "right" },
    ],
    fontSize: 8,
    margin: [margin.x, 24, margin.x, 0],
  };
}

function notesOf(missing: ReadonlySet<string>, blocks: readonly Block[]): string[] {
  const notes: string[] = [];
  if (missing.size > 0) {
    const shown = [...missing].slice(0, 12).join(" ");
    const more = missing.size > 12 ? " …" : "";
    notes.push(`The PDF's font has no ${shown}${more}; they are shown as boxes. A docx file shows them.`);
  }
  const widest = Math.max(0, ...blocks.map((block) => (block.kind === "table" ? block.header.length : 0)));
  if (widest > 14)
    notes.push(
      `A table has ${widest} columns, too many to be readable on a page. Use a spreadsheet instead.`,
    );
  if (rightToLeft.test(JSON.stringify(blocks)))
    notes.push("The PDF shows right-to-left words in the wrong order; a docx file shows them correctly.");
  return notes;
}

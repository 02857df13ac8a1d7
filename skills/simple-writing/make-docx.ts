import * as docx from "docx";
import { estimatePageNumbers } from "docx/layout";
import { fitted, type Picture, type Writing } from "./document.ts";
import { tableOf } from "./docx-table.ts";
import { directionOf, runsOf } from "./docx-words.ts";
import { type Block, type Inline, type ListItem, wordsOf } from "./markdown-blocks.ts";

/** Twentieths of a point: the indent of lists and quotes, and the page. */
const step = 400;
const pages = { a4: { width: 11_906, height: 16_838 }, letter: { width: 12_240, height: 15_840 } };
const margin = 1_300;

/** The context of a block: indent, depth of lists, and whether it is in a quote. */
interface Place {
  indent: number;
  lists: number;
  isQuoted: boolean;
}
interface Making {
  writing: Writing;
  /** Twentieths of a point between the margins. */
  width: number;
  numberings: docx.INumberingOptions["config"][number][];
}
type Child = docx.Paragraph | docx.Table | docx.TableOfContents;

/** A Word document with real headings, lists, tables, footnotes, links, page numbers and, if it is long, a table of contents. */
export async function makeDocx(writing: Writing): Promise<Uint8Array> {
  const { title, author, text, language } = writing;
  const page = writing.isLetter ? pages.letter : pages.a4;
  const making: Making = { writing, width: page.width - 2 * margin, numberings: [] };
  const children: Child[] = [
    ...(writing.isTitleAbove ? [titleOf(title)] : []),
    ...(writing.hasContents ? contents() : []),
    ...render(text.blocks, { indent: 0, lists: 0, isQuoted: false }, making),
  ];
  const document = new docx.Document({
    title,
    creator: author,
    lastModifiedBy: author,
    styles: stylesOf(language),
    numbering: { config: making.numberings },
    ...(writing.hasContents ? { pageNumbers: estimatePageNumbers } : {}),
    sections: [
      {
        properties: {
          page: { size: page, margin: { top: margin, bottom: margin, left: margin, right: margin } },
        },
        footers: { default: footer() },
        children,
      },
    ],
  });
  return new Uint8Array(await docx.Packer.toBuffer(document));
}

function titleOf(title: string): docx.Paragraph {
  const children = [new docx.TextRun(title)];
  const heading = docx.HeadingLevel.TITLE;
  return new docx.Paragraph({ heading, ...directionOf([{ kind: "text", text: title }]), children });
}

function stylesOf(language: string | undefined): docx.IStylesOptions {
  const heading = (size: number) => ({
    run: { size, bold: true, color: "1F2F46", font: "Calibri" },
    paragraph: { keepNext: true, spacing: { before: 280, after: 120 } },
  });
  const tongue =
    language === undefined
      ? {}
      : { language: { value: language, eastAsia: language, bidirectional: language } };
  return {
    default: {
      document: {
        run: { font: { ascii: "Calibri", hAnsi: "Calibri", cs: "Calibri" }, size: 22, ...tongue },
        paragraph: { spacing: { after: 140, line: 276, lineRule: docx.LineRuleType.AUTO } },
      },
      title: { run: { size: 44, bold: true, color: "1F2F46" }, paragraph: { spacing: { after: 240 } } },
      heading1: heading(32),
      heading2: heading(27),
      heading3: heading(24),
      heading4: heading(22),
      heading5: heading(22),
      heading6: heading(22),
    },
  };
}

function footer(): docx.Footer {
  const numbers = new docx.TextRun({
    children: [docx.PageNumber.CURRENT, " / ", docx.PageNumber.TOTAL_PAGES],
    size: 18,
    color: "666666",
  });
  return new docx.Footer({
    children: [new docx.Paragraph({ alignment: docx.AlignmentType.CENTER, children: [numbers] })],
  });
}

function contents(): Child[] {
  return [
    new docx.TableOfContents("Contents", { hyperlink: true, headingStyleRange: "1-3" }),
    new docx.Paragraph({ children: [new docx.PageBreak()] }),
  ];
}

function render(blocks: readonly Block[], place: Place, making: Making): Child[] {
  return blocks.flatMap((block) => renderOne(block, place, making));
}

function renderOne(block: Block, place: Place, making: Making): Child[] {
  switch (block.kind) {
    case "heading":
      return [headingOf(block, place, making)];
    case "paragraph":
      return paragraphsOf(block.inlines, place, making);
    case "list":
      return listOf(block, place, making);
    case "table":
      // Word joins two tables unless something separates them.
      return [
        tableOf(
          block,
          { indent: place.indent, width: Math.max(2_000, making.width - place.indent) },
          making.writing.text.footnotes,
        ),
        new docx.Paragraph({ spacing: { after: 60, line: 120 } }),
      ];
    case "code":
      return codeOf(block.text, place);
    case "quote":
      return render(block.blocks, { ...place, indent: place.indent + step, isQuoted: true }, making);
    case "rule": {
      const bottom = { style: docx.BorderStyle.SINGLE, size: 6, color: "BBBBBB", space: 1 };
      return [new docx.Paragraph({ border: { bottom }, ...framed(place) })];
    }
  }
}

/** Indent and border of a paragraph in its context. */
function framed({ indent, isQuoted }: Place): Pick<docx.IParagraphOptions, "indent" | "border"> {
  const left = { style: docx.BorderStyle.SINGLE, size: 18, color: "C9CED6", space: 10 };
  return { ...(indent > 0 ? { indent: { left: indent } } : {}), ...(isQuoted ? { border: { left } } : {}) };
}

const levels = ["HEADING_1", "HEADING_2", "HEADING_3", "HEADING_4", "HEADING_5", "HEADING_6"] as const;

function headingOf(
  { level, inlines }: { level: number; inlines: readonly Inline[] },
  place: Place,
  making: Making,
): docx.Paragraph {
  const heading = docx.HeadingLevel[levels[level - 1] ?? "HEADING_6"];
  return new docx.Paragraph({
    heading,
    ...framed(place),
    ...directionOf(inlines),
    children: runsOf(inlines, making.writing.text.footnotes),
  });
}

/** Puts pictures on separate lines, with their captions below. */
function paragraphsOf(
  inlines: readonly Inline[],
  place: Place,
  making: Making,
  { first = {}, box = [] }: { first?: docx.IParagraphOptions; box?: docx.ParagraphChild[] } = {},
): docx.Paragraph[] {
  const found: docx.Paragraph[] = [];
  let words: Inline[] = [];
  const end = () => {
    if (wordsOf(words).trim() === "" && words.every(({ kind }) => kind !== "note")) return;
    const isFirst = found.length === 0;
    const children = [...(isFirst ? box : []), ...runsOf(words, making.writing.text.footnotes)];
    const own = isFirst ? first : {};
    found.push(new docx.Paragraph({ ...framed(place), ...directionOf(words), ...own, children }));
    words = [];
  };
  for (const inline of inlines) {
    const picture = inline.kind === "picture" ? making.writing.pictures.get(inline.path) : undefined;
    if (inline.kind !== "picture" || picture === undefined) words.push(inline);
    else {
      end();
      found.push(...pictureOf(picture, inline.alt, place, making));
    }
  }
  end();
  return found;
}

function pictureOf(picture: Picture, alt: string, place: Place, { width }: Making): docx.Paragraph[] {
  // A pixel is 15 twentieths of a point.
  const { width: wide, height } = fitted(picture, (width - place.indent) / 15, 800);
  const image = new docx.ImageRun({
    type: picture.kind,
    data: picture.data,
    transformation: { width: Math.round(wide), height: Math.round(height) },
    altText: { name: "picture", title: alt, description: alt },
  });
  const shown = new docx.Paragraph({
    ...framed(place),
    spacing: { after: 60, line: 240, lineRule: docx.LineRuleType.AUTO },
    keepNext: alt !== "",
    children: [image],
  });
  const words = new docx.TextRun({ text: alt, italics: true, size: 19, color: "555555" });
  return alt === "" ? [shown] : [shown, new docx.Paragraph({ ...framed(place), children: [words] })];
}

type List = Extract<Block, { kind: "list" }>;

function listOf(list: List, place: Place, making: Making): Child[] {
  const reference = `list-${making.numberings.length + 1}`;
  const level = Math.min(8, place.lists);
  // Each list has its own definition, so that it starts with its own number; its upper levels are not used.
  const levels = Array.from({ length: level + 1 }, (_, at) => levelOf(at, list, place));
  making.numberings.push({ reference, levels });
  const last = place.lists === 0 ? list.items.at(-1) : undefined;
  return list.items.flatMap((item) => {
    const after = item === last && item.blocks.length < 2 ? 140 : 60;
    return itemOf(item, { reference, level, after }, place, making);
  });
}

function levelOf(level: number, { ordered, start }: List, { indent, lists }: Place): docx.ILevelsOptions {
  const bullet = ["•", "◦", "▪"][lists % 3] ?? "•";
  return {
    level,
    format: ordered ? docx.LevelFormat.DECIMAL : docx.LevelFormat.BULLET,
    text: ordered ? `%${level + 1}.` : bullet,
    alignment: docx.AlignmentType.START,
    start,
    style: { paragraph: { indent: { left: indent + step, hanging: step } } },
  };
}

function itemOf(
  { checked, blocks }: ListItem,
  { after, ...numbering }: { reference: string; level: number; after: number },
  place: Place,
  making: Making,
): Child[] {
  const [head, ...rest] = blocks;
  const inner = { ...place, indent: place.indent + step, lists: place.lists + 1 };
  const words = head?.kind === "paragraph" ? head.inlines : [];
  const hanging = { indent: { left: inner.indent, hanging: step } };
  const first = {
    ...(checked === undefined ? { numbering } : hanging),
    spacing: { after },
  };
  const box =
    checked === undefined ? [] : [new docx.TextRun({ children: [checked ? "☑" : "☐", new docx.Tab()] })];
  const shown = paragraphsOf(words, inner, making, { first, box });
  // An item keeps its number even if it does not begin with a paragraph.
  if (shown.length === 0) shown.push(new docx.Paragraph({ ...first, children: box }));
  const others = head === undefined || head.kind === "paragraph" ? rest : blocks;
  return [...shown, ...render(others, inner, making)];
}

function codeOf(text: string, place: Place): docx.Paragraph[] {
  const shading = { type: docx.ShadingType.CLEAR, fill: "F3F4F6" };
  const lines = text.replaceAll("\t", "    ").split("\n");
  return lines.map((line, at) => {
    const run = new docx.TextRun({ text: line || " ", font: "Consolas", size: 19, noProof: true });
    const spacing = { after: at === lines.length - 1 ? 140 : 0, line: 240 };
    return new docx.Paragraph({ ...framed(place), spacing, shading, children: [run] });
  });
}

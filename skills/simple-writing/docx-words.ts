import * as docx from "docx";
import { type Inline, rightToLeft, type Text } from "./markdown-blocks.ts";

/** Whether the first letter is read from right to left. */
export function isReadFromRight(inlines: readonly Inline[]): boolean {
  for (const inline of inlines) {
    const letter = inline.kind === "text" ? /\p{L}/u.exec(inline.text) : null;
    if (letter !== null) return rightToLeft.test(letter[0]);
  }
  return false;
}

/** The reading direction of a paragraph. */
export function directionOf(inlines: readonly Inline[]): Pick<docx.IParagraphOptions, "bidirectional"> {
  return isReadFromRight(inlines) ? { bidirectional: true } : {};
}

/** Formatting of all words of a text; the size in half points. */
interface WordLook {
  isBold?: boolean;
  size?: number;
}

/** Formatted words; adjacent words with the same address become one link. */
export function runsOf(
  inlines: readonly Inline[],
  footnotes: Text["footnotes"],
  look: WordLook = {},
): docx.ParagraphChild[] {
  const found: docx.ParagraphChild[] = [];
  let link: { href: string; children: docx.ParagraphChild[] } | undefined;
  const end = () => {
    if (link !== undefined)
      found.push(new docx.ExternalHyperlink({ link: link.href, children: link.children }));
    link = undefined;
  };
  for (const inline of inlines) {
    const href = inline.kind === "text" ? inline.href : undefined;
    if (link?.href !== href) end();
    const run = runOf(inline, footnotes, look);
    if (href === undefined) found.push(run);
    else if (link === undefined) link = { href, children: [run] };
    else link.children.push(run);
  }
  end();
  return found;
}

function runOf(
  inline: Inline,
  footnotes: Text["footnotes"],
  { isBold = false, size }: WordLook,
): docx.ParagraphChild {
  if (inline.kind === "break") return new docx.TextRun({ break: 1 });
  if (inline.kind === "picture")
    return new docx.TextRun({ text: `[${inline.alt || "picture"}]`, italics: true });
  if (inline.kind === "note") {
    const words = runsOf([{ kind: "text", text: " " }, ...(footnotes[inline.number - 1] ?? [])], []);
    const note = new docx.Paragraph({ style: "FootnoteText", children: words });
    return new docx.FootnoteReferenceRun({ children: [note] });
  }
  const { text, bold, italic, strike, code, href } = inline;
  return new docx.TextRun({
    text: text.replaceAll("\n", " "),
    ...(isBold || bold ? { bold: true } : {}),
    ...(italic ? { italics: true } : {}),
    ...(strike ? { strike: true } : {}),
    ...(size === undefined ? {} : { size }),
    ...(code ? { font: "Consolas", size: (size ?? 22) - 2, noProof: true } : {}),
    ...(rightToLeft.test(text) ? { rightToLeft: true } : {}),
    ...(href === undefined ? {} : { style: "Hyperlink" }),
  });
}

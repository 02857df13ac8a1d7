import { type Picture, readPicture, type Writing } from "./document.ts";
import type { Format, FromThread, Job, ToThread } from "./make-files.ts";
import { type Block, printable, type Text, wordsOf } from "./markdown-blocks.ts";

/** Minimum words and headings for a table of contents, and maximum headings. */
const contentsLimits = { minWords: 1_200, minHeadings: 6, maxHeadings: 300 };

/** Maximum blocks before the subject of a letter; minimum characters of a title for a bold line that begins with it to be the subject. */
const subject = { blocks: 20, characters: 15 };

/** Writes a text in the formats of a job, one after the other. */
export async function* writeFiles(
  job: Job,
  text: Text,
  found: ToThread,
): AsyncGenerator<Exclude<FromThread, { kind: "pictures" }>> {
  const writing = writingOf(job, text, found);
  const isEmpty = wordCount(text.blocks) === 0 && text.pictures.length === 0;
  // Word files take longest: their page numbers are estimated until Word opens them.
  const inOrder = job.formats.toSorted((a, b) => Number(a === "docx") - Number(b === "docx"));
  for (const format of isEmpty ? [] : inOrder) {
    yield { kind: "making", format };
    const { notes = [], ...file } = await makers[format](writing, job);
    yield { kind: "made", file: { format, ...file }, notes };
  }
  yield { kind: "done", notes: text.notes };
}

function writingOf(job: Job, text: Text, found: ToThread): Writing {
  const pictures = new Map<string, Picture>();
  for (const [path, data] of found) {
    const picture = readPicture(data);
    if (picture === undefined)
      text.notes.push(
        `${path} was left out: it is no PNG or JPEG picture with at most 25 million pixels and 15 MB.`,
      );
    else pictures.set(path, picture);
  }
  const { title, blocks, isAbove } = titleOf(job, text.blocks);
  const headings = blocks.filter((block) => block.kind === "heading" && block.level <= 3).length;
  return {
    title,
    author: printable(job.author),
    language: job.language,
    now: job.now,
    text: { ...text, blocks },
    pictures,
    isTitleAbove: isAbove,
    hasContents:
      wordCount(blocks) > contentsLimits.minWords &&
      headings >= contentsLimits.minHeadings &&
      headings <= contentsLimits.maxHeadings,
    isLetter: /-(US|CA|MX)\b/.test(job.language ?? ""),
  };
}

/**
 * A single first-level heading at the beginning of the text is its title. If a later line states the title, as the subject of a letter
 * does, the title is not set above the text.
 */
function titleOf(job: Job, blocks: Block[]): { title: string; blocks: Block[]; isAbove: boolean } {
  const given = printable(job.title);
  const [first, ...rest] = blocks;
  const isTitle = (block: Block) => block.kind === "heading" && block.level === 1;
  const own = first?.kind === "heading" && isTitle(first) ? wordsOf(first.inlines).trim() : "";
  if (own !== "" && !rest.some(isTitle)) {
    const isMail = job.formats.every((format) => format === "eml");
    return { title: isMail ? given : own, blocks: rest, isAbove: true };
  }
  const at = blocks.slice(0, subject.blocks).findIndex((block) => says(block, given));
  return { title: given, blocks: at === 0 ? rest : blocks, isAbove: at < 1 };
}

/** Whether a block states the title: alone, after a word such as `Subject:`, or at the beginning of a bold line. */
function says(block: Block, given: string): boolean {
  if (block.kind !== "paragraph" && block.kind !== "heading") return false;
  const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const [title, words] = [plain(given), plain(wordsOf(block.inlines))];
  if (words === title || words.replace(/^\p{L}{2,12}: /u, "") === title) return true;
  const isBold = block.inlines.every((inline) => inline.kind === "text" && inline.bold);
  return (
    block.kind === "paragraph" && isBold && title.length >= subject.characters && words.startsWith(title)
  );
}

type Make = (writing: Writing, job: Job) => Promise<{ data: Uint8Array; pages?: number; notes?: string[] }>;

/** The libraries of a format are loaded when it is made. */
const makers: Record<Format, Make> = {
  docx: async (writing) => ({ data: await (await import("./make-docx.ts")).makeDocx(writing) }),
  pdf: async (writing) => (await import("./make-pdf.ts")).makePdf(writing),
  html: async (writing) => ({ data: encoded((await import("./make-page.ts")).makePage(writing)) }),
  eml: async (writing, { to, markdown }) => ({
    data: await (await import("./make-page.ts")).makeMail(writing, to, markdown),
  }),
  async md(writing, { markdown }) {
    const isTitled = /^\s*# /.test(markdown) || !writing.isTitleAbove;
    return { data: encoded(isTitled ? markdown : `# ${writing.title.replace(/\s+/g, " ")}\n\n${markdown}`) };
  },
};

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function wordCount(blocks: readonly Block[]): number {
  return plain(blocks).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’_-]*/gu)?.length ?? 0;
}

function plain(blocks: readonly Block[]): string {
  const texts = blocks.map((block) => {
    if (block.kind === "heading" || block.kind === "paragraph") return wordsOf(block.inlines);
    if (block.kind === "code") return block.text;
    if (block.kind === "quote") return plain(block.blocks);
    if (block.kind === "list") return plain(block.items.flatMap((item) => item.blocks));
    if (block.kind === "rule") return "";
    return [block.header, ...block.rows].flatMap((row) => row.map(wordsOf)).join("\n");
  });
  return texts.join("\n");
}

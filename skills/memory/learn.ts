import { createHash } from "node:crypto";
import { z } from "zod";
import { counted } from "../../src/base/amounts.ts";
import type { KnownDocument, KnownPiece } from "../../src/core/ports/services.ts";
import { WebError } from "../../src/core/ports/web.ts";
import { definePart, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { objectOf, toJson } from "../../src/core/values/json.ts";
import { labelOf } from "../../src/core/values/label.ts";
import { isAddress, readSource, type Source } from "../document-summarizer/read-sources.ts";
import { type Section, sectionsOf } from "../document-summarizer/sections.ts";
import { validAddresses } from "../web-scraping/page-address.ts";
import { minute, sameness } from "./fact.ts";
import { showDocument, shownDocumentSchema } from "./known-document.ts";

/** Maximum characters learned from a document, about 1,000 pages; maximum documents and passages of a channel. */
const maxCharacters = 2_500_000;
const maxDocuments = 300;
const maxPassages = 20_000;
/** Passages embedded per request. */
const vectorsAtOnce = 128;
/** Maximum time for embedding, ms, within the skill's limit. */
const maxEmbedding = 400_000;

const parameters = z.object({
  what: z.string().trim().min(1).max(2_000).optional().describe("the file's path, or the page's address"),
  text: z.string().trim().min(1).max(200_000).optional().describe("pasted text instead"),
  title: z.string().trim().min(1).max(200).optional().describe("needed for pasted text"),
});
type Wanted = z.output<typeof parameters>;
const output = z.object({
  summary: z.string(),
  document: shownDocumentSchema,
  notes: z.array(z.string()).optional().describe("what is missing in it"),
});

/**
 * Adds a document to the channel's knowledge. It replaces an earlier version of the same page, or of the same file or title by the same
 * person: two people may each have a `report.pdf`.
 */
export const learn = definePart({
  title: "Learning a document",
  description:
    "Adds a file of this thread, a web page or a pasted text to what this channel knows, for recall in all its threads.",
  parameters,
  output,
  listed: true,
  readable: ({ summary, notes = [] }) => [summary, ...notes].join(" "),
  effect: "idempotent",
  shares: true,
  says: () => ({ deed: "learn a document for this channel" }),
  addresses(input) {
    const { what } = objectOf(input);
    return typeof what === "string" && isAddress(what) ? validAddresses(what) : [];
  },
  // One step: the text is too large for the journal, and adding it is idempotent.
  run: async (wanted, context) =>
    output.parse(await context.step("learn", async () => toJson(await learnDocument(wanted, context)))),
});

async function learnDocument(wanted: Wanted, context: ToolContext) {
  const { knowledge } = context;
  if (knowledge === undefined)
    throw new SkillFailure("no_knowledge", "This bot cannot store documents.", "Say so.");
  const { name, origin, sections, note } = await read(wanted, context);
  const title = wanted.title ?? name;
  if (sections.length === 0) throw withoutText(title, note);
  const { pieces, isCut } = bounded(piecesOf(origin, placed(sections)));
  const source = sourceOf(origin, sections);
  const known = await knowledge.list();
  const replaced = known.filter((each) => isReplaced(each, { origin, source, author: context.user.id }));
  const others = known.filter((each) => !replaced.includes(each));
  checkRoom(others, pieces.length);
  const vectors = await vectorsOf(title, pieces, context);
  const embedded = pieces.map((piece, at) => ({ ...piece, ...vectors[at] }));
  const document = await knowledge.add({ title, source }, embedded);
  await knowledge.remove(replaced.filter((each) => each.source !== source).map(({ id }) => id));
  const namesakes = others.filter((each) => sameness(each.title) === sameness(title));
  const zone = context.time_zone;
  const unseen = pieces.length - vectors.length;
  const notes = [
    note,
    isCut && `Only its first ${maxCharacters.toLocaleString("en")} characters were learned.`,
    vectors.length > 0 &&
      unseen > 0 &&
      `Its last ${counted(unseen, "passage")} can be found only by their words.`,
    ...replaced.map((each) => `It replaces ${described(each, zone)}.`),
    ...namesakes.map(
      (each) =>
        `${described(each, zone)}, is a different document and stays. Forget it if this is its new version.`,
    ),
  ].filter((each) => typeof each === "string");
  return {
    summary: `Learned ${title} as document ${document.id}, in ${counted(pieces.length, "passage")}. To forget it: “forget document ${document.id}”.`,
    document: showDocument(document, zone),
    notes: notes.length === 0 ? undefined : notes,
  };
}

function piecesOf(origin: string, sections: readonly Section[]): Section[] {
  const pieces = cutPieces(sections);
  return /\.(csv|tsv|tab|xlsx?|xlsm|ods)$/i.test(origin) ? withHeaders(pieces, sections) : pieces;
}

/** An identifier of the source. A hash of the content distinguishes files and texts with the same name. */
function sourceOf(origin: string, sections: readonly Section[]): string {
  if (isAddress(origin)) return origin;
  const hash = createHash("sha256").update(JSON.stringify(sections)).digest("hex");
  return `${origin}#${hash.slice(0, hashLength)}`;
}

const hashLength = 32;

/** Whether a document is replaced by one from this source. */
function isReplaced(
  document: KnownDocument,
  { origin, source, author }: { origin: string; source: string; author: string },
): boolean {
  if (document.source === source) return true;
  return document.author === author && document.source.slice(0, -hashLength - 1) === origin;
}

async function read({ what, text, title }: Wanted, context: ToolContext): Promise<Omit<Source, "format">> {
  if (what !== undefined && text !== undefined)
    throw new SkillFailure("two_things", "A text and a document cannot be learned at once.", "Give one.");
  if (text !== undefined) {
    if (title === undefined)
      throw new SkillFailure("no_title", "The text has no title.", "Give it one that people know it by.");
    return { name: title, origin: `text:${title}`, sections: sectionsOf(text) };
  }
  if (what === undefined)
    throw new SkillFailure("nothing_named", "Nothing to learn was named.", "Name a file or a page.");
  context.progress(`Reading ${what.slice(0, 100)}`);
  try {
    return await readSource(what, context);
  } catch (error) {
    if (!(error instanceof WebError)) throw error;
    throw new SkillFailure(error.code, error.message, "Tell the person; a file of it can be learned too.");
  }
}

/** Omits the place of a text with one section of lines. */
function placed(sections: readonly Section[]): Section[] {
  const [only] = sections;
  return sections.length === 1 && only?.place.startsWith("lines ") ? [{ ...only, place: "" }] : [...sections];
}

function withoutText(title: string, note: string | undefined): SkillFailure {
  const message = `${title} has no text that could be learned. ${note ?? ""}`.trim();
  return new SkillFailure(
    "no_text",
    message,
    "Tell the person why, and ask for a version with text; of a scan, one with text recognition (OCR).",
  );
}

function bounded(pieces: readonly KnownPiece[]): { pieces: KnownPiece[]; isCut: boolean } {
  let characters = 0;
  const kept = pieces.filter(({ text }) => {
    characters += text.length;
    return characters <= maxCharacters;
  });
  return { pieces: kept, isCut: kept.length < pieces.length };
}

function checkRoom(others: readonly KnownDocument[], more: number): void {
  const passages = others.reduce((sum, { pieces }) => sum + pieces, more);
  if (others.length < maxDocuments && passages <= maxPassages) return;
  throw new SkillFailure(
    "knowledge_full",
    `There is room for ${maxDocuments} documents with ${maxPassages.toLocaleString("en")} passages together in this channel; this one was not learned.`,
    "Recall without a query lists the documents; ask which to forget.",
  );
}

/** The vectors of the pieces; stops at the first failure. Pieces without a vector are found only by their words. */
async function vectorsOf(title: string, pieces: readonly KnownPiece[], context: ToolContext) {
  const made: { vector: Float32Array; model: string }[] = [];
  const end = context.now() + maxEmbedding;
  for (let from = 0; from < pieces.length && context.now() <= end; from += vectorsAtOnce) {
    context.progress(`Learning ${title}`, from, pieces.length);
    const some = pieces.slice(from, from + vectorsAtOnce);
    const found = await embed(
      some.map(({ place, text }) => `${[title, place].filter(Boolean).join(", ")}\n${text}`),
      context,
    );
    if (found === undefined) break;
    made.push(...found.vectors.map((vector) => ({ vector, model: found.model })));
  }
  return made;
}

async function embed(texts: readonly string[], context: ToolContext) {
  try {
    return await context.embed(texts);
  } catch (error) {
    if (error instanceof SkillFailure) return undefined;
    throw error;
  }
}

function described({ title, id, by, at }: KnownDocument, zone: string): string {
  return `${title}, which ${labelOf(by)} added on ${minute(at, zone).slice(0, 10)} as document ${id}`;
}

/** Maximum characters of a piece, about 400 tokens of English, and of its overlap with the previous piece. */
const maxPiece = 1_600;
const maxOverlap = 240;

/** Scripts with about one token per character; other scripts have about a quarter. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

/**
 * Splits sections into pieces that are searched separately, at paragraph boundaries, or else at sentence boundaries. A piece stays within
 * its section and begins with the end of the previous piece, so that sentences keep their context.
 */
export function cutPieces(sections: readonly Section[]): Section[] {
  return sections.flatMap(({ place, text }) => cut(text).map((piece) => ({ place, text: piece })));
}

/** Maximum characters of a table's first row that its pieces repeat; a longer row is not a header. */
const maxHeader = 400;

/** Adds the first row of a table to each of its pieces, because rows need their column names. */
function withHeaders(pieces: readonly Section[], sections: readonly Section[]): Section[] {
  return pieces.map(({ place, text }) => {
    // A text table is split by lines and has one header; each sheet is a section.
    const isWhole = place === "" || place.startsWith("lines ");
    const table = isWhole ? sections[0] : sections.find((section) => section.place === place);
    const header = table?.text.split("\n", 1)[0]?.trim() ?? "";
    const isRepeated = header !== "" && header.length <= maxHeader && !text.startsWith(header);
    return { place, text: isRepeated ? `${header}\n${text}` : text };
  });
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  let current: string[] = [];
  let length = 0;
  /** Units of `current` that repeat the end of the previous piece. */
  let repeated = 0;
  const close = () => {
    const piece = current.join("").trim();
    if (piece !== "" && current.length > repeated) pieces.push(piece);
    current = endOf(current);
    length = current.reduce((sum, unit) => sum + weight(unit), 0);
    repeated = current.length;
  };
  for (const unit of unitsOf(text)) {
    const more = weight(unit);
    if (length + more > maxPiece) close();
    // New text takes precedence over repeated text.
    if (length + more > maxPiece) [current, length, repeated] = [[], 0, 0];
    current.push(unit);
    length += more;
  }
  close();
  return pieces;
}

/** The last units of a piece that fit into the overlap. */
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

/** Paragraphs with their separators; long paragraphs are split into sentences, and long sentences into words. */
function unitsOf(text: string): string[] {
  return text.split(/(?<=\n[ \t]*\n)/).flatMap((paragraph) => {
    if (weight(paragraph) <= maxOverlap) return [paragraph];
    return sentencesOf(paragraph).flatMap((sentence) =>
      weight(sentence) <= maxPiece ? [sentence] : (sentence.match(/\S{1,300}\s*|\s+/g) ?? []),
    );
  });
}

/** Sentences, or lines of text without sentences, such as a table. */
function sentencesOf(paragraph: string): string[] {
  const lines = paragraph.split(/(?<=\n)/);
  return lines.flatMap((line) => {
    if (weight(line) <= maxOverlap) return [line];
    const segments = new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(line);
    return [...segments].map(({ segment }) => segment);
  });
}

function weight(text: string): number {
  return text.length + 3 * (text.match(dense)?.length ?? 0);
}

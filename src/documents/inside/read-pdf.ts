import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { PDFPageProxy } from "unpdf/pdfjs";
import {
  BoundedText,
  type OpenedDocument,
  type ReadDocument,
  shownName,
  UnreadableDocument,
} from "./opened-document.ts";

/** Adobe's predefined character maps (ISO 32000-1, 9.7.5.2) in the binary form of pdf.js, stored in a ZIP archive that Brotli packs. */
const packed = new URL("./character-maps.zip.br", import.meta.url);

/** Gives pdf.js the maps that it asks for by name: without them, letters of Chinese, Japanese and Korean fonts are left out. */
class CharacterMaps {
  #archive: Promise<Uint8Array> | undefined;

  /** @throws an error for a name that is none of theirs: other data of pdf.js is not shipped */
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    this.#archive ??= readFile(packed).then(promisify(brotliDecompress));
    const archive = await this.#archive;
    const { unzipSync } = await import("fflate");
    const content = unzipSync(archive, { filter: ({ name }) => name === filename })[filename];
    if (content === undefined) throw new Error(`There is no character map ${filename}.`);
    return content;
  }
}

const maxPages = 10_000;
/** Consecutive failed pages after which reading stops: a damaged file may declare any number of pages. */
const maxFailures = 20;
/** Maximum page numbers in a note. */
const maxNamed = 20;

/** The text of a PDF page by page, each with the values of its form and its comments. Pictures are ignored: a scanned page has no text. */
export async function readPdf({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const pdf = await open(data);
  const text = new BoundedText(limits.textCharacters);
  const empty: number[] = [];
  const broken: number[] = [];
  const pages = Math.min(pdf.numPages, maxPages);
  if (pages === 0) throw new UnreadableDocument("It is damaged: it has no pages; send it again.");
  let failures = 0;
  for (let number = 1; number <= pages && failures < maxFailures && !text.cut; number += 1) {
    const found = await pageText(pdf, number);
    failures = found === undefined ? failures + 1 : 0;
    if (found === undefined) broken.push(number);
    else if (found === "") empty.push(number);
    text.add(`--- page ${number} ---\n${found ? `${found}\n` : ""}\n`);
  }
  if (broken.length > 0 && broken.length === Math.min(pages, maxFailures)) {
    throw new UnreadableDocument("It is damaged: its pages cannot be read; send it again.");
  }
  const unread = await unreadIn(pdf, data);
  if (empty.length === pages) {
    return { text: new BoundedText(0), pages: pdf.numPages, left_out: unread, note: withoutText(pages) };
  }
  const left_out = [...missing(pdf.numPages, empty, broken, failures), ...unread];
  return { text, pages: pdf.numPages, left_out };
}

/** Gaps in the text. */
function missing(
  pages: number,
  empty: readonly number[],
  broken: readonly number[],
  failures: number,
): string[] {
  return [
    ...(empty.length === 0 ? [] : [`${named(empty)} without text`]),
    ...(broken.length === 0 ? [] : [`${named(broken)}, damaged`]),
    ...(failures < maxFailures ? [] : ["the pages after them"]),
    ...(pages <= maxPages ? [] : [`pages after the first ${maxPages}`]),
  ];
}

/** What a PDF has beside its text. The dictionaries of pictures are never compressed (ISO 32000-1, 7.5.7). */
async function unreadIn(pdf: Pdf, data: Buffer): Promise<string[]> {
  const hasPictures = /\/Subtype\s*\/Image\b/.test(data.toString("latin1"));
  const attached = Object.keys((await pdf.getAttachments().catch(() => undefined)) ?? {});
  return [
    ...(hasPictures ? ["pictures"] : []),
    ...(attached.length === 0 ? [] : [`attached files (${attached.slice(0, 10).map(shownName).join(", ")})`]),
    ...(pdf.isPureXfa ? ["an XFA form"] : []),
  ];
}

type Pdf = Awaited<ReturnType<typeof open>>;

async function open(data: Buffer) {
  const { getDocumentProxy } = await import("unpdf");
  try {
    return await getDocumentProxy(new Uint8Array(data), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
      enableXfa: false,
      BinaryDataFactory: CharacterMaps,
      // The factory needs no address, but pdf.js asks it only if there is one.
      cMapUrl: "maps/",
      cMapPacked: true,
    });
  } catch (error) {
    // PasswordException of pdf.js; its classes are not exported.
    if (error instanceof Error && error.name === "PasswordException") {
      throw new UnreadableDocument("It is protected with a password; remove it and send it again.");
    }
    throw new UnreadableDocument("It is damaged or incomplete and cannot be read as a PDF; send it again.");
  }
}

/** Undefined for a page that cannot be read. */
async function pageText(pdf: Pdf, number: number): Promise<string | undefined> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const words = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : ""));
    const notes = await pageNotes(page);
    page.cleanup();
    return [words.join("").trim(), ...notes].join("\n").trim();
  } catch {
    return undefined;
  }
}

function withoutText(pages: number): string {
  const what = pages === 1 ? "Its only page has no text" : `None of its ${pages} pages has text`;
  return `${what} that can be read: it may be a scan. Send pictures of the pages, or a PDF with text.`;
}

function named(pages: readonly number[]): string {
  const shown = pages.slice(0, maxNamed).join(", ");
  const more = pages.length <= maxNamed ? "" : ` and ${pages.length - maxNamed} more`;
  return `${pages.length === 1 ? "page" : "pages"} ${shown}${more}`;
}

/** What pdf.js tells of an annotation, as far as it is read here. */
interface Annotation {
  subtype: string;
  fieldName?: string | undefined;
  alternativeText?: string | undefined;
  /** Of a choice, all that are chosen. */
  fieldValue?: string | readonly string[] | null | undefined;
  checkBox?: boolean | undefined;
  radioButton?: boolean | undefined;
  pushButton?: boolean | undefined;
  password?: boolean | undefined;
  /** The `fieldValue` with which a check box or a radio button is on. */
  exportValue?: string | undefined;
  buttonValue?: string | null | undefined;
  contentsObj?: { str: string } | undefined;
  titleObj?: { str: string } | undefined;
}

/** What people filled in and remarked on a page, as lines: values of fields with their names, and comments with their authors. */
async function pageNotes(page: PDFPageProxy): Promise<string[]> {
  const annotations: Annotation[] = await page.getAnnotations({ intent: "display" });
  return annotations
    .map((each) => (each.subtype === "Widget" ? fieldLine(each) : commentLine(each)))
    .filter((line) => line !== undefined);
}

/** Undefined for a field that is empty, a radio button that is off, and what is no value to read. */
function fieldLine(field: Annotation): string | undefined {
  const name = field.alternativeText || field.fieldName || "Field";
  if (field.pushButton || field.password) return undefined;
  if (field.checkBox) return `${name}: ${field.fieldValue === field.exportValue ? "checked" : "not checked"}`;
  if (field.radioButton && field.fieldValue !== field.buttonValue) return undefined;
  const value = [field.fieldValue ?? []].flat().join(", ");
  return value.trim() === "" ? undefined : `${name}: ${value}`;
}

function commentLine({ subtype, contentsObj, titleObj }: Annotation): string | undefined {
  const words = contentsObj?.str ?? "";
  if (subtype === "Popup" || subtype === "Link" || words.trim() === "") return undefined;
  return `${titleObj?.str ? `Comment by ${titleObj.str}` : "Comment"}: ${words}`;
}

/** The kind of a file, by its first bytes and its name. */
import { imageType, whyUnreadable } from "../base/file-kind.ts";

/** The formats that are read, by their common names. */
export const formatNames = {
  pdf: "PDF",
  docx: "Word document",
  xlsx: "Excel spreadsheet",
  pptx: "PowerPoint presentation",
  odt: "OpenDocument text",
  ods: "OpenDocument spreadsheet",
  odp: "OpenDocument presentation",
  html: "web page",
  eml: "e-mail",
  zip: "ZIP archive",
  tar: "tar archive",
} as const;

export type DocumentFormat = keyof typeof formatNames;

const endings: Readonly<Record<DocumentFormat, string>> = {
  pdf: "pdf",
  docx: "docx docm dotx",
  xlsx: "xlsx xlsm xltx",
  pptx: "pptx pptm ppsx potx",
  odt: "odt ott",
  ods: "ods ots",
  odp: "odp otp",
  html: "html htm xhtml",
  eml: "eml",
  zip: "zip",
  tar: "tar tgz",
};

/** Documents that are ZIP archives. */
const zipped: readonly DocumentFormat[] = ["docx", "xlsx", "pptx", "odt", "ods", "odp", "zip"];
const written: readonly DocumentFormat[] = ["html", "eml"];

/** The format a file can be read as; by its name alone if `head` is empty. */
export function documentFormat(name: string, head: Uint8Array): DocumentFormat | undefined {
  const named = namedFormat(name);
  if (head.length === 0) return named;
  if (whyUnreadable(name, head) !== undefined && named !== "tar") return undefined;
  const start = latin(head, 0, 512);
  if (isPdf(named, start, head)) return "pdf";
  if (start.startsWith("PK\u0003\u0004") || start.startsWith("PK\u0005\u0006"))
    return zippedFormat(named, start);
  if (isTar(named, start, name)) return "tar";
  return named !== undefined && written.includes(named) && isWritten(head) ? named : undefined;
}

/** ISO 32000-1, annex H.3: readers accept other bytes before the header. */
function isPdf(named: DocumentFormat | undefined, start: string, head: Uint8Array): boolean {
  return (
    start.trimStart().startsWith("%PDF-") || (named === "pdf" && latin(head, 0, 1_024).includes("%PDF-"))
  );
}

/** The header of POSIX archives; older ones have none, and for compressed ones only the name tells their content. */
function isTar(named: DocumentFormat | undefined, start: string, name: string): boolean {
  if (start.slice(257, 262) === "ustar") return true;
  return named === "tar" && (start.startsWith("\u001f\u008b") || !/gz$/i.test(name));
}

/** Why a file is not a readable document, as a sentence. */
export function whyUnread(name: string, head: Uint8Array): string {
  if (head.length === 0) return "The file is empty.";
  const named = namedFormat(name);
  const claimed = named === undefined ? undefined : withArticle(formatNames[named]);
  const known = whyUnreadable(name, head, claimed);
  if (known !== undefined) return `${known.charAt(0).toUpperCase()}${known.slice(1)}.`;
  // A model looks at it instead.
  const picture = imageType(head)?.slice("image/".length).toUpperCase();
  if (picture !== undefined) return `It is a ${picture} picture${claimed ? `, not ${claimed}` : ""}.`;
  return named === undefined
    ? "It is not a document that can be read; send it as PDF or as text."
    : `Its content is no ${formatNames[named]}; the file may be damaged or have the wrong ending.`;
}

function withArticle(name: string): string {
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

function namedFormat(name: string): DocumentFormat | undefined {
  if (/\.tar\.gz$/i.test(name)) return "tar";
  const ending = /\.([a-z]+)$/i.exec(name.trimEnd())?.[1]?.toLowerCase() ?? "";
  const formats = Object.keys(endings) as DocumentFormat[];
  return formats.find((format) => endings[format].split(" ").includes(ending));
}

/** OpenDocument files begin with their media type, stored (OpenDocument 1.3 part 2, 3.3). */
function zippedFormat(named: DocumentFormat | undefined, start: string): DocumentFormat {
  const type = /mimetypeapplication\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/.exec(
    start,
  )?.[1];
  if (type === "text") return "odt";
  if (type === "spreadsheet") return "ods";
  if (type === "presentation") return "odp";
  return named !== undefined && zipped.includes(named) ? named : "zip";
}

/** Whether this may be the beginning of text in any encoding. */
function isWritten(head: Uint8Array): boolean {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return isWide || !head.some((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
}

function latin(bytes: Uint8Array, from: number, to: number): string {
  return Array.from(bytes.subarray(from, to), (byte) => String.fromCharCode(byte)).join("");
}

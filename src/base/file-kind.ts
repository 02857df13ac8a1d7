/** Detects the kind of a file from its bytes, without trusting its name or the platform's media type. */
import { decodeText, guessNote } from "./decode-text.ts";
import { withoutInvisible } from "./text/invisible-text.ts";

export type FileContent =
  /** `note` names the guessed encoding. */
  | { kind: "text"; text: string; note?: string }
  | { kind: "image"; media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" }
  | { kind: "unreadable"; problem: string };

/** Returns the text, a picture type that models accept, or the reason why the file is neither. */
export function readContent(name: string, mediaType: string, data: Uint8Array): FileContent {
  const image = imageType(data);
  if (image !== undefined) return { kind: "image", media_type: image };
  const known = whyUnreadable(name, data);
  if (known !== undefined) return { kind: "unreadable", problem: known };
  if (mediaType.startsWith("image/") && mediaType !== "image/svg+xml") {
    return { kind: "unreadable", problem: "only PNG, JPEG, GIF and WebP pictures can be looked at" };
  }
  const decoded = decodeText(data);
  if (decoded !== undefined && (decoded.likeness >= surelyText || isTextLike(name, mediaType))) {
    const note = guessNote(decoded);
    return { kind: "text", text: decoded.text, ...(note === undefined ? {} : { note }) };
  }
  return { kind: "unreadable", problem: "it is neither text nor a picture or document that can be read" };
}

/**
 * Why a file that begins as a web page does is not of its type, if that is another one: services send a page to sign in where they do not
 * give a file. @param head its first bytes
 */
export function pageInstead(
  { name, media_type }: { name: string; media_type: string },
  head: Uint8Array,
): string | undefined {
  const start = latin(head.subarray(0, 512)).trimStart().toLowerCase();
  const isPage = /^(?:<|\u00ef\u00bb\u00bf<)/.test(start) && /<!doctype html|<html[\s>]/.test(start);
  const allowed = /^text\/(?!csv|tab-)|html|[/+]xml|php|octet-stream/;
  const type = [media_type.toLowerCase(), mediaTypeOf(name)].find((each) => isPage && !allowed.test(each));
  return (
    type && `it is a web page and not of the type ${type}: perhaps one to sign in, sent in place of the file`
  );
}

/**
 * Detects a picture by its first bytes: https://www.w3.org/TR/png/, ITU T.81, GIF89a,
 * https://developers.google.com/speed/webp/docs/riff_container
 */
export function imageType(data: Uint8Array) {
  if (startsWith(data, 0, "\u0089PNG\r\n\u001a\n")) return "image/png";
  if (startsWith(data, 0, "\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (startsWith(data, 0, "GIF87a") || startsWith(data, 0, "GIF89a")) return "image/gif";
  if (startsWith(data, 0, "RIFF") && startsWith(data, 8, "WEBP")) return "image/webp";
  return undefined;
}

function startsWith(data: Uint8Array, at: number, characters: string): boolean {
  return [...characters].every((character, index) => data[at + index] === character.charCodeAt(0));
}

/** Minimum likeness to text for a file that does not claim to be text. */
const surelyText = 0.75;

const textEndings: ReadonlySet<string> = new Set(
  (
    "txt md markdown rst po properties csv tsv log json jsonl yml yaml xml htm html css ini toml conf cfg env srt vtt tex sql js jsx" +
    " ts tsx mjs cjs mts cts py rb go rs java kt c h cc cpp hpp cs php swift sh bash ps1 pl lua r scala diff patch"
  ).split(" "),
);

/** Whether a file claims to be text. It is then accepted as text in any encoding. */
function isTextLike(name: string, mediaType: string): boolean {
  return (
    /^text\/|[/+](json|xml|yaml|x-yaml|csv|javascript|x-sh|sql|toml|x-ndjson)$/.test(mediaType) ||
    textEndings.has(/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "")
  );
}

/** Maximum characters of a name, and bytes in UTF-8: file systems allow 255, and stores add a prefix or suffix. */
const maxNameLength = 100;
const maxBytes = 200;

/** Windows opens a device for these names, whatever their extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a name that is safe as a file name on every system, in a command line and in an address: on one line, without separators, leading
 * dots or hyphens, trailing dots or spaces, not a device name, at most 100 characters with its extension kept. `file` when nothing is left.
 * Files that code or people named are stored and shown under this name.
 */
export function safeFileName(name: string): string {
  const plain = withoutInvisible(name.normalize("NFC").toWellFormed())
    .replace(/[/\\<>:"|?*]/g, "_")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+/, "")
    .replace(/(?<![. ])[. ]+$/, "");
  const taken = plain.startsWith("-") || devices.test(plain) ? `_${plain}` : plain;
  return withinLength(taken);
}

/** The words of a title as the stem of a file name: `Sales 2026 (€)` → `Sales-2026`. Empty if the title has no words. */
export function slugOf(title: string): string {
  return title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|(?<!-)-+$/g, "");
}

function withinLength(plain: string): string {
  const dot = plain.lastIndexOf(".");
  const extension = dot > 0 && plain.length - dot <= 12 ? plain.slice(dot) : "";
  const stem = plain.slice(0, plain.length - extension.length);
  return stem === "" && extension === "" ? "file" : shortened(stem || "file", extension);
}

/** The n-th alternative to a name that is taken: `report-2.csv`. */
export function numberedFileName(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  const at = dot > 0 ? dot : name.length;
  return shortened(name.slice(0, at), `-${number}${name.slice(at)}`);
}

function shortened(stem: string, ending: string): string {
  const encoder = new TextEncoder();
  const room = maxBytes - encoder.encode(ending).length;
  let kept = [...stem.slice(0, maxNameLength)];
  while (
    kept.join("").length + ending.length > maxNameLength ||
    encoder.encode(kept.join("")).length > room
  ) {
    kept = kept.slice(0, -1);
  }
  return `${kept.join("").trimEnd() || "file"}${ending}`;
}

/** The file's name in a path with forward slashes. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A media type that is valid in headers; `application/octet-stream` for anything else. */
export function safeMediaType(mediaType: string): string {
  const plain = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,80}$/.test(plain)
    ? plain
    : "application/octet-stream";
}

/** The common form of all spellings of a path: letters composed (NFC), forward slashes. */
export function pathForm(path: string): string {
  return path.replaceAll("\\", "/").normalize("NFC");
}

/** Media types by file extension (IANA); all others are `application/octet-stream`. */
const byEnding: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  csv: "text/csv",
  flac: "audio/flac",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  m4a: "audio/mp4",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  wav: "audio/wav",
  webp: "image/webp",
  xml: "application/xml",
  zip: "application/zip",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/** The media type for a file name. */
export function mediaTypeOf(name: string): string {
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return (Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined) ?? "application/octet-stream";
}

/** Known kinds of files that cannot be read: their names, and what to send instead. */

interface Unreadable {
  /** With its article: `an RTF file`. */
  what: string;
  /** What to do, after "; ". */
  instead: string;
}

const asPicture = "send it as JPEG or PNG";
const asText = "send its text, or say what matters in it";
const asZip = "pack it as .zip and send that";

/**
 * Kinds by their first bytes, as Latin-1, with the position of these bytes. Sources: the formats' own specifications, and file(1)'s magic.
 */
const byStart: readonly (readonly [start: string, what: string, instead: string, at?: number])[] = [
  ["{\\rtf", "an RTF file", "save it as .docx or PDF and send that"],
  ["7z\u00bc\u00af\u0027\u001c", "a 7z archive", asZip],
  ["Rar!\u001a\u0007", "a RAR archive", asZip],
  ["BZh", "a file packed with bzip2", asZip],
  ["\u00fd7zXZ\0", "a file packed with xz", asZip],
  ["\u0028\u00b5\u002f\u00fd", "a file packed with zstd", asZip],
  ["\u001f\u008b", "a file packed with gzip", "unpack it and send what is in it"],
  ["II*\0", "a TIFF picture", asPicture],
  ["MM\0*", "a TIFF picture", asPicture],
  ["8BPS", "a Photoshop picture", asPicture],
  ["\u0000\u0000\u0000\u000cJXL ", "a JPEG XL picture", asPicture],
  ["\u0000\u0000\u0000\u000cjP  ", "a JPEG 2000 picture", asPicture],
  ["%!PS", "a PostScript drawing", "save it as PDF or PNG and send that"],
  ["ID3", "a sound recording", asText],
  ["OggS", "a sound recording", asText],
  ["fLaC", "a sound recording", asText],
  ["WAVE", "a sound recording", asText, 8],
  ["AVI ", "a video", asText, 8],
  ["\u001a\u0045\u00df\u00a3", "a video", asText],
  ["\u007fELF", "a program", asText],
  ["\u00cf\u00fa\u00ed\u00fe", "a program", asText],
  ["\u00ca\u00fe\u00ba\u00be", "a program", asText],
  ["SQLite format 3\0", "an SQLite database", "export the table as CSV and send that"],
  ["Standard Jet DB", "an Access database", "export the table as CSV and send that", 4],
  ["Standard ACE DB", "an Access database", "export the table as CSV and send that", 4],
];

/** Compound files (MS-CFB), by file extension. */
const oldOffice = "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1";
const compound: Readonly<Record<string, Unreadable>> = {
  msg: { what: "an Outlook message (.msg)", instead: "save it as .eml or PDF and send that" },
  xls: { what: "an Excel spreadsheet of Office 2003 or older", instead: "save it as .xlsx and send that" },
  doc: { what: "a Word document of Office 2003 or older", instead: "save it as .docx and send that" },
  ppt: {
    what: "a PowerPoint presentation of Office 2003 or older",
    instead: "save it as .pptx and send that",
  },
  msi: { what: "an installer", instead: asText },
};
/** Password-protected documents of current Office versions are compound files, too (MS-OFFCRYPTO). */
const lockable = /^(?:doc|xls|ppt)[xm]$|^(?:dot|xlt|pot|pps)x$/;
const lockedStream = [..."EncryptedPackage"].join("\0");

/** Formats that are ZIP archives, by file extension. */
const zipped: Readonly<Record<string, Unreadable>> = {
  pages: { what: "a Pages document", instead: "export it as PDF or .docx and send that" },
  numbers: { what: "a Numbers spreadsheet", instead: "export it as .xlsx or CSV and send that" },
  key: { what: "a Keynote presentation", instead: "export it as PDF or .pptx and send that" },
  xlsb: { what: "a binary Excel workbook (.xlsb)", instead: "save it as .xlsx and send that" },
};

/** Bytes that are searched for the stream name of a protected document. */
const searchedBytes = 1_000_000;

/**
 * Why a file of a known kind cannot be read: `it is a RAR archive; pack it as .zip and send that`. Undefined for any other file.
 * @param head its first bytes, 512 or more
 * @param claimed the kind its name suggests, with article, if its content is of another kind
 */
export function whyUnreadable(name: string, head: Uint8Array, claimed?: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name.trimEnd())?.[1]?.toLowerCase() ?? "";
  const start = latin(head.subarray(0, 64));
  if (start.startsWith(oldOffice) && isLocked(ending, head))
    return "it is protected with a password; remove it and send it again";
  const found = kindOf(ending, start);
  if (found === undefined) return undefined;
  return `it is ${found.what}${claimed === undefined ? "" : `, not ${claimed}`}; ${found.instead}`;
}

function isLocked(ending: string, head: Uint8Array): boolean {
  return lockable.test(ending) || latin(head.subarray(0, searchedBytes)).includes(lockedStream);
}

function kindOf(ending: string, start: string): Unreadable | undefined {
  if (start.startsWith(oldOffice)) {
    const other = {
      what: "a document of Office 2003 or older",
      instead: "save it as .docx, .xlsx or .pptx and send that",
    };
    return Object.hasOwn(compound, ending) ? compound[ending] : other;
  }
  if (start.startsWith("PK\u0003\u0004")) return Object.hasOwn(zipped, ending) ? zipped[ending] : undefined;
  if (start.startsWith("ftyp", 4)) return media(start.slice(8, 12), start.slice(16, 40));
  const [, what, instead] =
    byStart.find(([bytes, , , at = 0]) => start.startsWith(bytes, at)) ?? shortMark(ending, start) ?? [];
  return what === undefined || instead === undefined ? undefined : { what, instead };
}

/** Signatures so short that text may begin with them. */
function shortMark(ending: string, start: string): readonly [string, string, string] | undefined {
  if (ending === "mp3" && /^\u00ff[\u00e2-\u00fb]/.test(start)) return ["", "a sound recording", asText];
  if (!start.includes("\0")) return undefined;
  return (
    [
      ["MZ", "a Windows program", asText],
      ["BM", "a BMP picture", asPicture],
      ["AC10", "an AutoCAD drawing", "save it as PDF and send that"],
      ["PAR1", "a Parquet table", "export it as CSV and send that"],
    ] as const
  ).find(([mark]) => start.startsWith(mark));
}

/** ISO 14496-12 (`ftyp`) files by their brands: HEIF (ISO 23008-12) and AVIF pictures, sound, video. */
function media(brand: string, compatible: string): Unreadable {
  if (/avi[fs]/.test(brand + compatible)) return { what: "an AVIF picture", instead: asPicture };
  if (/he[ivx][cxms]|heim|heis|mif1|msf1/.test(`${brand} ${compatible}`))
    return { what: "a HEIC picture, as iPhones take them", instead: asPicture };
  if (/^M4[AB]/.test(brand)) return { what: "a sound recording", instead: asText };
  return { what: "a video", instead: asText };
}

function latin(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

/** What the bytes of a file are, looked at without trusting its name or what the platform says of it. */
import { decodeText, guessNote } from "../../base/decode-text.ts";

export type FileContent =
  /** `note` says which encoding was guessed. */
  | { kind: "text"; text: string; note?: string }
  | { kind: "image"; media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" }
  | { kind: "unreadable"; problem: string };

/** Text, a picture models are shown, or why it is neither. */
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

/** By the first bytes: https://www.w3.org/TR/png/, ITU T.81, GIF89a, https://developers.google.com/speed/webp/docs/riff_container */
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

/** How like text the bytes of a file must be that does not say that it is text. */
const surelyText = 0.75;

/** Whether a file says that it is text; then it is one in whatever encoding. */
function isTextLike(name: string, mediaType: string): boolean {
  return (
    /^text\/|[/+](json|xml|yaml|x-yaml|csv|javascript|x-sh|sql|toml|x-ndjson)$/.test(mediaType) ||
    /\.(txt|md|markdown|rst|po|properties|csv|tsv|log|json|jsonl|ya?ml|xml|html?|css|ini|toml|conf|cfg|env|srt|vtt|tex|sql|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sh|bash|ps1|pl|lua|r|scala|diff|patch)$/i.test(
      name,
    )
  );
}

/** Longest name, characters, and bytes in UTF-8: file systems take 255, and stores put something around it. */
const longest = 100;
const maxBytes = 200;

/** Characters that nobody sees, that end a line or that turn the direction of what follows. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Windows opens a device for these, whatever their extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A name that is safe as the name of a file on every system, in a command line and in an address: on one line, without separators, leading
 * dots or hyphens, trailing dots or spaces, no name of a device, at most 100 characters with its extension kept. `file` when nothing is
 * left. Files that code or people named are stored and shown under it.
 */
export function safeFileName(name: string): string {
  const plain = name
    .normalize("NFC")
    .toWellFormed()
    .replace(unseen, "")
    .replace(/[/\\<>:"|?*]/g, "_")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+/, "")
    .replace(/(?<![. ])[. ]+$/, "");
  const taken = plain.startsWith("-") || devices.test(plain) ? `_${plain}` : plain;
  return withinLength(taken);
}

/** The words of a title as the stem of a file's name: `Sales 2026 (€)` → `Sales-2026`. Empty where it has none. */
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

/** The n-th name after this one, for a file whose name is taken: `report-2.csv`. */
export function numberedFileName(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  const at = dot > 0 ? dot : name.length;
  return shortened(name.slice(0, at), `-${number}${name.slice(at)}`);
}

function shortened(stem: string, ending: string): string {
  const encoder = new TextEncoder();
  const room = maxBytes - encoder.encode(ending).length;
  let kept = [...stem.slice(0, longest)];
  while (kept.join("").length + ending.length > longest || encoder.encode(kept.join("")).length > room) {
    kept = kept.slice(0, -1);
  }
  return `${kept.join("").trimEnd() || "file"}${ending}`;
}

/** A media type as headers take it; `application/octet-stream` for anything else. */
export function safeMediaType(mediaType: string): string {
  const plain = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,80}$/.test(plain)
    ? plain
    : "application/octet-stream";
}

/** A path in the one form that all its spellings share: letters composed (NFC), slashes forward. */
export function pathForm(path: string): string {
  return path.replaceAll("\\", "/").normalize("NFC");
}

/** By ending of the file's name (IANA media types); what is not here is `application/octet-stream`. */
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

/** The media type a file's name stands for. */
export function mediaTypeOf(name: string): string {
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return (Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined) ?? "application/octet-stream";
}

/** Kinds of files that are known and not read: what they are, and what to send instead. */

interface Unreadable {
  /** With its article: `an RTF file`. */
  what: string;
  /** What to do, after "; ". */
  instead: string;
}

const asPicture = "send it as JPEG or PNG";
const asText = "send its text, or say what matters in it";
const asZip = "pack it as .zip and send that";

/** By the first bytes, as Latin-1, with the position they stand at. Sources: the formats' own specifications, and file(1)'s magic. */
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

/** A compound file (MS-CFB), by the ending of its name. */
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
/** With a password, documents of today's Office are compound files, too (MS-OFFCRYPTO). */
const lockable = /^(?:doc|xls|ppt)[xm]$|^(?:dot|xlt|pot|pps)x$/;
const lockedStream = [..."EncryptedPackage"].join("\0");

/** What these endings stand for, of files that are ZIP archives inside. */
const zipped: Readonly<Record<string, Unreadable>> = {
  pages: { what: "a Pages document", instead: "export it as PDF or .docx and send that" },
  numbers: { what: "a Numbers spreadsheet", instead: "export it as .xlsx or CSV and send that" },
  key: { what: "a Keynote presentation", instead: "export it as PDF or .pptx and send that" },
  xlsb: { what: "a binary Excel workbook (.xlsb)", instead: "save it as .xlsx and send that" },
};

/** Bytes in which the name of a locked document's stream is looked for. */
const searchedBytes = 1_000_000;

/**
 * Why a file of a kind that is known cannot be read: `it is a RAR archive; pack it as .zip and send that`. Undefined for any other file.
 * @param head its first bytes, 512 or more
 * @param claimed what its name says it is, with its article, where its content is something else
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

/** Marks so short that text may begin with them. */
function shortMark(ending: string, start: string): readonly [string, string, string] | undefined {
  if (ending === "mp3" && /^\u00ff[\u00e2-\u00fb]/.test(start)) return ["", "a sound recording", asText];
  if (!start.includes("\0")) return undefined;
  if (start.startsWith("MZ")) return ["", "a Windows program", asText];
  return start.startsWith("BM") ? ["", "a BMP picture", asPicture] : undefined;
}

/** ISO 14496-12 (`ftyp`), by its brands: pictures of HEIF (ISO 23008-12) and AVIF, sound, video. */
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

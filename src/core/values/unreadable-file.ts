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

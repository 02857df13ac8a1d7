/** Decodes text in an unknown encoding: by its byte order mark, as UTF-8 or UTF-16, or else by a guess from the decoded text. */

export interface DecodedText {
  text: string;
  /** The common name: `UTF-8`, `GBK`, `Windows-1251`. */
  encoding: string;
  /** Whether the encoding was guessed from the text. */
  guessed: boolean;
}

/** An encoding with its label for `TextDecoder` and its certainty. */
export interface FoundEncoding {
  label: string;
  name: string;
  guessed: boolean;
  /** The likeness of a guess, up to 1: about 0.9 for ordinary text, less than 0.5 for data that is hardly text. */
  likeness: number;
}

/** Maximum bytes for a guess. */
const sampleBytes = 65_536;

/** Undefined for bytes that are not text: they have control characters in any encoding. */
export function decodeText(bytes: Uint8Array): (DecodedText & { likeness: number }) | undefined {
  const found = findEncoding(bytes);
  if (found === undefined) return undefined;
  const { name: encoding, guessed, likeness } = found;
  return { text: new TextDecoder(found.label).decode(bytes), encoding, guessed, likeness };
}

/** `read as GBK, which is a guess`; undefined for a certain encoding. */
export function guessNote({
  encoding,
  guessed,
}: Pick<DecodedText, "encoding" | "guessed">): string | undefined {
  return guessed
    ? `read as ${encoding}, which is a guess; if words look wrong, ask for it as UTF-8`
    : undefined;
}

/** The encoding of a text by its beginning. If the text `goesOn`, the last character may be cut. Undefined for bytes that are not text. */
export function findEncoding(start: Uint8Array, goesOn = false): FoundEncoding | undefined {
  const certain = (label: string, name: string): FoundEncoding => ({
    label,
    name,
    guessed: false,
    likeness: 1,
  });
  const marked = markedUtf16(start);
  if (marked !== undefined) return certain(marked, "UTF-16");
  if (hasControls(start)) return unmarkedUtf16(start);
  if (
    start.includes(0x1b) &&
    decodes("iso-2022-jp", start) &&
    /[\u3040-\u30ff\u4e00-\u9fff]/.test(decode("iso-2022-jp", start))
  )
    return { ...certain("iso-2022-jp", "ISO-2022-JP"), guessed: true };
  return isUtf8(start, goesOn) ? certain("utf-8", "UTF-8") : likeliest(start.subarray(0, sampleBytes));
}

/** The label of UTF-16 with a byte order mark, as Windows shells write it. */
export function markedUtf16([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** The label of the character set that a content-type header names, in small letters; undefined if it names none. */
export function namedCharset(contentType: string): string | undefined {
  return /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1]?.toLowerCase();
}

/** The label of the character set that a page or an XML document declares at its beginning, in small letters. */
export function declaredCharset(document: Uint8Array): string | undefined {
  const head = decode("latin1", document.subarray(0, 4_096));
  const label =
    /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(head)?.[1];
  // A document that declares UTF-16 in ASCII letters is not UTF-16 (HTML standard, "prescan").
  return label === undefined || /^utf-?16/i.test(label) ? undefined : label.toLowerCase();
}

/** The text of bytes in a character set; undefined for an unknown label, and without one. */
export function textIn(bytes: Uint8Array, charset: string | undefined): string | undefined {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The text of bytes in UTF-8, or in UTF-16 with a byte order mark; a mark is kept. Undefined if they are not text. If the text `goesOn`, the
 * last character may be cut.
 */
export function plainText(bytes: Uint8Array, goesOn = false): string | undefined {
  const encoding = markedUtf16(bytes) ?? "utf-8";
  if (encoding === "utf-8" && bytes.includes(0)) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: goesOn });
  } catch {
    return undefined;
  }
}

/** Flags of a ZIP entry with bit 11, names in UTF-8, also where it is missing: macOS writes such names without it. */
export function zipNameFlags(flags: number, rawName: Uint8Array): number {
  return plainText(rawName) === undefined ? flags : flags | 0x800;
}

/** The text as `plainText` reads it, without the mark, and with U+FFFD for what is not text. */
export function looseText(bytes: Uint8Array): string {
  return decode(markedUtf16(bytes) ?? "utf-8", bytes);
}

/** Control characters other than tab, line ends, form feed and escape. */
function hasControls(data: Uint8Array): boolean {
  // A loop takes a fifth of the time of `some`, and files may have 10 MB.
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 32;
    if (byte < 32 && (byte < 9 || (byte > 13 && byte !== 27))) return true;
  }
  return false;
}

/** UTF-16 without a mark: every other byte of its ASCII characters is zero, always on the same side. */
function unmarkedUtf16(start: Uint8Array): FoundEncoding | undefined {
  const sample = start.subarray(0, Math.min(start.length, sampleBytes) & ~1);
  const zeros = [0, 0];
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  if ((even === 0) === (odd === 0)) return undefined;
  const label = even === 0 ? "utf-16le" : "utf-16be";
  const text = decodes(label, sample) ? decode(label, sample) : "\0";
  if (/[^\P{C}\t\n\f\r\p{Cf}]/u.test(text)) return undefined;
  return { label, name: "UTF-16", guessed: true, likeness: 1 };
}

/** A few broken sequences are allowed: a byte may have been lost. */
function isUtf8(data: Uint8Array, goesOn: boolean): boolean {
  if (decodes("utf-8", data, goesOn)) return true;
  const text = decode("utf-8", data.subarray(0, 16 * sampleBytes));
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const whole = (text.match(/[^\0-\x7f]/gu)?.length ?? 0) - broken;
  return whole >= 2 * broken;
}

function likeliest(sample: Uint8Array): FoundEncoding {
  let best: FoundEncoding = { label: "windows-1252", name: "Windows-1252", guessed: true, likeness: 0 };
  for (const [label, name, likenessOf] of guesses) {
    const likeness = likenessOf(label, sample);
    // The most common encodings come first.
    if (likeness > best.likeness + 0.02) best = { label, name, guessed: true, likeness };
  }
  return best;
}

type Likeness = (label: string, sample: Uint8Array) => number;

/** Encodings with their measures. One with two bytes per character is judged by the frequency of the characters with a first byte. */
const guesses: readonly (readonly [label: string, name: string, likeness: Likeness])[] = [
  ["windows-1252", "Windows-1252", letters("äöüßéèêëàâçñáíóúîïôûåøæœÄÖÜÉÀÇÅØÑ", "“”„’‘–—…€«»°§µ²³½·¡¿•™®©£")],
  ["gb18030", "GBK", pairs({ 163: 0.9, 175: 0.3, 215: 0.9, 247: 0.1 }, { low: -1 })],
  [
    "shift_jis",
    "Shift_JIS",
    pairs({ 129: 0.8, 131: 1, 135: 0.1, 151: 0.85, 159: 0.1, 223: 0.2, 234: 0.1 }, { single: [0xa1, 0xdf] }),
  ],
  ["euc-kr", "EUC-KR", pairs({ 163: 0.8, 175: 0.05, 200: 0.95, 255: 0.05 }, { low: -0.5 })],
  ["big5", "Big5", pairs({ 160: -1, 163: 0.8, 198: 0.88, 249: 0.1 }, {})],
  ["euc-jp", "EUC-JP", pairs({ 163: 0.8, 165: 1, 168: 0.8, 175: 0.1, 207: 0.85, 255: 0.1 }, { low: -1 })],
  ["windows-1251", "Windows-1251", letters("оеаинтсрвлкмдпуяы", "«»—№“”–…")],
  ["windows-1253", "Windows-1253", letters("αοιετσνηρπκςάίόέλμ", "«»–’")],
  ["windows-1255", "Windows-1255", letters("יוהלאתרבשמנדם", "–”")],
  ["koi8-r", "KOI8-R", letters("оеаинтсрвлкмдпуяы", "")],
  ["windows-1256", "Windows-1256", letters("اليمنترويبدسعهةأ", "،؟")],
  ["windows-1254", "Windows-1254", letters("ığşİŞĞüöçÖÜÇ", "“”’–")],
  ["windows-1250", "Windows-1250", letters("áéíýčěřšžůúťďňąęłśżźćńóőűöüäăţşšťž", "„”–")],
  ["windows-874", "Windows-874", letters("านรอกเงมยลวดทสตะ่้ีัิ", "")],
  ["macintosh", "Mac Roman", letters("äöüßéèêëàâçñáíóúîïôûåøæœÄÖÜÉÀÇÅØÑ", "“”„’‘–—…€«»°§µ¡¿•™®©£")],
];

/**
 * The average score of the characters that are not ASCII.
 * @param worths by the last first byte of a range: how usual its characters are; others score -1
 * @param low the score of a character whose second byte is in the lower half; by default, it does not matter
 * @param single the range of the bytes that are characters of their own
 */
function pairs(
  worths: Readonly<Record<number, number>>,
  { low, single: [first = 0x100, last = 0] = [] }: { low?: number; single?: readonly number[] },
): Likeness {
  const ranges = Object.entries(worths);
  const isAlone = (byte: number) => byte >= first && byte <= last;
  const worthOf = (lead: number, next = 0) => {
    if (low !== undefined && next < 0xa1 && !isAlone(lead)) return low;
    return ranges.find(([end]) => lead <= Number(end))?.[1] ?? -1;
  };
  return (label, sample) => {
    const found: number[] = [];
    for (let at = 0; at < sample.length; at += 1) {
      const lead = sample[at] ?? 0;
      if (lead < 0x80) continue;
      found.push(worthOf(lead, sample[at + 1]));
      if (!isAlone(lead)) at += 1;
    }
    return decodes(label, sample) ? average(found) : -1;
  };
}

/** Measures encodings with one byte per character by the frequency of their letters and by their plausible order. */
function letters(common: string, marks: string): Likeness {
  const often = new Set(common + common.toUpperCase());
  const signs = new Set(marks);
  return (label, sample) => {
    const worths: number[] = [];
    let before = "";
    for (const letter of decode(label, sample)) {
      if (letter > "\x7f") {
        const isLetter = /[\p{L}\p{M}]/u.test(letter);
        const isUsual = (isLetter ? often : signs).has(letter);
        worths.push(isLetter ? letterWorth(letter, before, isUsual) : signWorth(letter, before, isUsual));
      }
      before = letter;
    }
    return average(worths);
  };
}

/** A capital after a small letter, or letters of two scripts in one word, are implausible. */
function letterWorth(letter: string, before: string, isUsual: boolean): number {
  const isCapital = /\p{Lu}/u.test(letter);
  if (isCapital && /\p{Ll}/u.test(before)) return -1;
  if (/[a-z]/i.test(before) && !/\p{Script=Latin}/u.test(letter)) return -1;
  if (!isUsual) return 0.4;
  return isCapital && /\p{Lu}/u.test(before) ? 0.85 : 1;
}

function signWorth(sign: string, before: string, isUsual: boolean): number {
  if (/[\p{Cc}\p{Cn}\p{Co}\ufffd]/u.test(sign)) return -2;
  if (isUsual) return 0.7;
  return /\p{L}/u.test(before) ? -0.5 : 0.1;
}

function average(worths: readonly number[]): number {
  return worths.length === 0 ? -1 : worths.reduce((sum, worth) => sum + worth, 0) / worths.length;
}

function decode(label: string, data: Uint8Array): string {
  return new TextDecoder(label).decode(data);
}

/** Whether all bytes are valid in an encoding. If the text `goesOn`, the last character may be cut. */
function decodes(label: string, data: Uint8Array, goesOn = true): boolean {
  try {
    new TextDecoder(label, { fatal: true }).decode(data, { stream: goesOn });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

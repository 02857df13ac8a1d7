import { pattern } from "../../base/pattern.ts";
import { invisible } from "../../base/text/invisible-text.ts";
import { type FileRule, foundIn, type Severity } from "../review-subject.ts";
import type { Code } from "./findings.ts";
import { oddPlace } from "./hosts.ts";

/** Subdivision flags (Scotland) are the only use of tag characters: black flag, tags, cancel. */
const flags = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,7}\u{e007f}/gu;
/** Without those that writing systems, emoji and hyphenation need; a byte order mark begins a file. */
const blank = pattern("v")`(?!^\ufeff)[${invisible}--[\p{Cc}\p{Co}\p{Bidi_C}\p{Join_C}\p{VS}\u00ad]]`;
const blanks = pattern("gv")`${blank}`;
const withinWord = pattern("v")`\p{L}${blank}+\p{L}|[A-Za-z0-9]\p{Join_C}+[A-Za-z0-9]`;

/** What a line has that its readers do not see, by how grave it is. */
// biome-ignore format: one kind a line
const kinds: readonly (readonly [form: RegExp, severity: Severity, what: string])[] = [
  // Shifted ASCII; and a series of variation selectors, which carries data: one is enough for any character.
  [/[\u{e0000}-\u{e007f}]+|\p{Variation_Selector}{3,}/u, "danger", "text that is invisible to people and readable for a model"],
  [/(?![\u061c\u200e\u200f])\p{Bidi_C}/u, "danger", "characters that make it read differently than it runs"],
  // Within a word (at its ends it is an example), or a joiner between Latin letters; it belongs to other scripts and emoji.
  [withinWord, "warning", "invisible characters, which can split words that a check looks for"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  [/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/, "warning", "control characters, which can hide text in a terminal"],
];

/** Letters of scripts that look like Latin ones, of languages that put spaces between words. */
const alike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/gu;
/** An abbreviation with an ending of the surrounding language (`PDFка`) misleads nobody. */
const inflected = /^\p{Lu}{2,}\P{Script=Latin}+$/u;
/** Greek letters occur in formulas and units (`ΔG`, `μmol`, `NFκB`): they count only within a word in small Latin letters. */
const greekWithin = /^(?=.{4}).*(?=\p{Ll})\p{Script=Latin}\p{Script=Greek}{1,3}(?=\p{Ll})\p{Script=Latin}/u;

type Found = readonly [severity: Severity, code: Code, text: string, message?: string];

function invisibleIn(line: string, isCode: boolean): Found[] {
  const many = (line.match(blanks) ?? []).length >= 4;
  const [form = blanks, severity = "danger", what = many ? "many invisible characters" : undefined] =
    kinds.slice(0, many ? 2 : undefined).find(([each]) => each.test(line)) ?? [];
  if (what === undefined) return [];
  const points = [...line].map((character) => (character.codePointAt(0) ?? 0) - 0xe0000);
  const hidden = String.fromCodePoint(...points.filter((each) => each >= 0x20 && each <= 0x7e).slice(0, 160));
  const message = `It contains ${what}.${hidden === "" ? "" : ` It reads: “${hidden}”.`}`;
  const at = Math.max(0, line.search(form) - 40);
  const shown = form === kinds[1]?.[0] && !isCode ? "warning" : severity;
  return [[shown, "hidden_text", line.slice(at, at + 100), message]];
}

/** The first word that mixes Latin letters with those of a similar-looking script; these are escaped. */
function mixedIn(line: string): Found[] {
  const word = line.match(/\p{L}{3,60}/gu)?.find((each) => {
    if (each.search(alike) < 0 || !/\p{Script=Latin}/u.test(each) || inflected.test(each)) return false;
    return greekWithin.test(each) || each.replace(/\p{Script=Greek}/gu, "").search(alike) >= 0;
  });
  const escaped = word?.replace(alike, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
  return escaped === undefined ? [] : [["warning", "mixed_scripts", escaped]];
}

const command = /\b(?:curl|wget|bash|powershell|invoke-|iex|chmod|eval\(|exec\(|\/bin\/sh)/i;
const others = /\bnc -|child_process|subprocess|os\.system|https?:\/\/|^(?:[\w,;:'-]{1,20}[.!?]?\s){5}/i;
const blobs = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,4000}={0,2}|(?:\\x[0-9a-fA-F]{2}){12,1000}/g;

/** The first command, address or sentence in base64, hex or escapes. */
function carriedIn(text: string): Found[] {
  for (const blob of text.match(blobs) ?? []) {
    const hex = blob.replaceAll("\\x", "");
    const bytes = Buffer.from(hex, /^(?:[0-9a-f]{2})+$/i.test(hex) ? "hex" : "base64");
    const read = bytes.toString(bytes.includes(0) ? "utf16le" : "utf8");
    if (!/^[\x20-\x7e\s]{10,}$/.test(read) || !(command.test(read) || others.test(read))) continue;
    const isGrave = command.test(read) && oddPlace(read) !== undefined;
    return [[isGrave ? "danger" : "warning", "encoded_command", `decoded: ${read}`]];
  }
  return [];
}

/** Frequent words of English, as they are written, shifted by thirteen letters, and in reverse. */
const frequent = "the and you that user with this for not your from send what have when will".split(" ");
const rot13 = (text: string) =>
  text.replace(/[a-z]/g, (sign) => String.fromCharCode(((sign.charCodeAt(0) - 84) % 26) + 97));
const readings = [
  ["", new Set(frequent)],
  ["shifted", new Set(frequent.map(rot13))],
  ["in reverse order", new Set(frequent.map((word) => [...word].toReversed().join("")))],
] as const;

/** How many of these words a text has in each reading. */
function readingsOf(text: string): number[] {
  const words = new Set(text.toLowerCase().match(/(?<![a-z])[a-z]{3,4}(?![a-z])/g));
  return readings.map(([, known]) => [...known].filter((each) => words.has(each)).length);
}

/** Lines that are looked at together: few words of one line tell a disguise from a language. */
const together = 4;

/** Three frequent words in a reading of some lines, and more than they have as they are written. */
function disguiseOf(text: string): Found[] {
  const [plain = 0, ...counts] = readingsOf(text);
  const how = readings[counts.findIndex((count) => count > Math.max(2, plain)) + 1]?.[0];
  return how === undefined || how === ""
    ? []
    : [["warning", "encoded_text", text, `It has a text with its letters ${how}.`]];
}

/** Comments and elements of a page, with a text. */
const comment = /<!--(?!.{0,400}prettier|.{0,400}markdownlint).{40,400}/;
const unshown =
  /<\w[^<>]{0,200}(?:\shidden\b|(?:display|visibility):\s?(?:none|hidden)|font-size:\s?0|opacity:\s?0|color:\s?(?:white|#fff\b|transparent))[^<>]{0,200}>\s?\w/i;

/** What a page or a guide has and does not show. */
function unshownIn(line: string): Found[] {
  const message = "It has a text that readers of the page are not shown.";
  if (unshown.test(line)) return [["warning", "hidden_text", line, message]];
  return comment.test(line) ? [["info", "hidden_text", line, message]] : [];
}

/** Text that a model or an interpreter reads, and a person does not: invisible, in look-alike letters, encoded, shifted or reversed. */
export const hiddenTextRule: FileRule = (file) => {
  const lines = file.raw.split(/\r\n|\r|\n/).map((line) => line.slice(0, 20_000));
  const isVisible = /^[\x20-\x7e\t\r\n]*$/.test(file.raw);
  const hasBlob = file.raw.search(blobs) >= 0;
  const isDisguised =
    file.role !== "code" &&
    readingsOf(file.raw)
      .slice(1)
      .some((count) => count > 2);
  return lines.flatMap((written, at) => {
    const isPlain = isVisible || /^[\x20-\x7e\t]*$/.test(written);
    const line = isPlain ? written : written.replace(flags, "");
    const found = isPlain ? [] : [...invisibleIn(line, file.role === "code"), ...mixedIn(line)];
    if (file.role === "prose" && line.includes("<")) found.push(...unshownIn(line));
    if (hasBlob && line.length >= 24) found.push(...carriedIn(line));
    if (isDisguised && at % 2 === 0) found.push(...disguiseOf(lines.slice(at, at + together).join(" ")));
    return found.map(([severity, code, text, message]) =>
      foundIn(file, { number: at + 1, text }, severity, code, message),
    );
  });
};

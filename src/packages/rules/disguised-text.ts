import { pattern } from "../../base/pattern.ts";
import { type Code, type FileRule, foundIn, type Severity } from "../review-subject.ts";
import { isExplained } from "./concepts.ts";
import { oddPlace } from "./hosts.ts";

/** Subdivision flags (Scotland) are the only use of tag characters: black flag, tags, cancel. */
const flags = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,7}\u{e007f}/gu;
/** Shifted ASCII; and a series of variation selectors, which carries data: one is enough for any character. */
const readable = /[\u{e0000}-\u{e007f}]+|\p{Variation_Selector}{3,}/u;
const overrides = /[\u202a-\u202e\u2066-\u2069]/u;
const blank = /[\u200b\u2060-\u2064\u180e\u115f\u1160\u3164\uffa0\u206a-\u206f]|(?!^)\ufeff/u;

/** What a line has that its readers do not see, by how grave it is. */
// biome-ignore format: one kind a line
const invisible: readonly (readonly [form: RegExp, severity: Severity, what: string])[] = [
  [readable, "danger", "text that is invisible to people and readable for a model"],
  [overrides, "danger", "characters that make it read differently than it runs"],
  [pattern("u")`(?:(?:${blank})[^]*?){4}`, "danger", "many invisible characters"],
  // A blank within a word (at its ends it is an example), or a joiner between Latin letters; it belongs to other scripts and emoji.
  [pattern("u")`\p{L}(?:${blank})+\p{L}|[A-Za-z0-9][\u200c\u200d]+[A-Za-z0-9]`, "warning", "invisible characters, which can split words that a check looks for"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  [/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/, "warning", "control characters, which can hide text in a terminal"],
];
const milder = { danger: "warning", warning: "info", info: "info" } as const;

/** Scripts with letters that look like Latin ones, of languages that put spaces between words. */
const alike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
/** An abbreviation with an ending of the surrounding language (`PDFка`) misleads nobody. */
const inflected = /^\p{Lu}{2,}\P{Script=Latin}+$/u;
/** Greek letters occur in formulas and units (`ΔG`, `μmol`, `NFκB`): they count only within a word in small Latin letters. */
const greekWithin = /(?=\p{Ll})\p{Script=Latin}\p{Script=Greek}{1,3}(?=\p{Ll})\p{Script=Latin}/u;

type Found = readonly [severity: Severity, code: Code, text: string, message?: string];

function invisibleIn(line: string, isCode: boolean): Found[] {
  const [form = readable, severity = "info", what] = invisible.find(([each]) => each.test(line)) ?? [];
  if (what === undefined) return [];
  const points = [...line].map((character) => (character.codePointAt(0) ?? 0) - 0xe0000);
  const hidden = String.fromCodePoint(...points.filter((each) => each >= 0x20 && each <= 0x7e).slice(0, 160));
  const message = `It contains ${what}.${hidden === "" ? "" : ` It reads: “${hidden}”.`}`;
  const at = Math.max(0, line.search(form) - 40);
  const shown = form === overrides && !isCode ? "warning" : severity;
  return [[shown, "hidden_text", line.slice(at, at + 100), message]];
}

/** The first word that mixes Latin letters with those of a similar-looking script; these are escaped. */
function mixedIn(line: string): Found[] {
  const word = line.match(/\p{L}{3,60}/gu)?.find((each) => {
    if (!alike.test(each) || !/\p{Script=Latin}/u.test(each) || inflected.test(each)) return false;
    return greekWithin.test(each) || alike.test(each.replace(/\p{Script=Greek}/gu, ""));
  });
  const escaped = word?.replace(
    pattern("gu")`${alike}`,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );
  return escaped === undefined ? [] : [["warning", "mixed_scripts", escaped]];
}

const command = /\b(?:curl|wget|bash|powershell|invoke-|iex|chmod|eval\(|exec\(|\/bin\/sh)/i;
const others =
  /\bnc -|child_process|subprocess|os\.system|https?:\/\/|^(?=.*\b(?:send|agent|always|never|ignore|user|memory|call|run|do not|instructions?)\b)(?:\S{1,20}\s){5}/i;
const blobs = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{24,4000}={0,2}|(?:\\x[0-9a-fA-F]{2}){12,1000}/g;

/** The first command, address or sentence in base64, hex or escapes. */
function carriedIn(text: string): Found[] {
  const decoded = (text.match(blobs) ?? []).map((blob) => {
    const hex = blob.replaceAll("\\x", "");
    const bytes = Buffer.from(hex, /^(?:[0-9a-f]{2})+$/i.test(hex) ? "hex" : "base64");
    return bytes.toString(bytes.includes(0) ? "utf16le" : "utf8");
  });
  const readable = decoded.find(
    (each) => /^[\x20-\x7e\s]{10,}$/.test(each) && (command.test(each) || others.test(each)),
  );
  if (readable === undefined) return [];
  const isGrave = command.test(readable) && oddPlace(readable) !== undefined;
  return [[isGrave ? "danger" : "warning", "encoded_command", `decoded: ${readable}`]];
}

const frequent =
  /\b(?:the|and|you|that|user|with|this|for|not|your|from|send|what|is|of|to|in|on|are|der|die|und|le|la|les|el|los)\b/gi;
const rot13 = (text: string) =>
  text.replace(/[a-z]/gi, (sign) =>
    String.fromCharCode(sign.charCodeAt(0) + (/[a-m]/i.test(sign) ? 13 : -13)),
  );

/** Four frequent words in a reading of a text, and more than it has as it is written. */
function disguiseOf(text: string): Found[] {
  const count = (reading: string) => new Set(reading.match(frequent)).size;
  const readings = { shifted: rot13(text), "in reverse order": [...text].toReversed().join("") };
  const how = Object.entries(readings).find(([, reading]) => count(reading) > Math.max(3, count(text)))?.[0];
  return how === undefined
    ? []
    : [["warning", "encoded_text", text, `It has a text with its letters ${how}.`]];
}

/** Text that a model or an interpreter reads, and a person does not: invisible, in look-alike letters, encoded, shifted or reversed. */
export const disguisedTextRule: FileRule = (file, { purpose: { isAboutAttacks } }) => {
  const lines = file.raw.split(/\r\n|\r|\n/).map((line) => line.slice(0, 20_000).replace(flags, ""));
  return lines.flatMap((line, at) => {
    const isPlain = /^[\x20-\x7e\t]*$/.test(line);
    const unseen = isPlain ? [] : [...invisibleIn(line, file.role === "code"), ...mixedIn(line)];
    // Few words of a line tell a disguise from a language: the next ones of its paragraph are looked at with it.
    const near = lines.slice(at, at + 4).join(" ");
    const encoded = [...carriedIn(line), ...disguiseOf(near.slice(0, 4_000))];
    const found = [...unseen, ...encoded.filter(([, , text]) => !isExplained(text))];
    return found.map(([severity, code, text, message]) => {
      // A guide about attacks may show some, but no instructions.
      const shown = isAboutAttacks && !readable.test(text) ? milder[severity] : severity;
      return foundIn(file, { number: at + 1, text }, shown, code, message);
    });
  });
};

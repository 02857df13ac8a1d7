import { pattern } from "../../base/pattern.ts";
import { type Capability, type Code, type FileRule, foundIn, type Severity } from "../review-subject.ts";

/** Subdivision flags (Scotland) are the only use of tag characters: black flag, tags, cancel. */
const flags = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,7}\u{e007f}/gu;
/** Shifted ASCII; and a series of variation selectors, which carries data: one is enough for any character. */
const readable = /[\u{e0000}-\u{e007f}]+|\p{Variation_Selector}{3,}/u;
const overrides = /[\u202a-\u202e\u2066-\u2069]/u;
const blank = /[\u200b\u2060-\u2064\u180e\u115f\u1160\u3164\uffa0\u206a-\u206f]|(?!^)\ufeff/u;

/** What a line has that its readers do not see, by how grave it is. */
const kinds: readonly (readonly [form: RegExp, severity: Severity, what: string])[] = [
  [readable, "danger", "text that is invisible to people and readable for a model"],
  [overrides, "danger", "characters that make it read differently than it runs"],
  [pattern("u")`(?:(?:${blank})[^]*?){4}`, "danger", "many invisible characters"],
  // A blank within a word (at its ends it is an example), or a joiner between Latin letters; it belongs to other scripts and emoji.
  [
    pattern("u")`\p{L}(?:${blank})+\p{L}|[A-Za-z0-9][\u200c\u200d]+[A-Za-z0-9]`,
    "warning",
    "invisible characters, which can split words that a check looks for",
  ],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  [/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/, "warning", "control characters, which can hide text"],
];

/** Characters that are invisible to a reader, but not to a model or an interpreter. A guide about attacks may show some. */
export const hiddenTextRule: FileRule = (file, { purpose: { isAboutAttacks } }) => {
  if (/^[\x20-\x7e\s]*$/.test(file.raw)) return [];
  return file.raw.split(/\r\n|\r|\n/).flatMap((written, at): Capability[] => {
    const line = written.slice(0, 20_000).replace(flags, "");
    const isExample = isAboutAttacks || (file.role !== "code" && overrides.test(line));
    const lower = isExample && !readable.test(line);
    const add = (text: string, severity: Severity, code: Code, message?: string) =>
      foundIn(file, { number: at + 1, text }, lower ? milder[severity] : severity, code, message);
    const mixed = mixedWord(line);
    const words = mixed === undefined ? [] : [add(mixed, "warning", "mixed_scripts")];
    const kind = kinds.find(([form]) => form.test(line));
    if (kind === undefined) return words;
    const [form, severity, what] = kind;
    const points = [...line].map((character) => (character.codePointAt(0) ?? 0) - 0xe0000);
    const hidden = String.fromCodePoint(
      ...points.filter((each) => each >= 0x20 && each <= 0x7e).slice(0, 160),
    );
    const message = `It contains ${what}.${hidden === "" ? "" : ` It reads: “${hidden}”.`}`;
    const start = Math.max(0, line.search(form) - 40);
    return [...words, add(line.slice(start, start + 100), severity, "hidden_text", message)];
  });
};

const milder = { danger: "warning", warning: "info", info: "info" } as const;

/** Scripts with letters that look like Latin ones, of languages that put spaces between words. */
const alike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
/** An abbreviation with an ending of the surrounding language (`PDFка`) misleads nobody. */
const inflected = /^\p{Lu}{2,}\P{Script=Latin}+$/u;
/** Greek letters occur in formulas and units (`ΔG`, `μmol`, `NFκB`): they count only within a word in small Latin letters. */
const greekWithin = /(?=\p{Ll})\p{Script=Latin}\p{Script=Greek}{1,3}(?=\p{Ll})\p{Script=Latin}/u;

/** The first word that mixes Latin letters with those of a similar-looking script; these are escaped. */
function mixedWord(line: string): string | undefined {
  const word = line.match(/\p{L}{3,60}/gu)?.find((each) => {
    if (!alike.test(each) || !/\p{Script=Latin}/u.test(each) || inflected.test(each)) return false;
    return greekWithin.test(each) || alike.test(each.replace(/\p{Script=Greek}/gu, ""));
  });
  return word?.replace(pattern("gu")`${alike}`, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

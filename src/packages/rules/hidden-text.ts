import { pattern } from "../../base/pattern.ts";
import { type Capability, excerptOf, type FileRule, type ReviewedFile } from "../review-subject.ts";
import { meanings } from "./meanings.ts";

/** Subdivision flags (Scotland) are the only use of tag characters: black flag, tags, cancel. */
const flags = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,7}\u{e007f}/gu;
const tags = /[\u{e0000}-\u{e007f}]+/u;
/** A series of variation selectors carries data: one is enough for any character. */
const selectors = /\p{Variation_Selector}{3,}/u;
const overrides = /[\u202a-\u202e\u2066-\u2069]/u;
const blanks = /[\u200b\u2060-\u2064\u180e\u115f\u1160\u3164\uffa0\u206a-\u206f]|(?!^)\ufeff/u;
/** Joiners belong to scripts and emoji; between Latin letters they hide something. */
const joiners = /[A-Za-z0-9][\u200c\u200d]+[A-Za-z0-9]/u;
/** A blank within a word; at its ends or between quotation marks it is a mark for programs, or an example. */
const splitters = pattern("u")`\p{L}(?:${blanks})+\p{L}`;
const fewBlanks = 4;

/** Characters that are invisible to a reader, but not to a model or an interpreter. */
export const hiddenTextRule: FileRule = (file, { purpose }) => {
  if (/^[\x20-\x7e\s]*$/.test(file.raw)) return [];
  const findings: Capability[] = [];
  file.raw.split(/\r\n|\r|\n/).forEach((written, at) => {
    const line = written.slice(0, 20_000).replace(flags, "");
    const place = { path: file.path, line: at + 1 };
    const found = judge(line, file);
    if (found?.severity === "warning" && purpose.isAboutAttacks) found.severity = "info";
    if (found?.severity === "danger" && purpose.isAboutAttacks && !tags.test(line))
      found.severity = "warning";
    if (found !== undefined)
      findings.push({ ...found, code: "hidden_text", ...place, excerpt: excerptOf(around(line)) });
    const excerpt = mixedWord(line);
    if (excerpt === undefined) return;
    const severity = purpose.isAboutAttacks ? "info" : "warning";
    findings.push({ severity, code: "mixed_scripts", message: meanings.mixed_scripts, ...place, excerpt });
  });
  return findings;
};

/** Scripts with letters that look like Latin ones, of languages that put spaces between words. */
const alike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
/** An abbreviation with an ending of the surrounding language (`PDFка`) misleads nobody. */
const inflected = /^\p{Lu}{2,}\P{Script=Latin}+$/u;
/** Greek letters occur in formulas and units (`ΔG`, `μmol`, `NFκB`): they count only within a word in small Latin letters. */
const greekWithin = /(?=\p{Ll})\p{Script=Latin}\p{Script=Greek}{1,3}(?=\p{Ll})\p{Script=Latin}/u;

/** The first word that mixes Latin letters with those of a similar-looking script; these are escaped. */
function mixedWord(line: string): string | undefined {
  for (const [word] of line.matchAll(/\p{L}{3,60}/gu)) {
    if (!alike.test(word) || !/\p{Script=Latin}/u.test(word) || inflected.test(word)) continue;
    const onlyGreek = !alike.test(word.replace(/\p{Script=Greek}/gu, ""));
    if (onlyGreek && !(word.length > 4 && greekWithin.test(word) && !/sin|cos|tan|log/.test(word))) continue;
    return [...word]
      .map((letter) => (alike.test(letter) ? `\\u{${letter.codePointAt(0)?.toString(16)}}` : letter))
      .join("");
  }
  return undefined;
}

type Judged = Pick<Capability, "severity" | "message"> | undefined;

function judge(line: string, { role }: ReviewedFile): Judged {
  const found = (severity: Capability["severity"], message: string): Judged => ({ severity, message });
  const count = line.match(pattern("gu")`${blanks}`)?.length ?? 0;
  if (tags.test(line) || selectors.test(line)) {
    const hidden = decodeTags(line);
    const says = hidden === "" ? "" : ` It reads: “${hidden}”.`;
    return found("danger", `It contains text that is invisible to people and readable for a model.${says}`);
  }
  if (overrides.test(line))
    return found(
      role === "code" ? "danger" : "warning",
      "It contains characters that make it read differently than it runs.",
    );
  if (count >= fewBlanks || splitters.test(line) || joiners.test(line))
    return found(
      count >= fewBlanks ? "danger" : "warning",
      "It contains invisible characters, which can split words that a check looks for.",
    );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(line))
    return found("warning", "It contains control characters, which can hide text in a terminal.");
  return undefined;
}

/** Tag characters are shifted ASCII; a selector encodes a byte. */
function decodeTags(line: string): string {
  const points = [...line].map((character) => character.codePointAt(0) ?? 0);
  const text = points.flatMap((point) => (point >= 0xe0020 && point <= 0xe007e ? [point - 0xe0000] : []));
  return String.fromCodePoint(...text.slice(0, 160));
}

function around(line: string): string {
  const at = Math.max(0, line.search(pattern("u")`${tags}|${overrides}|${blanks}|${selectors}`));
  return line.slice(Math.max(0, at - 40), at + 60);
}

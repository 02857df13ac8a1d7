import { pattern } from "../../base/pattern.ts";
import type { PackageFinding } from "../../core/packages.ts";
import { excerptOf, type FileRule, type ReviewedFile } from "../review-subject.ts";

/** Subdivision flags (Scotland) are the one use of tag characters: black flag, tags, cancel. */
const flags = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,7}\u{e007f}/gu;
const tags = /[\u{e0000}-\u{e007f}]+/u;
/** Variation selectors in a row carry data: one is enough for any sign. */
const selectors = /\p{Variation_Selector}{3,}/u;
const overrides = /[\u202a-\u202e\u2066-\u2069]/u;
const blanks = /[\u200b\u2060-\u2064\u180e\u115f\u1160\u3164\uffa0\u206a-\u206f]|(?!^)\ufeff/u;
/** Joiners belong to scripts and emoji; between Latin letters they hide something. */
const joiners = /[A-Za-z0-9][\u200c\u200d]+[A-Za-z0-9]/u;
const fewBlanks = 4;

/** Characters that a reader does not see and a model or an interpreter does. */
export const hiddenTextRule: FileRule = (file) => {
  if (/^[\x20-\x7e\s]*$/.test(file.raw)) return [];
  const findings: PackageFinding[] = [];
  file.raw.split(/\r\n|\r|\n/).forEach((written, at) => {
    const line = written.slice(0, 20_000).replace(flags, "");
    const found = judge(line, file);
    if (found === undefined) return;
    findings.push({ ...found, path: file.path, line: at + 1, excerpt: excerptOf(around(line)) });
  });
  return findings;
};

function judge(
  line: string,
  { role }: ReviewedFile,
): Pick<PackageFinding, "severity" | "code" | "message"> | undefined {
  if (tags.test(line) || selectors.test(line)) {
    const hidden = decodeTags(line);
    const says = hidden === "" ? "" : ` It reads: “${hidden}”.`;
    const message = `It holds text in characters that nobody sees but a model reads.${says}`;
    return { severity: "danger", code: "hidden_text", message };
  }
  if (overrides.test(line)) {
    const message =
      "It holds characters that change the order in which text is shown, so that it reads differently than it runs.";
    return { severity: role === "code" ? "danger" : "warning", code: "hidden_text", message };
  }
  const count = line.match(pattern("gu")`${blanks}`)?.length ?? 0;
  if (count > 0 || joiners.test(line)) {
    const message =
      "It holds invisible characters, which can split words that a reader or a check looks for.";
    return { severity: count >= fewBlanks ? "danger" : "warning", code: "hidden_text", message };
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(line)) {
    const message = "It holds control characters, which can hide text when it is shown in a terminal.";
    return { severity: "warning", code: "hidden_text", message };
  }
  return undefined;
}

/** Tag characters are ASCII, moved; a selector stands for a byte. */
function decodeTags(line: string): string {
  const points = [...line].map((character) => character.codePointAt(0) ?? 0);
  const text = points.flatMap((point) => (point >= 0xe0020 && point <= 0xe007e ? [point - 0xe0000] : []));
  return String.fromCodePoint(...text.slice(0, 160));
}

function around(line: string): string {
  const at = Math.max(0, line.search(pattern("u")`${tags}|${overrides}|${blanks}|${selectors}`));
  return line.slice(Math.max(0, at - 40), at + 60);
}

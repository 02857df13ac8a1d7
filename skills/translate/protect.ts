import { pattern } from "../../src/base/pattern.ts";

/** Checks that parts of a text occur unchanged in its translation. */

/** Code, addresses, mentions, placeholders of programs, tags and subtitle times. */
const kept =
  /```[\s\S]*?```|`[^`\n]+`|https?:\/\/[^\s)>\]]+|<[@#!][^<>\s]+>|\$\{[^{}]+\}|\{\{[^{}]+\}\}|\{[\w.]+\}|%(?:\d+\$)?[sdif]\b|<\/?[a-z][^<>]*>|\d{2}:\d{2}(?::\d{2})?[,.]\d{3} --> [^\n]+/gi;

/** The number of occurrences of each kept part. */
function countKept(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [part] of text.matchAll(kept)) counts.set(part, (counts.get(part) ?? 0) + 1);
  return counts;
}

/** Kept parts that occur less often in the translation than in the original. */
export function lostParts(original: string, translation: string): string[] {
  const there = countKept(translation);
  return [...countKept(original)].flatMap(([part, count]) => ((there.get(part) ?? 0) < count ? part : []));
}

/** The numbers of a text without separators, because languages write them differently. */
function digits(text: string): string[] {
  return (text.match(/\d[\d.,\u00a0\u202f' ]*\d|\d{2,}/g) ?? []).map((number) => number.replace(/\D/g, ""));
}

/** Numbers with two or more digits that are missing in the translation. */
export function lostNumbers(original: string, translation: string): string[] {
  const there = digits(translation);
  return digits(original).filter((number) => {
    const at = there.indexOf(number);
    if (at >= 0) there.splice(at, 1);
    return at < 0;
  });
}

/** Minimum characters of a passage whose length is compared, and minimum relative length of its translation: Chinese takes a third of English. */
const minPassage = 300;
const minRatio = 1 / 6;

/** Paragraphs that a translation left out, in words, for example after a refusal or in a truncated answer. */
export function lostText(original: string, translation: string): string[] {
  const missing = paragraphsIn(original) - paragraphsIn(translation);
  if (missing > 0) return [missing === 1 ? "1 paragraph" : `${missing} paragraphs`];
  const isTooShort = original.length > minPassage && translation.length < original.length * minRatio;
  return isTooShort ? ["most of the text"] : [];
}

function paragraphsIn(text: string): number {
  return text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "").length;
}

/** Problems of a translated JSON file, a sentence each; none if the original was not valid JSON. */
export function brokenJson(original: string, translation: string): string[] {
  const before = keysIn(original);
  if (before === undefined) return [];
  const after = keysIn(translation);
  if (after === undefined) return ["The translation is no longer valid JSON."];
  const lost = [...before].filter((key) => !after.has(key));
  return lost.length === 0 ? [] : [`Keys that the translation lost: ${lost.slice(0, 10).join(", ")}`];
}

/** The paths of all values; undefined for invalid JSON. */
function keysIn(text: string): Set<string> | undefined {
  const keys = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      const own = path === "" ? key : `${path}.${key}`;
      keys.add(own);
      visit(each, own);
    }
  };
  try {
    visit(JSON.parse(text), "");
  } catch {
    return undefined;
  }
  return keys;
}

/** Maximum length of an unsplit code block, in parts: an unclosed one would extend to the end of the text. */
const maxCode = 3;

/** Splits a text into parts of whole paragraphs, at most `most` characters each; concatenated, they are the text. */
export function paragraphsOf(text: string, max: number): string[] {
  const pieces = text.match(/[\s\S]*?(?:\n\s*\n|$)/g)?.filter((piece) => piece !== "") ?? [];
  const parts: string[] = [];
  let isCode = false;
  for (const piece of pieces.flatMap((each) => hardCut(each, max))) {
    const last = parts.at(-1);
    const room = isCode ? maxCode * max : max;
    const joins = last !== undefined && last.length + piece.length <= room;
    if (joins) parts[parts.length - 1] = last + piece;
    else parts.push(piece);
    if ((piece.match(/^```/gm)?.length ?? 0) % 2 === 1) isCode = !isCode;
  }
  return parts;
}

function hardCut(piece: string, max: number): string[] {
  if (piece.length <= max) return [piece];
  const lines = piece.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const cut: string[] = [];
  for (const line of lines.flatMap((each) => each.match(pattern("g")`[^]{1,${max}}`) ?? [])) {
    const last = cut.at(-1);
    if (last !== undefined && last.length + line.length <= max) cut[cut.length - 1] = last + line;
    else cut.push(line);
  }
  return cut;
}

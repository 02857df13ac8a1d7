import { extname } from "node:path";
import type { PackageFinding } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import { type ContentKind, contentKind } from "./archive-kind.ts";
import type { PackageFile } from "./package-tree.ts";

/** The role of a text: run, read, or data for either. */
export type TextRole = "code" | "prose" | "data";

export interface ReviewedLine {
  /** From 1. */
  number: number;
  /** Without invisible characters and in one Unicode form, at most 4,000 characters. */
  text: string;
}

export interface ReviewedFile {
  path: string;
  bytes: number;
  executable: boolean;
  content: ContentKind;
  role: TextRole;
  /** As written; empty for a file that is not text. */
  raw: string;
  /** Lines as a shell reads them: continued lines are joined. Long ones come in overlapping pieces. */
  lines: readonly ReviewedLine[];
}

/** A skill as rules see it. */
export interface ReviewSubject {
  skill: Skill;
  files: readonly ReviewedFile[];
  /** Skills that ship with the bot. */
  shipped: readonly Skill[];
}

/** Checks one file. Never runs anything, and takes time proportional to the size of the text. */
export type FileRule = (file: ReviewedFile, subject: ReviewSubject) => PackageFinding[];

/** Characters of a file that are checked; a longer one is reported. */
export const maxReviewed = 500_000;
const maxLine = 4_000;
const overlap = 300;

const codeEndings = new Set(
  ".py .pyw .sh .bash .zsh .fish .ksh .js .mjs .cjs .ts .mts .cts .jsx .tsx .rb .pl .php .lua .go .rs .java .kt .swift .c .cpp .cs .r .jl .ps1 .psm1 .bat .cmd .vbs .wsf .applescript .scpt .awk .tcl".split(
    " ",
  ),
);
const proseEndings = new Set([".md", ".markdown", ".mdx", ".txt", ".rst", ".html", ".htm", ".adoc", ""]);

export function reviewedFile({ path, data, executable }: PackageFile): ReviewedFile {
  const content = contentKind(data);
  const raw = content === "text" ? new TextDecoder().decode(data.subarray(0, maxReviewed)) : "";
  return {
    path,
    bytes: data.length,
    executable,
    content,
    raw,
    role: roleOf(path, raw),
    lines: linesOf(raw),
  };
}

function roleOf(path: string, raw: string): TextRole {
  const ending = extname(path).toLowerCase();
  if (raw.startsWith("#!") || codeEndings.has(ending) || /(?:^|\/)(?:Makefile|Dockerfile)$/.test(path)) {
    return "code";
  }
  return proseEndings.has(ending) ? "prose" : "data";
}

function linesOf(raw: string): ReviewedLine[] {
  const lines: ReviewedLine[] = [];
  let joined: ReviewedLine | undefined;
  const take = (line: ReviewedLine) => {
    for (let at = 0; at === 0 || at < line.text.length - overlap; at += maxLine - overlap) {
      lines.push({ number: line.number, text: line.text.slice(at, at + maxLine) });
    }
  };
  raw.split(/\r\n|\r|\n/).forEach((written, at) => {
    const text = plainText(written);
    const goesOn = /^\s*\|[^|]*$/.test(text) || (joined !== undefined && isOpen(joined.text));
    if (joined !== undefined && goesOn && joined.text.length < maxLine) {
      joined = { number: joined.number, text: `${joined.text.replace(/\\$/, "")} ${text.trim()}` };
      return;
    }
    if (joined !== undefined) take(joined);
    joined = { number: at + 1, text };
  });
  if (joined !== undefined) take(joined);
  return lines;
}

/** Whether a shell continues in the next line. A table row also ends with a bar, but begins with one too. */
function isOpen(line: string): boolean {
  return /\\$|&&\s*$/.test(line) || (/\|\s*$/.test(line) && !/^\s*\|/.test(line));
}

/** Text as a reader sees it, so that an invisible character within a word hides nothing. */
function plainText(text: string): string {
  return /^[\x20-\x7e\t]*$/.test(text)
    ? text
    : text.normalize("NFKC").replace(/[\p{Cf}\p{Variation_Selector}]/gu, "");
}

/** The place of a finding in a line, with the text there. */
export function placeIn({ path }: ReviewedFile, line: number, text: string) {
  return { path, line, excerpt: excerptOf(text) };
}

/** A place as it may be shown: on one line, invisible characters escaped, at most 200 characters. */
export function excerptOf(text: string): string {
  const visible = text
    .trim()
    .slice(0, 1_000)
    .replace(/[\t ]+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu, (character) => {
      return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    });
  return visible.length > 200 ? `${visible.slice(0, 199)}…` : visible;
}

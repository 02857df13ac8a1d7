import { extname } from "node:path";
import type { PackageFinding } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import { type ContentKind, contentKind } from "./archive-kind.ts";
import type { PackageFile } from "./package-tree.ts";

/** The role of a text: run, read, shown within what is read (a block of code in a guide), or data for either. */
type TextRole = "code" | "prose" | "sample" | "data";

export interface ReviewedLine {
  /** From 1. */
  number: number;
  /** That of its file, except for the blocks and the frontmatter (data) of a guide. */
  role: TextRole;
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

/** What a skill says it is for, where people read it before they enable it: its description, homepage, requirements and first paragraph. */
export interface Purpose {
  /** Without addresses and without the skill's own name, which is no reason to trust a host of that name. */
  text: string;
  /** Whether it is about attacks and their prevention, so that its text quotes them. */
  isAboutAttacks: boolean;
  /** Whether it names the owner of a host, or of the code behind a path of a forge. */
  names(address: string): boolean;
}

/** A skill as rules see it. */
export interface ReviewSubject {
  skill: Skill;
  purpose: Purpose;
  files: readonly ReviewedFile[];
  /** Skills that ship with the bot. */
  shipped: readonly Skill[];
}

/** What a skill does or may do, in one place. */
export interface Capability extends PackageFinding {
  /** The hosts that get or give something by it. */
  hosts?: readonly string[];
}

/** Checks one file. Never runs anything, and takes time proportional to the size of the text. */
export type FileRule = (file: ReviewedFile, subject: ReviewSubject) => Capability[];

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
  const role = roleOf(path, raw);
  return { path, bytes: data.length, executable, content, raw, role, lines: linesOf(raw, role) };
}

function roleOf(path: string, raw: string): TextRole {
  const ending = extname(path).toLowerCase();
  if (raw.startsWith("#!") || codeEndings.has(ending) || /(?:^|\/)(?:Makefile|Dockerfile)$/.test(path)) {
    return "code";
  }
  return proseEndings.has(ending) ? "prose" : "data";
}

function linesOf(raw: string, role: TextRole): ReviewedLine[] {
  const lines: ReviewedLine[] = [];
  let joined: ReviewedLine | undefined;
  const take = (line: ReviewedLine) => {
    for (let at = 0; at === 0 || at < line.text.length - overlap; at += maxLine - overlap) {
      lines.push({ ...line, text: line.text.slice(at, at + maxLine) });
    }
  };
  const roleAt = role === "prose" ? guideRoles(raw.startsWith("---")) : () => role;
  raw.split(/\r\n|\r|\n/).forEach((written, at) => {
    const text = plainText(written);
    const here = roleAt(text, at);
    const goesOn =
      /^\s*\|[^|]*$/.test(text) || (joined !== undefined && isOpen(joined.text) && joined.role === here);
    if (joined !== undefined && goesOn && joined.text.length < maxLine) {
      joined = { ...joined, text: `${joined.text.replace(/\\$/, "")} ${text.trim()}` };
      return;
    }
    if (joined !== undefined) take(joined);
    joined = { number: at + 1, role: here, text };
  });
  if (joined !== undefined) take(joined);
  return lines;
}

/** The roles of the lines of Markdown, asked for in their order: its frontmatter is data, its blocks of code are samples. */
function guideRoles(hasFrontmatter: boolean): (text: string, at: number) => TextRole {
  let isFrontmatter = hasFrontmatter;
  let fence: string | undefined;
  return (text, at) => {
    const isData = isFrontmatter;
    if (isFrontmatter && at > 0 && /^---\s*$/.test(text)) isFrontmatter = false;
    if (isData) return "data";
    const mark = /^\s*(?:[-*+]\s+|\d+[.)]\s+|>\s?)?(`{3,}|~{3,})/.exec(text)?.[1];
    if (mark === undefined) return fence === undefined ? "prose" : "sample";
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return "sample";
  };
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

/** What is found in a line. */
export function foundIn(
  { path }: Pick<ReviewedFile, "path">,
  { number, text }: Pick<ReviewedLine, "number" | "text">,
  severity: Capability["severity"],
  code: string,
  message: string,
): Capability {
  return { severity, code, message, path, line: number, excerpt: excerptOf(text) };
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

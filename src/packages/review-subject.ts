import { extname } from "node:path";
import { looseText } from "../base/decode-text.ts";
import { escapedInvisible } from "../base/text/invisible-text.ts";
import type { PackageFinding } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import { type ContentKind, contentKind } from "./archive-kind.ts";
import type { PackageFile } from "./package-tree.ts";
import { codeStatements } from "./review-code.ts";
import { linesOf, type ReviewedLine, type TextRole } from "./review-lines.ts";
import { type Code, findings } from "./rules/findings.ts";
import { codeEndings } from "./rules/known-names.ts";
import { type Accounts, type FactLine, factLines } from "./rules/line-facts.ts";

export type Severity = PackageFinding["severity"];

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
  /** What the lines do, those of code as they run. */
  statements: readonly FactLine[];
}

/** A skill as rules see it. */
export interface ReviewSubject {
  skill: Skill;
  accounts: Accounts;
  files: readonly ReviewedFile[];
  /** Skills that ship with the bot. */
  shipped: readonly Skill[];
}

/** Checks one file. Never runs anything, and takes time proportional to the size of the text. */
export type FileRule = (file: ReviewedFile, subject: ReviewSubject) => PackageFinding[];

/** Characters of a file that are checked; a longer one is reported. */
export const maxReviewed = 500_000;

const proseEndings = new Set([".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ""]);

export function reviewedFile({ path, data, executable }: PackageFile, accounts: Accounts): ReviewedFile {
  const content = contentKind(data);
  const raw = content === "text" ? looseText(data.subarray(0, maxReviewed)) : "";
  const role = roleOf(path, raw);
  const lines = linesOf(raw, role);
  const run = role === "code" ? codeStatements(lines, { path, raw }) : lines;
  const statements = factLines(run, { raw, role }, accounts);
  return { path, bytes: data.length, executable, content, raw, role, lines, statements };
}

function roleOf(path: string, raw: string): TextRole {
  const ending = extname(path).toLowerCase();
  if (raw.startsWith("#!") || codeEndings.has(ending) || /(?:^|\/)(?:Makefile|Dockerfile)$/.test(path)) {
    return "code";
  }
  return proseEndings.has(ending) ? "prose" : "data";
}

/** What is found in a file, or in a line of it. */
export function foundIn(
  { path }: { path: string },
  { number, text }: { number?: number; text?: string },
  severity: Severity,
  code: Code,
  message: string = findings[code][0],
): PackageFinding {
  const place = { ...(number && { line: number }), ...(text !== undefined && { excerpt: excerptOf(text) }) };
  return { severity, code, message, path, ...place };
}

/** A place as it may be shown: on one line, invisible characters escaped, at most 200 characters. */
function excerptOf(text: string): string {
  const visible = escapedInvisible(
    text
      .trim()
      .slice(0, 1_000)
      .replace(/[\t ]+/g, " "),
    true,
  );
  return visible.length > 200 ? `${visible.slice(0, 199)}…` : visible;
}

import type { PackageFinding } from "../../core/skill/packages.ts";
import { type FileRule, placeIn, type ReviewedFile, type TextRole } from "../review-subject.ts";

/** A pattern of lines that deserve a person's attention. */
export interface LinePattern {
  severity: PackageFinding["severity"];
  code: string;
  /** What it is and why it matters: one sentence. */
  message: string;
  /** They take time proportional to the line: every repetition in them is bounded or the only one. */
  patterns: readonly RegExp[];
  /** The roles of texts it applies to; default: all. */
  roles?: readonly TextRole[];
  /** File extensions it applies to, e.g. `.py`; default: all. */
  endings?: readonly string[];
}

/** At most one finding of each code for a line. */
export function linePatternRule(all: readonly LinePattern[]): FileRule {
  return (file) => {
    const applying = all.filter((each) => countsIn(each, file));
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, PackageFinding>();
    for (const { number: line, text } of file.lines.filter((each) => each.text.length >= 4)) {
      for (const { patterns, severity, code, message } of applying) {
        const key = `${line} ${code}`;
        const found = findings.has(key) ? undefined : firstOf(patterns, text);
        if (found === undefined) continue;
        const around = text.slice(Math.max(0, found.index - 60), found.index + found[0].length + 100);
        findings.set(key, { severity, code, message, ...placeIn(file, line, around) });
      }
    }
    return [...findings.values()];
  };
}

function firstOf(patterns: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return found;
  }
  return undefined;
}

function countsIn({ roles, endings }: LinePattern, { role, path }: ReviewedFile): boolean {
  if (roles !== undefined && !roles.includes(role)) return false;
  return endings === undefined || endings.some((ending) => path.toLowerCase().endsWith(ending));
}

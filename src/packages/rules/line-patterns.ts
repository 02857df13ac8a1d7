import type { PackageFinding } from "../../core/skill/packages.ts";
import { excerptOf, type FileRule, type ReviewedFile, type TextRole } from "../review-subject.ts";

/** What a line must look like to be worth a person's attention. */
export interface LinePattern {
  severity: PackageFinding["severity"];
  code: string;
  /** What it is and why it matters: one sentence. */
  message: string;
  /** They take time in proportion to the line: every repetition in them has a bound or stands alone. */
  patterns: readonly RegExp[];
  /** Where it counts; everywhere unless given. */
  roles?: readonly TextRole[];
  /** Endings of files it counts in, e.g. `.py`; all unless given. */
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
        findings.set(key, { severity, code, message, path: file.path, line, excerpt: excerptOf(around) });
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

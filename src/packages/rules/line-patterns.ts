import type { PackageFinding } from "../../core/skill/packages.ts";
import { excerptOf, type FileRule, type ReviewedFile, type TextRole } from "../review-subject.ts";

/** What a line must look like to be worth a person's attention. */
export interface LinePattern {
  severity: PackageFinding["severity"];
  code: string;
  /** What it is and why it matters: one sentence. */
  message: string;
  /** Takes time in proportion to the line: every repetition in it has a bound or stands alone. */
  pattern: RegExp;
  /** Where it counts; everywhere unless given. */
  roles?: readonly TextRole[];
  /** Endings of files it counts in, e.g. `.py`; all unless given. */
  endings?: readonly string[];
}

/** At most one finding of each code for a line. */
export function linePatternRule(patterns: readonly LinePattern[]): FileRule {
  return (file) => {
    const applying = patterns.filter((pattern) => countsIn(pattern, file));
    const findings: PackageFinding[] = [];
    const told = new Set<string>();
    for (const { number, text } of file.lines) {
      if (text.length < 4) continue;
      for (const { pattern, severity, code, message } of applying) {
        const found = pattern.exec(text);
        if (found === null || told.has(`${number} ${code}`)) continue;
        told.add(`${number} ${code}`);
        const around = text.slice(Math.max(0, found.index - 60), found.index + found[0].length + 100);
        findings.push({ severity, code, message, path: file.path, line: number, excerpt: excerptOf(around) });
      }
    }
    return findings;
  };
}

function countsIn({ roles, endings }: LinePattern, { role, path }: ReviewedFile): boolean {
  if (roles !== undefined && !roles.includes(role)) return false;
  return endings === undefined || endings.some((ending) => path.toLowerCase().endsWith(ending));
}

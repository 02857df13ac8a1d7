import {
  type Capability,
  type FileRule,
  placeIn,
  type ReviewedFile,
  type ReviewedLine,
  type ReviewSubject,
} from "../review-subject.ts";
import { isExplained } from "./statements.ts";

type Severity = Capability["severity"];

/** A pattern of lines that show a capability. */
export interface LinePattern {
  /** A function where it depends on the text around the place. */
  severity: Severity | ((text: string, line: ReviewedLine, subject: ReviewSubject) => Severity);
  code: string;
  /** What it is and why it matters: one sentence. */
  message: string;
  /** They take time proportional to the line: every repetition in them is bounded or the only one. */
  patterns: readonly RegExp[];
  /** The roles of texts it applies to; default: all. */
  roles?: readonly ReviewedLine["role"][];
  /** File extensions it applies to, e.g. `.py`; default: all. */
  endings?: readonly string[];
  /** A purpose that explains it. */
  explainedBy?: RegExp;
}

/** At most one finding of each code for a line. What the purpose or the text around it explains is information. */
export function linePatternRule(all: readonly LinePattern[]): FileRule {
  return (file, subject) => {
    const applying = all.filter(
      ({ endings }) => endings?.some((ending) => file.path.toLowerCase().endsWith(ending)) ?? true,
    );
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, Capability>();
    for (const line of file.lines.filter(({ text }) => text.length >= 4)) {
      for (const each of applying) {
        const key = `${line.number} ${each.code}`;
        const counts = !findings.has(key) && (each.roles?.includes(line.role) ?? true);
        const found = counts ? firstOf(each.patterns, line.text) : undefined;
        if (found !== undefined) findings.set(key, findingAt(found, each, line, file, subject));
      }
    }
    return [...findings.values()];
  };
}

function findingAt(
  { index, 0: match }: RegExpExecArray,
  { severity, code, message, explainedBy }: LinePattern,
  line: ReviewedLine,
  file: ReviewedFile,
  subject: ReviewSubject,
): Capability {
  const around = line.text.slice(Math.max(0, index - 60), index + match.length + 100);
  const { purpose, skill } = subject;
  const isMeant =
    (line.role === "code" && !purpose.isAboutAttacks) ||
    (!purpose.isAboutAttacks && !isExplained({ said: line.text }));
  const isKnown = explainedBy?.test(`${skill.id.replaceAll("-", " ")} ${purpose.text}`) ?? false;
  const grave = typeof severity === "string" ? severity : severity(line.text, line, subject);
  return {
    severity: isMeant && !isKnown ? grave : "info",
    code,
    message,
    ...placeIn(file, line.number, around),
  };
}

function firstOf(patterns: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return found;
  }
  return undefined;
}

import { extname } from "node:path";
import {
  type Capability,
  type FileRule,
  foundIn,
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
  /** Takes time proportional to the line: every repetition in it is bounded or the only one. */
  form: RegExp;
  /** The roles of texts it applies to; default: all. */
  roles?: readonly ReviewedLine["role"][];
  /** File extensions it applies to, e.g. `.py`; default: all. */
  endings?: readonly string[];
  /** A purpose that explains it. */
  explainedBy?: RegExp;
  /** Only its beginning is shown. */
  isSecret?: true;
}

/** At most one finding of each code for a line. What the purpose or the text around it explains is information. */
export function linePatternRule(all: readonly LinePattern[]): FileRule {
  return (file, subject) => {
    const ending = extname(file.path).toLowerCase();
    const applying = all.filter(({ endings }) => endings?.includes(ending) ?? true);
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, Capability>();
    for (const line of file.lines.filter(({ text }) => text.length >= 4)) {
      for (const each of applying.filter(({ roles }) => roles?.includes(line.role) ?? true)) {
        const key = `${line.number} ${each.code}`;
        const found = findings.has(key) ? null : each.form.exec(line.text);
        if (found !== null) findings.set(key, capabilityAt(found, each, line, file, subject));
      }
    }
    return [...findings.values()];
  };
}

function capabilityAt(
  { index, 0: match }: RegExpExecArray,
  { severity, code, message, explainedBy, isSecret }: LinePattern,
  line: ReviewedLine,
  file: ReviewedFile,
  subject: ReviewSubject,
): Capability {
  const { purpose, skill } = subject;
  const around = line.text.slice(Math.max(0, index - 60), index + match.length + 100);
  const text = isSecret ? `${match.slice(0, 6)}…` : around;
  const isMeant = !purpose.isAboutAttacks && (line.role === "code" || !isExplained({ said: line.text }));
  const isKnown = explainedBy?.test(`${skill.id.replaceAll("-", " ")} ${purpose.text}`) ?? false;
  const gravity = typeof severity === "string" ? severity : severity(line.text, line, subject);
  return foundIn(file, { ...line, text }, isMeant && !isKnown ? gravity : "info", code, message);
}

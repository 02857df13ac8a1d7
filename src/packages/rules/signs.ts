import type { ReviewedLine, TextRole } from "../review-lines.ts";
import {
  type Capability,
  type FileRule,
  foundIn,
  type ReviewedFile,
  type ReviewSubject,
} from "../review-subject.ts";
import type { Code } from "./meanings.ts";
import { isExplained } from "./statements.ts";

export type Severity = Capability["severity"];
/** How grave a sign is in this text of a line. */
export type Judge = (text: string, line: ReviewedLine, subject: ReviewSubject) => Severity;

export const information: Judge = () => "info";
export const warning: Judge = () => "warning";
export const danger: Judge = () => "danger";
export const inCode: Judge = (_, { role }) => (role === "code" ? "warning" : "info");

/** What statements that have a capability look like. */
export interface Sign {
  code: Code;
  judge: Judge;
  /** Takes time proportional to the line: every repetition in it is bounded or the only one. */
  form: RegExp;
  /** The roles of texts it applies to; default: all. */
  roles?: readonly TextRole[];
  /** A purpose that explains it. */
  explainedBy?: RegExp | undefined;
}

type Forms = Partial<Record<Code, RegExp>>;

/** Signs that have the judge and roles in common. */
export function signs(judge: Judge, forms: Forms, roles?: readonly TextRole[]): Sign[] {
  return Object.entries(forms).map(([code, form]) => ({
    code: code as Code,
    judge,
    form,
    ...(roles && { roles }),
  }));
}

/** At most one finding of each code for a line. What the purpose or the text around it explains is information. */
export function signRule(all: readonly Sign[], purposes: Forms): FileRule {
  return (file, subject) => {
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, Capability>();
    for (const line of file.statements.filter(({ text }) => text.length >= 4)) {
      for (const sign of all.filter(({ roles }) => roles?.includes(line.role) ?? true)) {
        const key = `${line.number} ${sign.code}`;
        const found = findings.has(key) ? null : sign.form.exec(line.text);
        if (found !== null)
          findings.set(key, capabilityAt(found, sign, line, file, subject, purposes[sign.code]));
      }
    }
    return [...findings.values()];
  };
}

function capabilityAt(
  { index, 0: match }: RegExpExecArray,
  { code, judge }: Sign,
  line: ReviewedLine,
  file: ReviewedFile,
  subject: ReviewSubject,
  explainedBy: RegExp | undefined,
): Capability {
  const { purpose, skill } = subject;
  const around = line.text.slice(Math.max(0, index - 60), index + match.length + 100);
  // Of a secret, only the beginning is shown.
  const text = code === "secret" ? `${match.slice(0, 6)}…` : around;
  const isMeant = !purpose.isAboutAttacks && (line.role === "code" || !isExplained({ said: line.text }));
  const isKnown = explainedBy?.test(`${skill.id.replaceAll("-", " ")} ${purpose.text}`) ?? false;
  return foundIn(
    file,
    { ...line, text },
    isMeant && !isKnown ? judge(line.text, line, subject) : "info",
    code,
  );
}

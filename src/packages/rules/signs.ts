import type { ReviewedLine, TextRole } from "../review-lines.ts";
import {
  type Capability,
  type FileRule,
  foundIn,
  type ReviewedFile,
  type ReviewSubject,
} from "../review-subject.ts";
import { isExplained } from "./statements.ts";
import type { Row } from "./table.ts";

export type Severity = Capability["severity"];
/** How grave a sign is in this text of a line. */
export type Judge = (text: string, line: ReviewedLine, subject: ReviewSubject) => Severity;

export const information: Judge = () => "info";
export const warning: Judge = () => "warning";
export const danger: Judge = () => "danger";
export const inCode: Judge = (_, { role }) => (role === "code" ? "warning" : "info");

/** The rows of a table, with how grave they are and the roles of texts they apply to; default: all. */
export interface Signs {
  judge: Judge;
  rows: readonly Row[];
  roles?: readonly TextRole[];
}

/** At most one finding of each code for a line. What the purpose or the text around it explains is information. */
export function signRule(all: readonly Signs[]): FileRule {
  return (file, subject) => {
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, Capability>();
    for (const line of file.statements.filter(({ text }) => text.length >= 4)) {
      for (const { rows, judge } of all.filter(({ roles }) => roles?.includes(line.role) ?? true)) {
        for (const row of rows) {
          const key = `${line.number} ${row.code}`;
          const found = findings.has(key) ? null : row.said.exec(line.text);
          if (found !== null) findings.set(key, capabilityAt(found, row, judge, line, file, subject));
        }
      }
    }
    return [...findings.values()];
  };
}

function capabilityAt(
  { index, 0: match }: RegExpExecArray,
  { code, unless }: Row,
  judge: Judge,
  line: ReviewedLine,
  file: ReviewedFile,
  subject: ReviewSubject,
): Capability {
  const { purpose, skill } = subject;
  const around = line.text.slice(Math.max(0, index - 60), index + match.length + 100);
  // Of a secret, only the beginning is shown.
  const text = code === "secret" ? `${match.slice(0, 6)}…` : around;
  const isMeant = !purpose.isAboutAttacks && (line.role === "code" || !isExplained({ said: line.text }));
  const isKnown = unless?.test(`${skill.id.replaceAll("-", " ")} ${purpose.text}`) ?? false;
  return foundIn(
    file,
    { ...line, text },
    isMeant && !isKnown ? judge(line.text, line, subject) : "info",
    code,
  );
}

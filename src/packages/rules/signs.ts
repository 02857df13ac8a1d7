import type { ReviewedLine } from "../review-lines.ts";
import {
  type Capability,
  type Code,
  type FileRule,
  foundIn,
  type ReviewSubject,
  type Severity,
} from "../review-subject.ts";
import { conceptsOf } from "./concepts.ts";

/** How grave a sign is in this text of a line. */
export type Judge = (text: string, line: ReviewedLine, subject: Pick<ReviewSubject, "purpose">) => Severity;

export const warning: Judge = () => "warning";
export const danger: Judge = () => "danger";
export const inCode: Judge = (_, { role }) => (role === "code" ? "warning" : "info");

/**
 * What a capability looks like in a line, how grave it is (`info` without a judge), and a purpose that explains it. Patterns take time
 * proportional to the line: each repetition is bounded or the only one.
 */
export type Sign = readonly [code: Code, said: RegExp, judge?: Judge, unless?: RegExp];

/** At most one finding of each code for a line. */
export function signRule(table: readonly Sign[]): FileRule {
  return (file, subject) => {
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, Capability>();
    for (const line of file.statements.filter(({ text }) => text.length >= 4)) {
      for (const sign of table) {
        const [code, said] = sign;
        const key = `${line.number} ${code}`;
        const match = findings.has(key) ? null : said.exec(line.text);
        if (match === null) continue;
        const place = { ...line, text: placeOf(match, code) };
        findings.set(key, foundIn(file, place, gravity(sign, line, subject), code));
      }
    }
    return [...findings.values()];
  };
}

/** What the purpose or the text around it explains is information. */
function gravity([, , judge, unless]: Sign, line: ReviewedLine, subject: ReviewSubject): Severity {
  const { purpose, skill } = subject;
  const isQuoted = purpose.isAboutAttacks || (line.role !== "code" && isExplained(line.text));
  const isKnown = unless?.test(`${skill.id.replaceAll("-", " ")} ${purpose.text}`) ?? false;
  return judge === undefined || isQuoted || isKnown ? "info" : judge(line.text, line, subject);
}

/** A match with the text around it. Of a secret, only the beginning is shown. */
function placeOf({ index, input, 0: match }: RegExpExecArray, code: Code): string {
  if (code === "secret") return `${match.slice(0, 6)}…`;
  return input.slice(Math.max(0, index - 60), index + match.length + 100);
}

/** Whether a text speaks about attacks, or about what somebody asks for or agrees to at the time. */
export function isExplained(text: string): boolean {
  const { stated } = conceptsOf(text);
  return stated.has("attack") || stated.has("wish");
}

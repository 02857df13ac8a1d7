import type { ReviewedLine } from "../review-lines.ts";
import { type Capability, type FileRule, foundIn, type ReviewSubject } from "../review-subject.ts";
import { conceptsOf } from "./concepts.ts";
import type { Judge, Row } from "./table.ts";

export const warning: Judge = () => "warning";
export const danger: Judge = () => "danger";
export const inCode: Judge = (_, { role }) => (role === "code" ? "warning" : "info");

/** At most one finding of each code for a line. What the purpose or the text around it explains is information, as is all without a judge. */
export function signRule(rows: readonly Row[]): FileRule {
  return (file, subject) => {
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, Capability>();
    for (const line of file.statements.filter(({ text }) => text.length >= 4)) {
      for (const { said, code, ...row } of rows.filter(
        ({ only }) => only === undefined || only === line.role,
      )) {
        const key = `${line.number} ${code}`;
        const found = findings.has(key) ? null : said.exec(line.text);
        if (found === null) continue;
        const text = placeOf(found, code);
        findings.set(key, foundIn(file, { ...line, text }, gravity(row, line, subject), code));
      }
    }
    return [...findings.values()];
  };
}

/** A match with the text around it. Of a secret, only the beginning is shown. */
function placeOf({ index, input, 0: match }: RegExpExecArray, code: string): string {
  if (code === "secret") return `${match.slice(0, 6)}…`;
  return input.slice(Math.max(0, index - 60), index + match.length + 100);
}

function gravity(
  { judge, unless }: Pick<Row, "judge" | "unless">,
  line: ReviewedLine,
  subject: ReviewSubject,
): Capability["severity"] {
  const { purpose, skill } = subject;
  const isQuoted = purpose.isAboutAttacks || (line.role !== "code" && isExplained(line.text));
  const isKnown = unless?.test(`${skill.id.replaceAll("-", " ")} ${purpose.text}`) ?? false;
  return judge === undefined || isQuoted || isKnown ? "info" : judge(line.text, line, subject);
}

/** Whether a text speaks about attacks, or about what somebody asks for or agrees to at the time. */
export function isExplained(text: string): boolean {
  const { stated } = conceptsOf(text);
  return stated.has("attack") || stated.has("wish");
}

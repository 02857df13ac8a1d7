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

/** What a capability looks like in a line. Patterns take time proportional to it: each repetition is bounded or the only one. */
interface Sign<Name extends string> {
  name: Name;
  said: RegExp;
  judge?: Judge;
  /** A purpose that explains it. */
  unless?: RegExp;
  /** The only role of lines it applies to. */
  role?: string | undefined;
}

/** Reads a table of one sign a line: its name, its pattern, a purpose that explains it, how grave it is, `in-code` or `in-data`. */
export function signs<Name extends string>(
  { raw }: TemplateStringsArray,
  ...values: (RegExp | Judge)[]
): Sign<Name>[] {
  const found: Sign<Name>[] = [];
  values.forEach((value, at) => {
    const name = (raw[at] ?? "").split("\n")[1]?.trim();
    const last = found.at(-1);
    const role = /^ in-(\w+)/.exec(raw[at + 1] ?? "")?.[1];
    if (name !== undefined || last === undefined)
      found.push({ name: name as Name, said: value as RegExp, role });
    else if (typeof value !== "function") last.unless = value;
    else Object.assign(last, { judge: value, role });
  });
  return found;
}

/** At most one finding of each code for a line. What the purpose or the text around it explains is information, as is all without a judge. */
export function signRule(table: readonly Sign<Code>[]): FileRule {
  return (file, subject) => {
    /** By line and code: a long line comes in pieces. */
    const findings = new Map<string, Capability>();
    for (const line of file.statements.filter(({ text }) => text.length >= 4)) {
      for (const sign of table.filter(({ role }) => role === undefined || role === line.role)) {
        const key = `${line.number} ${sign.name}`;
        const found = findings.has(key) ? null : sign.said.exec(line.text);
        if (found === null) continue;
        const text = placeOf(found, sign.name);
        findings.set(key, foundIn(file, { ...line, text }, gravity(sign, line, subject), sign.name));
      }
    }
    return [...findings.values()];
  };
}

function gravity({ judge, unless }: Sign<Code>, line: ReviewedLine, subject: ReviewSubject): Severity {
  const { purpose, skill } = subject;
  const isQuoted = purpose.isAboutAttacks || (line.role !== "code" && isExplained(line.text));
  const isKnown = unless?.test(`${skill.id.replaceAll("-", " ")} ${purpose.text}`) ?? false;
  return judge === undefined || isQuoted || isKnown ? "info" : judge(line.text, line, subject);
}

/** A match with the text around it. Of a secret, only the beginning is shown. */
function placeOf({ index, input, 0: match }: RegExpExecArray, code: string): string {
  if (code === "secret") return `${match.slice(0, 6)}…`;
  return input.slice(Math.max(0, index - 60), index + match.length + 100);
}

/** Whether a text speaks about attacks, or about what somebody asks for or agrees to at the time. */
export function isExplained(text: string): boolean {
  const { stated } = conceptsOf(text);
  return stated.has("attack") || stated.has("wish");
}

import type { ReviewedLine, TextRole } from "../review-lines.ts";
import type { Capability, ReviewSubject } from "../review-subject.ts";
import { type Code, meanings } from "./meanings.ts";

export type Severity = Capability["severity"];
/** How grave it is in this text of a line. */
export type Judge = (text: string, line: ReviewedLine, subject: Pick<ReviewSubject, "purpose">) => Severity;

/** What a capability looks like in a statement of code, or in a sentence of a guide. */
export interface Row {
  code: Code;
  /** What the text itself says. Takes time proportional to it: every repetition is bounded or the only one. */
  said: RegExp;
  /** What the text or its neighbours say as well. */
  around?: RegExp;
  /** What the text does not say before that. */
  before?: RegExp;
  /** What neither the text nor its neighbours say; of code, a purpose that explains it. */
  unless?: RegExp;
  judge?: Judge;
  /** Quotations count too. */
  quoted?: true;
  /** The only role of texts it applies to. */
  only?: TextRole;
}

/** Reads a table of one row a line: `` code said ${pattern} around ${pattern} judge ${judge} quoted ``, or `in-code` and `in-data` at its end. */
export function table({ raw }: TemplateStringsArray, ...values: (RegExp | Judge)[]): Row[] {
  const rows: Row[] = [];
  raw.forEach((text, at) => {
    const [end = "", begin] = text.split("\n");
    const last = rows.at(-1);
    if (last !== undefined && end.includes("quoted")) last.quoted = true;
    const role = /in-(code|data)/.exec(end)?.[1];
    if (last !== undefined && role !== undefined) last.only = role as TextRole;
    const [key = "", code = ""] = (begin ?? end).trim().split(/\s+/).toReversed();
    const value = values[at];
    if (value === undefined) return;
    if (begin === undefined && last !== undefined) rows[rows.length - 1] = { ...last, [key]: value };
    else if (code in meanings) rows.push({ code: code as Code, said: value as RegExp });
    else throw new TypeError(`The code ${code} has no meaning.`);
  });
  return rows;
}

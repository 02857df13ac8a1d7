import { type Code, meanings } from "./meanings.ts";

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
  /** Quotations count too. */
  quoted?: true;
}

/** Reads a table of one row a line: `` code said ${pattern} around ${pattern} quoted ``. */
export function table({ raw }: TemplateStringsArray, ...patterns: RegExp[]): Row[] {
  const rows: Row[] = [];
  raw.forEach((text, at) => {
    const [end = "", begin = ""] = text.split("\n");
    const form = patterns[at];
    const [first = "", code = ""] = (begin.trim() || end.trim()).split(/\s+/).toReversed();
    const last = rows.at(-1);
    if (last !== undefined && end.includes("quoted")) last.quoted = true;
    if (form === undefined) return;
    if (begin === "" && last !== undefined) rows[rows.length - 1] = { ...last, [first]: form };
    else if (code in meanings) rows.push({ code: code as Code, said: form });
    else throw new TypeError(`No meaning of the code ${code}.`);
  });
  return rows;
}

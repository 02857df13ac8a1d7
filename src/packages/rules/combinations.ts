import { once } from "../../base/made-once.ts";
import type { Code, Severity } from "../review-subject.ts";
import combinations from "./combinations.json" with { type: "json" };
import meanings from "./meanings.json" with { type: "json" };

/** A part of a combination: one of these facts, where the sign before them says. */
interface Term {
  sign: string;
  facts: readonly string[];
}

export interface Combination {
  code: Code;
  severity: Severity;
  terms: readonly Term[];
}

/** What is known of a unit of a package: of a sentence, or of a file of code. */
export interface Facts {
  stated: { has(fact: string): boolean };
  /** In it or near it. */
  near?: ReadonlySet<string>;
  ordered?: ReadonlySet<string>;
  orderedNear?: ReadonlySet<string>;
  denied?: ReadonlySet<string>;
  /** What the description of the skill states. */
  meant: ReadonlySet<string>;
}

/**
 * What no skill has to do, and what many may: combinations of facts, of a sentence (`prose`) or a file of code (`code`), by the code of the finding. A
 * row has its severity if it is no warning, and terms: `a|b` one of them is stated, `~a` in the sentence or near
 * it, `+a` it is ordered, `~+a` ordered in the sentence or near it, `!a` denied, `-a` not stated, `^a` not stated in the description, `=a` stated there.
 */
const tables = once(() => ({
  prose: rowsOf(combinations.prose),
  line: rowsOf(combinations.line),
  flow: rowsOf(combinations.flow),
}));

/** The first combination of each code that holds, of those that count. */
export function combinationsIn(
  kind: keyof typeof combinations,
  counts: (row: Combination) => boolean,
  facts: Facts,
): Combination[] {
  const found = new Map<Code, Combination>();
  for (const row of tables()[kind].filter(counts))
    if (!found.has(row.code) && holds(row, facts)) found.set(row.code, row);
  return [...found.values()];
}

function rowsOf(table: Record<string, readonly string[]>): Combination[] {
  return Object.entries(table).flatMap(([code, rows]) => {
    if (!(code in meanings)) throw new TypeError(`The code ${code} has no meaning.`);
    return rows.map((row) => {
      const [, severity = "warning", terms = ""] = /^(?:(info|danger) )?(.*)$/.exec(row) ?? [];
      return { code: code as Code, severity: severity as Severity, terms: terms.split(" ").map(termOf) };
    });
  });
}

function termOf(term: string): Term {
  const [, sign = "", facts = ""] = /^(~\+|[~+!^=-]?)(.*)$/.exec(term) ?? [];
  return { sign, facts: facts.split("|") };
}

function holds({ terms }: Combination, facts: Facts): boolean {
  const { stated, meant, near, ordered, orderedNear, denied } = facts;
  const said = { "": stated, "~": near, "+": ordered, "~+": orderedNear, "!": denied, "-": stated };
  const places: Record<string, Facts["stated"] | undefined> = { ...said, "=": meant, "^": meant };
  return terms.every(
    ({ sign, facts: named }) => named.some((each) => places[sign]?.has(each)) !== /[-^]/.test(sign),
  );
}

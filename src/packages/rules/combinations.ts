import { once } from "../../base/made-once.ts";
import type { Code, Severity } from "../review-subject.ts";
import combinations from "./combinations.json" with { type: "json" };
import meanings from "./meanings.json" with { type: "json" };

/**
 * What no skill has to do, and what many may: combinations of facts by the code of the finding, for sentences (`prose`), lines of code or
 * commands (`line`), and files of code (`flow`). A row has its severity if it is no warning, and terms: `a|b` one of them is stated, `~a` in
 * it or near it, `+a` it is ordered, `~+a` ordered in it or near it, `!a` denied, `-a` not stated, `^a` not stated in the description, `=a` stated
 * there.
 */
interface Row {
  code: Code;
  severity: Severity;
  terms: readonly { sign: string; facts: readonly string[] }[];
}

type Has = { has(fact: string): boolean };

/** What is known of a part of a package. */
export interface Facts {
  stated: Has;
  /** In it or near it. */
  near?: Has;
  ordered?: Has;
  orderedNear?: Has;
  denied?: Has;
  /** What the description of the skill states. */
  meant: Has;
}

/** A combination that holds, and the first fact of it. */
export type Held = Pick<Row, "code" | "severity"> & { fact: string };

const tables = once(() => new Map(Object.entries(combinations).map(([kind, of]) => [kind, rowsOf(of)])));

/** The first combination of each code that holds. What is only `quoted` may be information, or an order where `orders` count. */
export function combinationsIn(
  kind: keyof typeof combinations,
  facts: Facts,
  { isMeant, orders = false }: { isMeant: boolean; orders?: boolean },
): Held[] {
  const found = new Map<Code, Held>();
  for (const { code, severity, terms } of tables().get(kind) ?? []) {
    const counts = isMeant || severity === "info" || (orders && terms.some(({ sign }) => sign === "+"));
    if (!counts || found.has(code) || !terms.every((term) => holds(term, facts))) continue;
    found.set(code, { code, severity, fact: terms[0]?.facts.find((each) => facts.stated.has(each)) ?? "" });
  }
  return [...found.values()];
}

function rowsOf(table: Record<string, readonly string[]>): Row[] {
  return Object.entries(table).flatMap(([code, rows]) => {
    if (!(code in meanings)) throw new TypeError(`The code ${code} has no meaning.`);
    return rows.map((row) => {
      const [, severity = "warning", terms = ""] = /^(?:(info|danger) )?(.*)$/.exec(row) ?? [];
      const termOf = (term: string) => {
        const [, sign = "", facts = ""] = /^(~\+|[~+!^=-]?)(.*)$/.exec(term) ?? [];
        return { sign, facts: facts.split("|") };
      };
      return { code: code as Code, severity: severity as Severity, terms: terms.split(" ").map(termOf) };
    });
  });
}

function holds({ sign, facts: named }: Row["terms"][number], facts: Facts): boolean {
  const { stated, meant, near, ordered, orderedNear, denied } = facts;
  const said = { "": stated, "~": near, "+": ordered, "~+": orderedNear, "!": denied, "-": stated };
  const places: Record<string, Has | undefined> = { ...said, "=": meant, "^": meant };
  return named.some((each) => places[sign]?.has(each)) !== /[-^]/.test(sign);
}

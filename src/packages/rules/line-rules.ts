import { type FileRule, foundIn, type ReviewedFile, type Severity } from "../review-subject.ts";
import { commands, type Fact } from "./acts.ts";
import { type Code, findings, type Where } from "./findings.ts";
import type { FactLine } from "./line-facts.ts";

type LineRule = readonly [fact: Fact, where: Where, severity: Severity, code: Code];

/** The facts of one line that are a finding, each where it is one. Of several for a code, the first counts. */
export const lineRules: readonly LineRule[] = Object.entries(findings).flatMap(([code, [, ...lines]]) =>
  lines.map(([fact, where, severity]) => [fact, where, severity, code as Code] as const),
);

const rulesOf = Map.groupBy(lineRules, ([fact]) => fact);

/** Abilities of commands that a guide shows. */
const shownAbilities: ReadonlySet<Fact> = new Set(commands.map(([fact]) => fact));

/** What each line of code, and each command in a text, does. */
export const lineRule: FileRule = (file) =>
  file.statements.flatMap((line) => {
    const { facts, number } = line;
    const rules = [...facts.keys()].flatMap((fact) => rulesOf.get(fact) ?? []);
    const held = rules.filter(([, where]) => holds(where, line, file));
    const known = [...facts.keys()].filter((fact): fact is Fact & Code => fact in findings);
    const abilities = known.filter((fact) => file.role === "code" || shownAbilities.has(fact));
    const found = new Map<Code, [Severity, Fact]>(abilities.map((fact) => [fact, ["info", fact]]));
    // Code from a place that anybody may write to is worse; of several rules of a code, the first counts.
    for (const [fact, , severity, code] of held.toReversed())
      found.set(code, [code === "remote_code" && facts.has("odd") ? "danger" : severity, fact]);
    if (facts.has("odd")) found.set("unusual_host", ["info", "odd"]);
    return [...found].map(([code, [severity, fact]]) => {
      const at = facts.get(fact) ?? 0;
      // Of a secret, only the beginning is shown.
      const text =
        code === "secret" ? `${line.text.slice(at, at + 6)}…` : line.text.slice(Math.max(0, at - 60));
      return foundIn(file, { number, text }, severity, code);
    });
  });

function holds(where: Where, line: FactLine, file: ReviewedFile): boolean {
  const isCode = file.role === "code";
  if (where === "unaccounted") return line.facts.has("stranger") || (isCode && !line.facts.has("host"));
  const roles = { anywhere: [line.role], shown: ["data", "sample"], run: ["data"], code: [] };
  return isCode || (roles[where] as readonly string[]).includes(line.role);
}

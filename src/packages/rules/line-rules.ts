import { type FileRule, foundIn, type ReviewedFile, type Severity } from "../review-subject.ts";
import { commands, type Fact } from "./acts.ts";
import type { FactLine } from "./line-facts.ts";
import { type Code, meanings } from "./meanings.ts";

/**
 * Where a fact is more than an ability. `shown`: in code, data or a block of code in a guide; `run`: in code, or in data that a program
 * reads; `unaccounted`: with a host that the description does not account for, or, in code, with none.
 */
type Where = "anywhere" | "shown" | "code" | "run" | "unaccounted";

type LineRule = readonly [fact: Fact, where: Where, severity: Severity, code: Code];

/** Facts of one line that no skill has to have. Each has a hostile and an honest case in `review-rules.test.ts`. */
// biome-ignore format: one rule a line
export const lineRules = [
  ["encoded_command", "anywhere", "danger", "encoded_command"],
  ["encoded_code", "code", "danger", "encoded_command"],
  ["encoded_code", "anywhere", "warning", "encoded_command"],
  ["credential_theft", "anywhere", "danger", "credential_theft"],
  ["shell_to", "code", "danger", "backdoor"],
  ["shell_to", "anywhere", "warning", "backdoor"],
  ["backdoor", "code", "warning", "backdoor"],
  ["public_key", "anywhere", "warning", "backdoor"],
  ["foreign_role", "run", "warning", "backdoor"],
  ["range", "code", "warning", "backdoor"],
  ["account", "run", "warning", "fixed_account"],
  ["favours", "code", "warning", "fixed_account"],
  ["reads_credentials", "code", "warning", "reads_credentials"],
  ["lifts_rules", "shown", "warning", "disables_protection"],
  ["disables_protection", "code", "warning", "disables_protection"],
  ["redirects_agent", "run", "warning", "changes_agent"],
  ["plants", "code", "warning", "changes_agent"],
  ["persistence", "code", "warning", "persistence"],
  ["timed", "code", "warning", "persistence"],
  ["all_secrets", "anywhere", "warning", "sends_what_it_finds"],
  ["destructive", "code", "warning", "destructive"],
  ["remote_code", "unaccounted", "warning", "remote_code"],
  ["unpinned", "run", "warning", "remote_code"],
  ["saves_and_starts", "unaccounted", "warning", "remote_code"],
  ["foreign_registry", "unaccounted", "warning", "foreign_registry"],
  ["downloads_program", "unaccounted", "warning", "downloads_program"],
  ["sends_by_name", "anywhere", "warning", "sends_by_name"],
  ["secret", "anywhere", "warning", "secret"],
  ["unreadable_code", "run", "warning", "unreadable_code"],
  ["made_name", "code", "warning", "unreadable_code"],
  ["obfuscated", "code", "warning", "obfuscated"],
  ["second_receiver", "unaccounted", "warning", "sends_data"],
  ["blind_copy", "run", "warning", "sends_data"],
  ["sends_cells", "unaccounted", "warning", "sends_data"],
] as const satisfies readonly LineRule[];

const rulesOf: ReadonlyMap<Fact, readonly LineRule[]> = Map.groupBy(lineRules, ([fact]) => fact);

/** Abilities of commands that a guide shows. */
const shownAbilities: ReadonlySet<Fact> = new Set(commands.map(([fact]) => fact));

/** What each line of code, and each command in a text, does. */
export const lineRule: FileRule = (file) =>
  file.statements.flatMap((line) => {
    const { facts, number } = line;
    const rules = [...facts.keys()].flatMap((fact) => rulesOf.get(fact) ?? []);
    const held = rules.filter(([, where]) => holds(where, line, file));
    const known = [...facts.keys()].filter((fact): fact is Fact & Code => fact in meanings);
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

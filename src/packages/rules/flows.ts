import {
  type Capability,
  type Code,
  type FileRule,
  foundIn,
  type ReviewedFile,
  type ReviewSubject,
  type Severity,
} from "../review-subject.ts";
import { combinationsIn } from "./combinations.ts";
import { isExplained } from "./concepts.ts";
import { oddPlace } from "./hosts.ts";
import { type FactLine, factLines, inAnyText } from "./line-facts.ts";
import meanings from "./meanings.json" with { type: "json" };

const ranks: readonly Severity[] = ["info", "warning", "danger"];

/** What each line of code, each command in a text, does. */
export const lineRule: FileRule = (file, { purpose }) => {
  /** By line and code, the gravest: a long line comes in pieces. */
  const found = new Map<string, Capability>();
  const add = (line: FactLine, code: Code, severity: Severity, at = 0) => {
    const [key, text] = [`${line.number} ${code}`, line.text.slice(Math.max(0, at - 60))];
    const known = found.get(key);
    if (known !== undefined && ranks.indexOf(known.severity) >= ranks.indexOf(severity)) return;
    // Of a secret, only the beginning is shown.
    const shown = code === "secret" ? `${line.text.slice(at, at + 6)}…` : text;
    found.set(key, foundIn(file, { ...line, text: shown }, severity, code));
  };
  for (const line of factLines(file, purpose)) {
    const { facts, role } = line;
    for (const [fact, at] of facts)
      if (fact in meanings && (role === "code" || inAnyText.has(fact))) add(line, fact as Code, "info", at);
    if (facts.size === 1 || purpose.isAboutAttacks || (role !== "code" && isExplained(line.text))) continue;
    for (const { code, severity, terms } of combinationsIn("line", () => true, {
      stated: facts,
      meant: purpose.concepts,
    }))
      add(line, code, severity, facts.get(terms[0]?.facts.find((each) => facts.has(each)) ?? ""));
  }
  return [...found.values()];
};

const secrets = ["reads_credentials", "reads_whole_environment"];
const sources = [...secrets, "reads_identity", "reads_all_files"];
const senders = /\b(?:curl|wget|nc|ncat|scp|rsync|mail|ssh)\b/;

/**
 * What flows through code, or a command that a guide shows or data carries, from its sources to a host, and out of data into what runs,
 * where the purpose does not explain it. What one file gathers, another may send.
 */
export function flows(subject: ReviewSubject, capabilities: readonly Capability[]): Capability[] {
  const code = new Set(subject.files.flatMap(({ role, path }) => (role === "code" ? [path] : [])));
  const gathered = capabilities.filter((each) => sources.includes(each.code) && code.has(each.path ?? ""));
  const secret = gathered.find((each) => secrets.includes(each.code));
  const known = [["gathered_secret", secret] as const, ["gathered", gathered[0]] as const];
  const elsewhere = new Map(
    known.flatMap(([fact, place]) => (place === undefined ? [] : [[fact, place] as const])),
  );
  return subject.files.flatMap((file) => {
    const lines = factLines(file, subject.purpose);
    if (file.role === "code") return flowsOf(file, lines, elsewhere, subject);
    const commands = lines.filter(({ role, text }) => role !== "prose" && senders.test(text));
    return commands.flatMap((line) => flowsOf(file, [line], new Map(), subject));
  });
}

function flowsOf(
  file: ReviewedFile,
  lines: readonly FactLine[],
  gathered: ReadonlyMap<string, Capability>,
  { purpose: { isAboutAttacks, concepts: meant } }: ReviewSubject,
): Capability[] {
  const facts = new Map(gathered);
  const add = (fact: string, line: FactLine | undefined) => {
    if (line !== undefined && !facts.has(fact)) facts.set(fact, foundIn(file, line, "info", "sends_data"));
  };
  for (const line of lines) for (const fact of line.facts.keys()) add(fact, line);
  const sending = lines.find((line) => line.facts.has("posts") || line.facts.has("queries"));
  if (facts.has("given") && facts.has("reads")) add("whole", sending);
  if (lines.some(({ text }) => file.role === "code" && text.length >= 2_000)) add("minified", lines[0]);
  const to = [...new Set(lines.flatMap(({ strangers }) => strangers))].slice(0, 3).join(", ");
  const place = to === "" ? "a host" : `${to}, which its description does not name`;
  const messages: Record<string, string> = {
    unusual_host: `It contacts ${oddPlace(lines.find((line) => line.facts.has("odd"))?.text ?? "")}.`,
    sends_what_it_finds: `It gathers files, keys or variables and sends data to ${place}.`,
    sends_data: `It sends ${facts.has("whole") ? "files or texts" : "data"} to ${place}.`,
    unreadable_code: "What it calls or runs comes out of data, so that no reader sees what it does.",
  };
  const found = combinationsIn("flow", ({ severity }) => severity === "info" || !isAboutAttacks, {
    stated: facts,
    meant,
  });
  const isGathered = found.some(({ code }) => code === "sends_what_it_finds");
  return found.flatMap(({ code, severity, terms }): Capability[] => {
    const where = terms[0]?.facts.map((fact) => facts.get(fact)).find((each) => each !== undefined);
    if (where === undefined || (isGathered && code === "sends_data")) return [];
    return [{ ...where, severity, code, message: messages[code] ?? meanings[code] }];
  });
}

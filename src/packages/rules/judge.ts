import type { PackageFinding } from "../../core/skill/packages.ts";
import { type FileRule, foundIn, type ReviewedFile, type ReviewSubject } from "../review-subject.ts";
import { combinationsIn, type Held } from "./combinations.ts";
import { isExplained } from "./concepts.ts";
import { oddPlace } from "./hosts.ts";
import { type FactLine, inAnyText } from "./line-facts.ts";
import meanings from "./meanings.json" with { type: "json" };
import { sentencesOf } from "./sentences.ts";

/** What each line of code, each command in a text, does. */
export const lineRule: FileRule = (file, { purpose: { concepts: meant } }) =>
  file.statements.flatMap((line) => {
    const { facts, role, text } = line;
    const does = [...facts.keys()].filter((fact) => role === "code" || inAnyText.has(fact));
    const codes = does.filter((fact): fact is Held["code"] => fact in meanings);
    const own = codes.map((fact): Held => ({ code: fact, severity: "info", fact }));
    const isMeant = role === "code" || facts.has("imposter") || (!facts.has("quoted") && !isExplained(text));
    const held = facts.size === 1 ? [] : combinationsIn("line", { stated: facts, meant }, { isMeant });
    const gravest = new Map([...own, ...held].map((each) => [each.code, each]));
    return [...gravest.values()].map(({ code, severity, fact }) => {
      const at = facts.get(fact) ?? 0;
      // Of a secret, only the beginning is shown.
      const shown = code === "secret" ? `${text.slice(at, at + 6)}…` : text.slice(Math.max(0, at - 60));
      return foundIn(file, { ...line, text: shown }, severity, code);
    });
  });

/** Files with the terms of a licence, and what these speak of. */
const licences = /(?:^|[/._-])(?:licen[cs]e|copying|notice|ofl)\b[^/]{0,40}$/i;
const terms: ReadonlySet<string> = new Set(["steers_answers", "claims_consent"]);

/**
 * What prose makes an agent do against, or past, the people it works for. What warns of attacks quotes them and says what happens, but orders
 * nothing; and people may ask for what they like.
 */
export const proseRule: FileRule = (file, subject) => {
  const { concepts: meant, isAboutAttacks } = subject.purpose;
  return sentencesOf(file, subject).flatMap((sentence) => {
    const { stated, ordered, line: number, text } = sentence;
    const isQuoting = isAboutAttacks && (stated.has("hidden") || /["“`][^"”`]{20}|\||^\s*>/.test(text));
    const isWished = stated.has("wish") && !stated.has("hidden");
    const orders = !stated.has("attack") && !isWished && !isQuoting;
    // An order to send to somebody or to agree for good is one in a skill about attacks as well.
    const isTold = ordered.size > 0 && ["host", "person", "button"].some((fact) => stated.has(fact));
    const counted = { isMeant: orders && (isTold || !isAboutAttacks), orders };
    const held = combinationsIn("prose", { ...sentence, meant }, counted);
    const counting = licences.test(file.path) ? held.filter(({ code }) => !terms.has(code)) : held;
    return counting.map(({ severity, code }) => foundIn(file, { number, text }, severity, code));
  });
};

const secrets = ["reads_credentials", "reads_whole_environment"];
const sources = [...secrets, "reads_identity", "reads_all_files"];
const senders = /\b(?:curl|wget|nc|ncat|scp|rsync|mail|ssh|dblink\w*)\b[ (]/;

/**
 * What flows through code, or a command that a guide shows or data carries, from its sources to a host, and out of data into what runs,
 * where the purpose does not explain it. What one file of code gathers, another may send.
 */
export function flows(subject: ReviewSubject, capabilities: readonly PackageFinding[]): PackageFinding[] {
  const code = new Set(subject.files.flatMap(({ role, path }) => (role === "code" ? [path] : [])));
  const gathered = (codes: readonly string[]) =>
    capabilities.find((each) => codes.includes(each.code) && code.has(each.path ?? ""));
  const elsewhere = { gathered: gathered(sources), gathered_secret: gathered(secrets) };
  return subject.files.flatMap((file) => {
    if (file.role === "code") return flowsOf(file, file.statements, elsewhere, subject);
    const others = [0, ...file.statements.flatMap(({ role }, at) => (role === "sample" ? [] : [at]))];
    // A block of code in a guide, with the line before it.
    const blocks = others.map((at, index) => file.statements.slice(at, others[index + 1]));
    const shown = blocks.filter((lines) => lines.some(({ text }) => senders.test(text)));
    return shown.flatMap((lines) => flowsOf(file, lines, {}, subject));
  });
}

function flowsOf(
  file: ReviewedFile,
  lines: readonly FactLine[],
  gathered: Record<string, PackageFinding | undefined>,
  { purpose: { isAboutAttacks, concepts: meant } }: ReviewSubject,
): PackageFinding[] {
  const facts = new Map(Object.entries(gathered).flatMap(([fact, place]) => (place ? [[fact, place]] : [])));
  const add = (fact: string, line: FactLine | undefined) => {
    if (line !== undefined && !facts.has(fact)) facts.set(fact, foundIn(file, line, "info", "sends_data"));
  };
  for (const line of lines) for (const fact of line.facts.keys()) add(fact, line);
  const sending = lines.find((line) => line.facts.has("posts") || line.facts.has("queries"));
  if (facts.has("given") && facts.has("reads")) add("whole", sending);
  const to = [...new Set(lines.flatMap(({ strangers }) => strangers))].slice(0, 3).join(", ");
  const place = to === "" ? "a host" : `${to}, which its description does not name`;
  const messages: Record<string, string> = {
    unusual_host: `It contacts ${oddPlace(lines.find((line) => line.facts.has("odd"))?.text ?? "") ?? `${to}, which neither its description nor its guide names`}.`,
    sends_what_it_finds: `It gathers files, keys or variables and sends data to ${place}.`,
    sends_data: `It sends ${facts.has("whole") ? "files or texts" : "data"} to ${place}.`,
    backdoor: "It makes passwords in a way that others can repeat.",
    unreadable_code: "What it calls or runs comes out of data, so that no reader sees what it does.",
  };
  const isMeant = file.role === "code" || !isAboutAttacks;
  return combinationsIn("flow", { stated: facts, meant }, { isMeant }).flatMap(({ code, severity, fact }) => {
    const message = messages[code] ?? meanings[code];
    return facts.has(fact) ? [{ ...(facts.get(fact) as PackageFinding), severity, code, message }] : [];
  });
}

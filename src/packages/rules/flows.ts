import type { ReviewedLine } from "../review-lines.ts";
import { type Capability, foundIn, type ReviewedFile, type ReviewSubject } from "../review-subject.ts";
import { actsOf } from "./acts.ts";
import { type Combination, combinationsIn } from "./combinations.ts";
import { hostsReached, oddPlace } from "./hosts.ts";
import meanings from "./meanings.json" with { type: "json" };

const secrets = ["reads_credentials", "reads_whole_environment"];
const sources = [...secrets, "reads_identity", "reads_all_files"];
/** `OPENROUTER` of `OPENROUTER_API_KEY`. */
const keyNames =
  /\b(?!API|ACCESS|AUTH|CLIENT|SECRET|BASE|USER|KNACK)[A-Z][A-Z0-9]{3,30}(?=_(?:[A-Z]+_)?(?:KEY|TOKEN|SECRET)\b)/g;
const senders = /\b(?:curl|wget|nc|ncat|scp|rsync|mail|ssh)\b/;

/** Which act, where. */
type Acts = Map<string, Capability>;

/**
 * What flows through code, or a command that a guide shows or data carries, from its sources to a host, and out of data into what runs,
 * where the purpose does not explain it.
 */
export function flows(subject: ReviewSubject, capabilities: readonly Capability[]): Capability[] {
  const code = new Set(subject.files.flatMap(({ role, path }) => (role === "code" ? [path] : [])));
  const gathered = capabilities.filter((each) => sources.includes(each.code) && code.has(each.path ?? ""));
  return subject.files.flatMap((file) => {
    if (file.role !== "code") {
      const commands = file.lines.filter(({ role, text }) => role !== "prose" && senders.test(text));
      return commands.flatMap((line) => flowsOf(file, [line], new Map(), subject));
    }
    const own = capabilities.filter(({ path }) => path === file.path);
    const acts: Acts = new Map(own.toReversed().map((each) => [each.code, each]));
    const secret = gathered.find((each) => secrets.includes(each.code));
    for (const [act, place] of [["gathered_secret", secret] as const, ["gathered", gathered[0]] as const])
      if (place !== undefined) acts.set(act, place);
    return flowsOf(file, file.statements, acts, subject);
  });
}

function flowsOf(
  file: ReviewedFile,
  lines: readonly ReviewedLine[],
  acts: Acts,
  subject: ReviewSubject,
): Capability[] {
  const { isAboutAttacks, concepts: meant } = subject.purpose;
  const statements = statementsOf(lines, subject);
  const add = (act: string, line: ReviewedLine | undefined) => {
    if (line !== undefined && !acts.has(act)) acts.set(act, foundIn(file, line, "info", "sends_data"));
  };
  for (const each of statements) for (const act of each.acts) add(act, each.line);
  const sending = statements.find((each) => each.acts.has("posts") || each.acts.has("queries"))?.line;
  const odd = statements.find(({ isOdd }) => isOdd)?.line;
  add("odd", odd);
  add("stranger", statements.find(({ unknown }) => unknown.length > 0)?.line);
  if (acts.has("given") && acts.has("reads")) add("whole", sending);
  if (file.role === "code") add("code", lines[0]);
  const to = [...new Set(statements.flatMap(({ unknown }) => unknown))].slice(0, 3).join(", ");
  const place = to === "" ? "a host" : `${to}, which its description does not name`;
  const messages: Record<string, string> = {
    unusual_host: `It contacts ${oddPlace(odd?.text ?? "")}.`,
    sends_what_it_finds: `It gathers files, keys or variables and sends data to ${place}.`,
    sends_data: `It sends ${acts.has("whole") ? "files or texts" : "data"} to ${place}.`,
    unreadable_code: "What it calls or runs comes out of data, so that no reader sees what it does.",
  };
  const counts = ({ severity }: Combination) => severity === "info" || !isAboutAttacks;
  const found = combinationsIn("code", counts, { stated: acts, meant });
  const isGathered = found.some(({ code }) => code === "sends_what_it_finds");
  return found.flatMap(({ code, severity, terms }): Capability[] => {
    const where = terms[0]?.facts.map((fact) => acts.get(fact)).find((each) => each !== undefined);
    if (where === undefined || (isGathered && code === "sends_data")) return [];
    return [{ ...where, severity, code, message: messages[code] ?? meanings[code] }];
  });
}

/** What statements do, and the hosts they name that the purpose does not. */
function statementsOf(lines: readonly ReviewedLine[], { purpose }: ReviewSubject) {
  const keyed = new Set(
    lines.flatMap(({ text }) => text.match(keyNames) ?? []).map((name) => name.toLowerCase()),
  );
  const isKnown = (host: string, place: string) =>
    purpose.isAboutAttacks || purpose.names(place) || [...keyed].some((name) => host.includes(name));
  return lines.map((line) => {
    const places = hostsReached(line.text);
    const unknown = places.filter(({ host, place }) => !isKnown(host, place)).map(({ host }) => host);
    const isOdd = oddPlace(line.text) !== undefined && unknown.length === places.length;
    return { line, acts: actsOf(line.text), unknown, isOdd };
  });
}

import type { PackageFinding } from "../../core/skill/packages.ts";
import { foundIn, type ReviewedFile, type ReviewSubject, type Severity } from "../review-subject.ts";
import type { Fact } from "./acts.ts";
import { type Code, findings } from "./findings.ts";
import { hostsIn, oddPlace } from "./hosts.ts";
import type { FactLine } from "./line-facts.ts";

/** Whether a file, or a shown command, has all of these facts. One with a bar: any of them. */
type Has = (...facts: Fact[]) => boolean;

interface FlowRule {
  code: Code;
  severity: Severity;
  /** In files of code, or in what texts and data show and carry. */
  of: "code" | "shown";
  /** The place that is shown. */
  at: readonly Fact[];
  holds(has: Has, any: Has): boolean;
}

const sources: readonly Fact[] = [
  "reads_credentials",
  "reads_whole_environment",
  "reads_identity",
  "reads_all_files",
];
const secrets = sources.slice(0, 2);
const sending: readonly Fact[] = ["posts", "queries"];

/** What flows from its sources to a host, and out of data into what runs. Each has a hostile and an honest case in `review-rules.test.ts`. */
// biome-ignore format: one rule a paragraph
export const flowRules: readonly FlowRule[] = [
  { code: "sends_what_it_finds", severity: "danger", of: "code", at: secrets,
    holds: (has, any) => has("network", "stranger", "odd") && any(...sending) && any(...secrets) },
  { code: "sends_what_it_finds", severity: "warning", of: "code", at: sources,
    holds: (has, any) => has("network", "stranger") && any(...sending) && (any(...secrets) || (any(...sources) && !has("key"))) },
  { code: "sends_what_it_finds", severity: "warning", of: "shown", at: secrets,
    holds: (has, any) => has("network", "stranger") && any(...sending) && any(...secrets) },
  { code: "sends_data", severity: "warning", of: "code", at: ["whole", "posts", "queries"],
    holds: (has, any) => has("network", "stranger") && (any("whole", "posts") || (any("queries") && has("given", "reads"))) && !any("key", ...sources) },
  { code: "sends_data", severity: "warning", of: "shown", at: ["whole", "carries"],
    holds: (has, any) => has("network", "stranger") && any("whole", "carries") },
  { code: "sends_data", severity: "warning", of: "code", at: ["addressee"], holds: (has) => has("addressee") },
  { code: "sends_data", severity: "info", of: "code", at: ["posts", "queries"],
    holds: (has, any) => has("network") && any(...sending) },
  { code: "unusual_host", severity: "warning", of: "code", at: ["odd"], holds: (has) => has("odd", "network") },
  { code: "unusual_host", severity: "warning", of: "code", at: ["untold"], holds: (has, any) => has("untold") && any("network", "queries") && !has("minified") },
  { code: "unusual_host", severity: "warning", of: "code", at: ["domain"], holds: (has) => has("domain", "network", "posts") && !has("looks_up") },
  { code: "sends_by_name", severity: "warning", of: "code", at: ["looks_up"],
    holds: (has, any) => has("looks_up") && (has("domain") || any(...secrets)) },
  { code: "changes_agent", severity: "warning", of: "code", at: ["edits_skills"], holds: (has) => has("edits_skills", "writes") },
  { code: "runs_what_it_fetches", severity: "warning", of: "code", at: ["runs_text"],
    holds: (has) => has("runs_text", "stranger", "network") && !has("minified") },
  { code: "backdoor", severity: "warning", of: "code", at: ["weak_random"],
    holds: (has) => has("weak_random", "draws_letters") && !has("secure_random") },
  { code: "unreadable_code", severity: "warning", of: "code", at: ["loads_named", "decodes"],
    holds: (has, any) => any("dynamic_code", "runs_programs") && !has("minified") &&
      (has("data", "loads_named", "calls_named") || has("decodes", "runs_text")) },
];

/** Commands that send. */
const senders = /\b(?:curl|wget|nc|ncat|scp|rsync|mail|ssh|dblink\w*)\b[ (]/;

/** What flows through each file. What one file of code gathers, another may send. */
export function flows({ files }: ReviewSubject): PackageFinding[] {
  const code = files.filter(({ role }) => role === "code").flatMap(({ statements }) => statements);
  const gathered = sources.filter((fact) => code.some(({ facts }) => facts.has(fact)));
  return files.flatMap((file) => {
    if (file.role === "code") return flowsIn(file, file.statements, gathered);
    const blocks = [...Map.groupBy(file.statements, ({ block }) => block).values()];
    const shown = blocks.filter((lines) => lines.some(({ text }) => senders.test(text)));
    return shown.flatMap((lines) => flowsIn(file, lines, []));
  });
}

function flowsIn(
  file: ReviewedFile,
  lines: readonly FactLine[],
  gathered: readonly Fact[],
): PackageFinding[] {
  const first = new Map<Fact, FactLine>();
  for (const line of lines.toReversed()) for (const fact of line.facts.keys()) first.set(fact, line);
  const any: Has = (...facts) => facts.some((fact) => first.has(fact) || gathered.includes(fact));
  const has: Has = (...facts) => facts.every((fact) => any(fact));
  const to = [...new Set(lines.flatMap((line) => line.strangers))].slice(0, 3).join(", ");
  const held = flowRules.filter(
    (rule) => (rule.of === "code") === (file.role === "code") && rule.holds(has, any),
  );
  const once = new Map(held.toReversed().map((rule) => [rule.code, rule]));
  return [...once.values()].flatMap(({ code, severity, at }) => {
    const line = [...at, "network" as const].flatMap((fact) => first.get(fact) ?? [])[0] ?? lines[0];
    return line === undefined ? [] : [foundIn(file, line, severity, code, messageOf(code, to, line))];
  });
}

function messageOf(code: Code, strangers: string, { text }: FactLine): string {
  const to = strangers === "" ? "a host" : `${strangers}, which its description does not name`;
  if (code === "unusual_host") return `It contacts ${oddPlace(text, hostsIn(text, true)) ?? to}.`;
  return findings[code][0].replace(/to a host\.$/, `to ${to}.`);
}

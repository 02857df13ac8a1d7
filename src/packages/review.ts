import { setImmediate } from "node:timers/promises";
import type { GuideReader, PackageFinding, PackageReview } from "../core/skill/packages.ts";
import type { Diagnostic, Skill } from "../core/skill/skill.ts";
import type { PackageFile } from "./package-tree.ts";
import {
  type FileRule,
  maxReviewed,
  type ReviewedFile,
  type ReviewSubject,
  reviewedFile,
} from "./review-subject.ts";
import { disguisedTextRule } from "./rules/disguised-text.ts";
import { flows, lineRule } from "./rules/flows.ts";
import { hostsOf, variablesOf } from "./rules/hosts.ts";
import { fileKindRule, manifestRule, nameFindings } from "./rules/package-rules.ts";
import { proseRule } from "./rules/prose-rules.ts";
import { purposeOf } from "./rules/purpose.ts";

const rules: readonly FileRule[] = [fileKindRule, disguisedTextRule, lineRule, proseRule, manifestRule];

const ranks = { danger: 0, warning: 1, info: 2 };

/** Maximum findings of one code in one file, and of all. The others are counted. */
const maxAlike = 5;
const maxFindings = 200;

export interface ReviewRequest {
  skill: Skill;
  files: readonly PackageFile[];
  shipped: readonly Skill[];
  /** The isolation of its code here. */
  isolation: string;
  /** Diagnostics of the loader. */
  diagnostics?: readonly Diagnostic[];
  /** Findings made while the files were read. */
  further?: readonly PackageFinding[];
  reader?: GuideReader | undefined;
  signal: AbortSignal;
}

/**
 * Describes a skill and its abilities, without running any of it. Lets other work run between the rules and files.
 * @throws the signal's reason on abort.
 */
export async function reviewSkillFiles(request: ReviewRequest): Promise<PackageReview> {
  const { skill, shipped, signal } = request;
  const guide = request.files.find(({ path }) => path === "SKILL.md");
  const purpose = purposeOf(skill, guide?.data.toString("utf8", 0, maxReviewed) ?? "");
  const files: ReviewedFile[] = [];
  for (const file of request.files) {
    await setImmediate();
    files.push(reviewedFile(file, purpose));
  }
  const subject: ReviewSubject = { skill, files, shipped, purpose };
  const capabilities: PackageFinding[] = [];
  for (const file of files) {
    for (const rule of rules) {
      await setImmediate();
      signal.throwIfAborted();
      capabilities.push(...fewer(rule(file, subject)));
    }
  }
  const code = files.filter(({ role }) => role === "code");
  const variables = variablesOf(code.flatMap(({ path, lines }) => lines.map((line) => ({ ...line, path }))));
  const findings = [
    ...(request.further ?? []),
    ...capabilities,
    ...flows(subject, capabilities),
    ...nameFindings(subject),
    ...wholeFindings(request, variables),
    ...(request.reader === undefined ? [] : [await request.reader(skill, signal)]),
  ];
  return {
    skill_id: skill.id,
    name: skill.name,
    description: skill.description,
    version: skill.version,
    kind: skill.kind,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    hash: skill.hash,
    bins: [...new Set([...skill.requires.bins, ...skill.requires.anyBins])].toSorted(),
    env: [...new Set([...skill.requires.env, ...variables.keys()])].toSorted(),
    scripts: files
      .filter(isScript)
      .map(({ path }) => path)
      .slice(0, 200),
    hosts: [...new Set([...hostsOf(files), ...keyPlaces(skill).map(([, { host }]) => host)])].toSorted(),
    isolation: request.isolation,
    findings: sorted(findings),
  };
}

function isScript({ role, content, executable }: ReviewedFile): boolean {
  return role === "code" || content === "program" || (executable && content === "text");
}

/** Findings that concern the skill as a whole. */
function wholeFindings(
  { skill, diagnostics = [] }: ReviewRequest,
  variables: ReadonlyMap<string, { path: string; line: number }>,
): PackageFinding[] {
  const undeclared = [...variables].filter(([name]) => !skill.requires.env.includes(name));
  const info = (code: string, message: string): PackageFinding => ({ severity: "info", code, message });
  return [
    ...undeclared.map(([name, place]): PackageFinding => {
      const message = `Its code reads the variable ${name}, which it does not declare; it will not get it.`;
      const severity = /^(?:KNACK|LINX)_/.test(name) ? "warning" : "info";
      return { severity, code: "undeclared_env", message, ...place };
    }),
    ...keyPlaces(skill).map(([name, { host, header }]) => {
      const message = `The value of ${name} is put into ${header.split(":")[0]} of its requests to ${host}; in the sandbox, its code does not get it.`;
      return info("key_kept_outside", message);
    }),
    ...(skill.active ? [info("asks_to_be_active", startsActive)] : []),
    ...diagnostics.filter(({ severity }) => severity !== "info").map((each) => info(each.code, each.message)),
  ];
}

const startsActive = "It asks to be active from the start. An installed skill never is: people enable it.";

function keyPlaces({ requires: { keys = {} } }: ReviewSubject["skill"]) {
  return Object.entries(keys);
}

/** The first of each code, and how many more there are. */
function fewer(findings: readonly PackageFinding[]): PackageFinding[] {
  const alike = Map.groupBy(findings, ({ code, severity }) => `${severity} ${code}`);
  return [...alike.values()].flatMap((all) => {
    const [first, more] = [all[0], all.length - maxAlike];
    if (first === undefined || more <= 0) return all;
    const { severity, code, path = "" } = first;
    const message = `There are ${more} more places like this in the file.`;
    return [...all.slice(0, maxAlike), { severity, code, message, path }];
  });
}

function sorted(findings: readonly PackageFinding[]): PackageFinding[] {
  const gravest = findings.toSorted((a, b) => ranks[a.severity] - ranks[b.severity]);
  const shown = gravest.slice(0, maxFindings);
  if (shown.length === gravest.length) return shown;
  const message = `There are ${gravest.length - shown.length} further findings, none more severe than the last one here.`;
  const severity = gravest[maxFindings]?.severity ?? "info";
  return [...shown, { severity, code: "more_findings", message }];
}

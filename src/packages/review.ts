import { setImmediate } from "node:timers/promises";
import { looseText } from "../base/decode-text.ts";
import { skillDocument } from "../base/skill-places.ts";
import type { GuideReader, PackageFinding, PackageReview } from "../core/skill/packages.ts";
import type { Diagnostic, Skill } from "../core/skill/skill.ts";
import type { PackageFile } from "./package-tree.ts";
import { type FileRule, maxReviewed, type ReviewedFile, reviewedFile } from "./review-subject.ts";
import { disguisedTextRule } from "./rules/disguised-text.ts";
import { hostsOf, type Variables, variablesOf } from "./rules/hosts.ts";
import { flows, lineRule, proseRule } from "./rules/judge.ts";
import { fileKindRule, manifestRule, nameFindings } from "./rules/package-rules.ts";
import { purposeOf } from "./rules/purpose.ts";

const rules: readonly FileRule[] = [fileKindRule, disguisedTextRule, lineRule, proseRule, manifestRule];

const ranks = { danger: 0, warning: 1, info: 2 };

/** Maximum findings of one code in one file, and of all. The others are counted. */
const [maxAlike, maxFindings] = [5, 200];

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
  const name = skillDocument(request.files.map(({ path }) => path));
  const guide = request.files.find(({ path }) => path === name)?.data.subarray(0, maxReviewed);
  const purpose = purposeOf(skill, guide === undefined ? "" : looseText(guide));
  const files: ReviewedFile[] = [];
  const subject = { skill, files, shipped, purpose };
  for (const file of request.files) {
    await setImmediate();
    files.push(reviewedFile(file, purpose));
  }
  const capabilities: PackageFinding[] = [];
  for (const [file, rule] of files.flatMap((each) => rules.map((one) => [each, one] as const))) {
    await setImmediate();
    signal.throwIfAborted();
    capabilities.push(...fewer(rule(file, subject)));
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
  const scripts = files.filter(
    ({ role, content, executable }) =>
      role === "code" || content === "program" || (executable && content === "text"),
  );
  const keyHosts = Object.values(skill.requires.keys ?? {}).map(({ host }) => host);
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
    scripts: scripts.slice(0, 200).map(({ path }) => path),
    hosts: [...new Set([...hostsOf(files), ...keyHosts])].toSorted(),
    isolation: request.isolation,
    findings: sorted(findings),
  };
}

/** Findings that concern the skill as a whole. */
function wholeFindings({ skill, diagnostics = [] }: ReviewRequest, variables: Variables): PackageFinding[] {
  const info = (code: string, message: string): PackageFinding => ({ severity: "info", code, message });
  const undeclared = [...variables].filter(([name]) => !skill.requires.env.includes(name));
  const reads = undeclared.map(([name, place]): PackageFinding => {
    const message = `Its code reads the variable ${name}, which it does not declare; it will not get it.`;
    const severity = /^(?:KNACK|LINX)_/.test(name) ? "warning" : "info";
    return { severity, code: "undeclared_env", message, ...place };
  });
  const kept = Object.entries(skill.requires.keys ?? {}).map(([name, { host, header }]) => {
    const message = `The value of ${name} is put into ${header.split(":")[0]} of its requests to ${host}; in the sandbox, its code does not get it.`;
    return info("key_kept_outside", message);
  });
  const starts = "It asks to be active from the start. An installed skill never is: people enable it.";
  const grave = diagnostics.filter(({ severity }) => severity !== "info");
  return [
    ...reads,
    ...kept,
    ...(skill.active ? [info("asks_to_be_active", starts)] : []),
    ...grave.map(({ code, message }) => info(code, message)),
  ];
}

/** The first of each code, and how many more there are. */
function fewer(findings: readonly PackageFinding[]): PackageFinding[] {
  const alike = Map.groupBy(findings, ({ code, severity }) => `${severity} ${code}`);
  return [...alike.values()].flatMap((all) => {
    const { severity, code, path = "" } = all[0] as PackageFinding;
    const message = `There are ${all.length - maxAlike} more places like this in the file.`;
    return all.length <= maxAlike ? all : [...all.slice(0, maxAlike), { severity, code, message, path }];
  });
}

/** The gravest first, each meaning once for a line, and how many are left out. */
function sorted(findings: readonly PackageFinding[]): PackageFinding[] {
  const ranked = findings.toSorted((a, b) => ranks[a.severity] - ranks[b.severity]);
  const alike = Map.groupBy(ranked, ({ code, path, line, message }) => `${code} ${path} ${line} ${message}`);
  const gravest = [...alike.values()].flatMap(([first]) => first ?? []);
  const next = gravest[maxFindings];
  if (next === undefined) return gravest;
  const message = `There are ${gravest.length - maxFindings} further findings, none more severe than the last one here.`;
  return [...gravest.slice(0, maxFindings), { severity: next.severity, code: "more_findings", message }];
}

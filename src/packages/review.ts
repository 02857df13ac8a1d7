import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { looseText } from "../base/decode-text.ts";
import { skillDocument } from "../base/skill-places.ts";
import type { Slots } from "../base/slots.ts";
import type { PackageFinding, PackageReading, PackageReview } from "../core/skill/packages.ts";
import type { Diagnostic, Skill } from "../core/skill/skill.ts";
import type { PackageSkills, PackageUnit } from "./layout/package-skills.ts";
import type { PackageLimits } from "./package-limits.ts";
import type { PackageFile } from "./package-tree.ts";
import { readInPlace } from "./read-folder.ts";
import { type FileRule, maxReviewed, type ReviewedFile, reviewedFile } from "./review-subject.ts";
import { flows } from "./rules/flows.ts";
import { hiddenTextRule } from "./rules/hidden-text.ts";
import { accountedBy, hostsIn, variablesIn } from "./rules/hosts.ts";
import { lineRule } from "./rules/line-rules.ts";
import { fileKindRule, manifestRule, nameFindings } from "./rules/package-rules.ts";

const rules: readonly FileRule[] = [fileKindRule, hiddenTextRule, lineRule, manifestRule];

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
  signal: AbortSignal;
}

/**
 * Describes a skill and its abilities, without running any of it. Lets other work run between the files.
 * @throws the signal's reason on abort.
 */
export async function reviewSkillFiles(request: ReviewRequest): Promise<PackageReview> {
  const { skill, shipped, signal } = request;
  const name = skillDocument(request.files.map(({ path }) => path));
  const guide = request.files.find(({ path }) => path === name)?.data.subarray(0, maxReviewed);
  // Its headings have its own name, which is no reason to trust a host of that name.
  const told = guide === undefined ? "" : looseText(guide).replace(/^#.*$/gm, "");
  const accounts = { named: accountedBy(skill), told: accountedBy(skill, told) };
  const files: ReviewedFile[] = [];
  const subject = { skill, files, shipped, accounts };
  const found: PackageFinding[] = [];
  for (const each of request.files) {
    await setImmediate();
    signal.throwIfAborted();
    const file = reviewedFile(each, accounts);
    files.push(file);
    for (const rule of rules) found.push(...fewer(rule(file, subject)));
  }
  const variables = variablesOf(files);
  const findings = [
    ...(request.further ?? []),
    ...found,
    ...flows(subject),
    ...nameFindings(subject),
    ...wholeFindings(request, variables),
  ];
  const scripts = files.filter(
    ({ role, content, executable }) =>
      role === "code" || content === "program" || (executable && content === "text"),
  );
  const keyHosts = Object.values(skill.requires.keys ?? {}).map(({ host }) => host);
  const { id: skill_id, description, version, kind, hash, requires } = skill;
  return {
    ...{ skill_id, name: skill.name, description, version, kind, hash },
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    bins: [...new Set([...requires.bins, ...requires.anyBins])].toSorted(),
    env: [...new Set([...requires.env, ...variables.keys()])].toSorted(),
    scripts: scripts.slice(0, 200).map(({ path }) => path),
    hosts: [...new Set([...hostsOf(files), ...keyHosts])].toSorted(),
    isolation: request.isolation,
    findings: sorted(findings),
  };
}

/** Maximum hosts and variables that are listed. */
const maxNames = 100;

/** All hosts that code and text name, in order. */
function hostsOf(files: readonly ReviewedFile[]): string[] {
  const lines = files.flatMap((file) => file.lines);
  const named = lines.flatMap(({ text }) => (text.includes("://") ? hostsIn(text, false) : []));
  return [...new Set(named)].slice(0, maxNames);
}

type Variables = ReadonlyMap<string, { path: string; line: number }>;

/** Variables that code reads, with the first place. */
function variablesOf(files: readonly ReviewedFile[]): Variables {
  const found = new Map<string, { path: string; line: number }>();
  const code = files.filter(({ role }) => role === "code");
  for (const { path, lines } of code)
    for (const { text, number: line } of lines)
      for (const name of variablesIn(text))
        if (!found.has(name) && found.size < maxNames) found.set(name, { path, line });
  return found;
}

/** Findings that concern the skill as a whole. */
function wholeFindings(
  { skill, shipped, diagnostics = [] }: ReviewRequest,
  variables: Variables,
): PackageFinding[] {
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
  const words = new Set(skill.instructions.match(/\w+/g));
  const tools = shipped
    .flatMap(({ tools }) => tools.map(({ name }) => name))
    .filter((name) => words.has(name));
  const acts = `It has the agent act through tools of the bot: ${tools.slice(0, 10).join(", ")}.`;
  const grave = diagnostics.filter(({ severity }) => severity !== "info");
  return [
    ...reads,
    ...kept,
    ...(tools.length > 0 ? [info("acts_through_tools", acts)] : []),
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

export interface UnitReviewContext extends Pick<PackageReading, "signal" | "onReviewed"> {
  shipped: readonly Skill[];
  isolation(skill: Skill): string | Promise<string>;
  limits: PackageLimits;
}

/** Reviews a laid-out package, from the very files that would be installed. Nothing is read any more when this has ended. */
export async function reviewUnits(
  { units, diagnostics }: PackageSkills,
  { slots, ...context }: UnitReviewContext & { slots: Slots },
): Promise<PackageReview[]> {
  const total = units.reduce((sum, { skills }) => sum + skills.length, 0);
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  let done = 0;
  const reviewUnit = async ({ path, skills }: PackageUnit) => {
    const { files } = await readInPlace(path, context.limits, signal);
    const reviews: PackageReview[] = [];
    for (const skill of skills) {
      // Paths of diagnostics are those of the unpacked package, where folders may have other names.
      const own = diagnostics.filter((each) =>
        each.path.split(/[\\/]/).includes(basename(skill.origin.path)),
      );
      const isolation = await context.isolation(skill);
      reviews.push(await reviewSkillFiles({ ...context, skill, files, isolation, diagnostics: own, signal }));
      done += 1;
      context.onReviewed?.(skill, done, total);
    }
    return reviews;
  };
  const reviewed = units.map((unit) =>
    slots
      .run(signal, () => reviewUnit(unit))
      .catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
  );
  await Promise.allSettled(reviewed);
  context.signal.throwIfAborted();
  failed.signal.throwIfAborted();
  return (await Promise.all(reviewed)).flat();
}

/**
 * Reviews a skill at its place, wherever it came from: a reason that would prevent an installation is a finding here.
 * @throws PackageRefusal when it has no files that can be read.
 */
export async function reviewInstalled(skill: Skill, context: UnitReviewContext): Promise<PackageReview> {
  const { files, findings } = await readInPlace(skill.origin.path, context.limits, context.signal);
  const isolation = await context.isolation(skill);
  return await reviewSkillFiles({ ...context, skill, files, isolation, further: findings });
}

import { lstat, realpath } from "node:fs/promises";
import { basename } from "node:path";
import { errorCode } from "../base/error-text.ts";
import type { PackageFinding, PackageReview } from "../core/skill/packages.ts";
import type { Diagnostic, Skill } from "../core/skill/skill.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { PackageSkills } from "./package-skills.ts";
import type { PackageFile } from "./package-tree.ts";
import { readFolder, readOneFile } from "./read-folder.ts";
import { readForReview } from "./read-for-review.ts";
import { reviewSkillFiles } from "./review.ts";

export interface UnitReviewContext {
  shipped: readonly Skill[];
  isolation(skill: Skill): string | Promise<string>;
  limits: PackageLimits;
  signal: AbortSignal;
}

/** Reviews what is laid out to be installed, from the very files that would be. */
export async function reviewUnits(
  found: PackageSkills,
  context: UnitReviewContext,
): Promise<PackageReview[]> {
  const reviews: PackageReview[] = [];
  for (const { path, skills } of found.units) {
    const files = await filesOf(path, context);
    for (const skill of skills) {
      const diagnostics = found.diagnostics.filter((each) => isAbout(each, skill));
      const isolation = await context.isolation(skill);
      reviews.push(await reviewSkillFiles({ ...context, skill, files, isolation, diagnostics }));
    }
  }
  const [first] = reviews;
  first?.findings.push(...packageFindings(found));
  return reviews;
}

/** Paths of diagnostics are those of the unpacked package, where folders may have other names. */
function isAbout({ path }: Diagnostic, { origin }: Skill): boolean {
  return path.split(/[\\/]/).includes(basename(origin.path));
}

function packageFindings({ unused, diagnostics, units }: PackageSkills): PackageFinding[] {
  const findings: PackageFinding[] = [];
  if (unused > 0) {
    const message = `${unused} ${unused === 1 ? "file of the package belongs" : "files of the package belong"} to no skill and will not be installed.`;
    findings.push({ severity: "info", code: "unused_files", message });
  }
  const names = new Set(units.map(({ name }) => name));
  const failed = diagnostics.filter(
    ({ severity, path }) => severity === "error" && !path.split(/[\\/]/).some((part) => names.has(part)),
  );
  for (const { code, message, path } of failed.slice(0, 10)) {
    const shown = `One skill of the package cannot be loaded and will not be installed: ${message}`;
    findings.push({ severity: "info", code, message: shown, path: path.split(/[\\/]/).slice(-2).join("/") });
  }
  return findings;
}

/**
 * Reviews a skill where it lies, whoever put it there: what would keep a package from being installed is a finding here.
 * @throws PackageRefusal when it has no files that can be read.
 */
export async function reviewInstalled(skill: Skill, context: UnitReviewContext): Promise<PackageReview> {
  const real = await placeOf(skill.origin.path);
  const { files, findings } = await readForReview(real, context.limits, context.signal);
  const isolation = await context.isolation(skill);
  return await reviewSkillFiles({ ...context, skill, files, isolation, further: findings });
}

async function filesOf(path: string, { limits, signal }: UnitReviewContext): Promise<PackageFile[]> {
  if ((await lstat(path)).isDirectory()) return await readFolder(path, limits, signal);
  const data = await readOneFile(path, limits.archive_bytes);
  return [{ path: basename(path), data, executable: false }];
}

async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new PackageRefusal("no_files", `It has no files that could be reviewed (${path}).`, error);
  }
}

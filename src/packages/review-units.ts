import { basename } from "node:path";
import type { GuideReader, PackageReview } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { PackageSkills } from "./layout/package-skills.ts";
import type { PackageLimits } from "./package-limits.ts";
import { readInPlace } from "./read-folder.ts";
import { reviewSkillFiles } from "./review.ts";

export interface UnitReviewContext {
  shipped: readonly Skill[];
  isolation(skill: Skill): string | Promise<string>;
  limits: PackageLimits;
  /** Reads the guides of the first skills as well. */
  reader?: GuideReader | undefined;
  signal: AbortSignal;
}

/** Maximum guides of one package that a second judge reads. */
const maxRead = 5;

/** Reviews a laid-out package, from the very files that would be installed. The opinion on a guide is the last finding of its review. */
export async function reviewUnits(
  found: PackageSkills,
  context: UnitReviewContext,
): Promise<PackageReview[]> {
  const { reader, signal } = context;
  const first = found.units.flatMap((unit) => unit.skills).slice(0, maxRead);
  const opinions = Promise.all(first.map((skill) => reader?.(skill, signal)));
  const [reviews, read] = await Promise.all([factsOf(found, context), opinions]);
  return reviews.map((review, at) => {
    const opinion = read[at];
    return opinion === undefined ? review : { ...review, findings: [...review.findings, opinion] };
  });
}

async function factsOf(found: PackageSkills, context: UnitReviewContext): Promise<PackageReview[]> {
  const reviews: PackageReview[] = [];
  for (const { path, skills } of found.units) {
    const { files } = await readInPlace(path, context.limits, context.signal);
    for (const skill of skills) {
      // Paths of diagnostics are those of the unpacked package, where folders may have other names.
      const isAbout = (at: string) => at.split(/[\\/]/).includes(basename(skill.origin.path));
      const diagnostics = found.diagnostics.filter((each) => isAbout(each.path));
      const isolation = await context.isolation(skill);
      reviews.push(await reviewSkillFiles({ ...context, skill, files, isolation, diagnostics }));
    }
  }
  return reviews;
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

import { basename } from "node:path";
import type { Slots } from "../base/slots.ts";
import type { PackageReading, PackageReview } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { PackageSkills, PackageUnit } from "./layout/package-skills.ts";
import type { PackageLimits } from "./package-limits.ts";
import { readInPlace } from "./read-folder.ts";
import { reviewSkillFiles } from "./review.ts";

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

import type { PackageReview } from "../../../src/core/skill/packages.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import { reviewSkillFiles } from "../../../src/packages/review.ts";
import { testSkill } from "../../support/skills/test-skill.ts";

const managed = { source: "managed", precedence: 3, path: "/skills/greeting" };

/** The review of a skill with these files. */
export async function reviewOf(
  files: Record<string, string | Buffer>,
  more: Partial<Skill> = {},
  shipped: readonly Skill[] = [],
): Promise<PackageReview> {
  return await reviewSkillFiles({
    skill: { ...testSkill(more.id ?? "greeting"), origin: managed, ...more },
    files: Object.entries(files).map(([path, data]) => ({
      path,
      data: Buffer.from(data),
      executable: false,
    })),
    shipped,
    isolation: "bubblewrap",
    signal: new AbortController().signal,
  });
}

/** `danger encoded_command`, … of a review, each once. */
export function gravities({ findings }: PackageReview): string[] {
  return [...new Set(findings.map(({ severity, code }) => `${severity} ${code}`))];
}

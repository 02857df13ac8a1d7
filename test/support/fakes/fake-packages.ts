import type {
  InstalledPackage,
  PackageReading,
  PackageReview,
  PackageSource,
  Packages,
} from "../../../src/core/skill/packages.ts";
import { testSkill } from "../skills/test-skill.ts";

/** A review of a package that does nothing dangerous. */
export function testReview(skillId: string, more: Partial<PackageReview> = {}): PackageReview {
  return {
    skill_id: skillId,
    name: skillId,
    description: `Does ${skillId}.`,
    version: "1.0.0",
    kind: "document",
    files: 2,
    bytes: 2048,
    hash: "a".repeat(64),
    bins: [],
    env: [],
    scripts: [],
    hosts: [],
    isolation: "bubblewrap",
    findings: [],
    ...more,
  };
}

/** Packages in memory: every source holds the given reviews, and installs all of them or the chosen ones. */
export function fakePackages(reviews: readonly PackageReview[]): Packages & { sources: PackageSource[] } {
  const installed = new Map<string, InstalledPackage>();
  const sources: PackageSource[] = [];
  const from = (source: PackageSource) =>
    source.kind === "url" ? source.url : source.kind === "path" ? source.path : source.name;
  const missing = (id: string) => ({
    ok: false as const,
    code: "not_installed",
    reason: `${id} is not installed.`,
  });
  const put = (source: string, by: string, only?: readonly string[]) =>
    reviews
      .filter(({ skill_id }) => only?.includes(skill_id) ?? true)
      .map((review) => {
        const entry = {
          skill_id: review.skill_id,
          hash: review.hash,
          from: source,
          by,
          installed_at: 0,
          review,
        };
        installed.set(review.skill_id, entry);
        return entry;
      });
  const tell = ({ onReviewed }: Pick<PackageReading, "onReviewed">) => {
    for (const [at, { skill_id: id, hash }] of reviews.entries())
      onReviewed?.(testSkill(id, [], { hash }), at + 1, reviews.length);
  };
  return {
    sources,
    async review(source, reading) {
      sources.push(source);
      tell(reading);
      return { ok: true, value: [...reviews] };
    },
    async install(source, options) {
      const { by, expected, only, most = reviews.length } = options;
      sources.push(source);
      tell(options);
      if (only === undefined && reviews.length > most) {
        return { ok: false, code: "choose_skills", reason: "Choose some.", choices: reviews };
      }
      if (from(source).includes("slip")) {
        return {
          ok: false,
          code: "path_outside",
          reason: "The archive holds ../../evil. Nothing was installed.",
        };
      }
      if (expected !== undefined && reviews.some(({ hash }) => !expected.includes(hash))) {
        return {
          ok: false,
          code: "not_as_reviewed",
          reason: "It is not what was reviewed. Review it again.",
        };
      }
      return { ok: true, value: put(from(source), by, only) };
    },
    async update(id, { by }) {
      const before = installed.get(id);
      return before === undefined ? missing(id) : { ok: true, value: put(before.from, by) };
    },
    async remove(id) {
      const before = installed.get(id);
      installed.delete(id);
      return before === undefined ? missing(id) : { ok: true, value: before };
    },
    get: async (id) => installed.get(id),
    list: async () => [...installed.values()],
    reviewText: async ({ id }) => ({ ok: true, value: testReview(id) }),
    async reviewSkill(id) {
      return { ok: true, value: reviews.find(({ skill_id }) => skill_id === id) ?? testReview(id) };
    },
  };
}

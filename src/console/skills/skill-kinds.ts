import type { SkillListing } from "../../client/shapes.ts";
import type { SkillKind, SkillsPanel } from "./panel-state.ts";

/** Names of the kinds of skills, for one and for all of a kind, in the order of the filters. */
export const kindNames: Readonly<Record<SkillKind, { one: string; all: string }>> = {
  builtin: { one: "Built in", all: "Built in" },
  document: { one: "Guide", all: "Guides" },
  imported: { one: "Imported", all: "Imported" },
  flow: { one: "Flow", all: "Flows" },
  mcp: { one: "Server", all: "Servers" },
  config: { one: "Configured", all: "Configured" },
};

/** Whether its files are reviewed. Built-in skills run in the bot, and tool servers are separate programs. */
export function isReviewed({ kind }: SkillListing): boolean {
  return kind !== "builtin" && kind !== "mcp";
}

/** Skills that contain every word of the query and match the filter, without parts of other skills. */
export function listedSkills({
  skills = [],
  query,
  filter,
}: Pick<SkillsPanel, "skills" | "query" | "filter">): SkillListing[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter((skill) => {
    if (skill.parent !== undefined || (filter !== undefined && skill.kind !== filter)) return false;
    if (words.length === 0) return true;
    const text = searchText(skill);
    return words.every((word) => text.includes(word));
  });
}

/** The number of skills of each kind, without empty kinds. */
export function countKinds(skills: readonly SkillListing[]): { kind: SkillKind; count: number }[] {
  const kinds = Object.keys(kindNames) as SkillKind[];
  return kinds
    .map((kind) => ({
      kind,
      count: skills.filter((skill) => skill.parent === undefined && skill.kind === kind).length,
    }))
    .filter(({ count }) => count > 0);
}

function searchText({
  id,
  name,
  summary,
  description,
  category,
  kind,
  source,
  reasons,
}: SkillListing): string {
  const names = kindNames[kind];
  return [id, name, summary, description, category, names.one, names.all, source, ...reasons]
    .join(" ")
    .toLowerCase();
}

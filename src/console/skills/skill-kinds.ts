import type { SkillListing } from "../../client/shapes.ts";
import type { SkillKind, SkillsPanel } from "./panel-state.ts";

/** What people call the kinds of skills: one of them, and all of them. In the order they are offered. */
export const kindNames: Readonly<Record<SkillKind, { one: string; all: string }>> = {
  builtin: { one: "Built in", all: "Built in" },
  document: { one: "Guide", all: "Guides" },
  imported: { one: "Imported", all: "Imported" },
  flow: { one: "Flow", all: "Flows" },
  mcp: { one: "Server", all: "Servers" },
  config: { one: "Configured", all: "Configured" },
};

/** Whether its files are reviewed: what ships runs in the bot, and tool servers are programs of their own. */
export function isReviewed({ kind }: SkillListing): boolean {
  return kind !== "builtin" && kind !== "mcp";
}

/** Skills of the list, parts of others left out, that have every word of the query and fit the filter. */
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

/** How many skills there are of each kind, kinds without any left out. */
export function countKinds(skills: readonly SkillListing[]): { kind: SkillKind; count: number }[] {
  const kinds = Object.keys(kindNames) as SkillKind[];
  return kinds
    .map((kind) => ({
      kind,
      count: skills.filter((skill) => skill.parent === undefined && skill.kind === kind).length,
    }))
    .filter(({ count }) => count > 0);
}

function searchText({ id, name, description, category, kind, source, reasons }: SkillListing): string {
  const names = kindNames[kind];
  return [id, name, description, category, names.one, names.all, source, ...reasons].join(" ").toLowerCase();
}

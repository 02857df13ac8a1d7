import { expect, test } from "vitest";
import type { SkillListing } from "../../../src/client/shapes.ts";
import { countKinds, listedSkills } from "../../../src/console/skills/skill-kinds.ts";

function skill(id: string, more: Partial<SkillListing> = {}): SkillListing {
  const facts = { category: "data", version: "1.0.0", source: "workspace", path: `/skills/${id}`, hash: "0" };
  const about = {
    id,
    name: id,
    kind: "document" as const,
    description: `Does ${id}.`,
    summary: `Does ${id}`,
    ...facts,
  };
  return { ...about, state: "available", eligible: true, reasons: [], risk: "low", ...more };
}

const skills = [
  skill("split-pdf", { reasons: ["The program qpdf is not on the PATH."], eligible: false }),
  skill("weather", { kind: "flow", description: "Tells the weather of a place" }),
  skill("mcp_files", { kind: "mcp", name: "files" }),
  skill("mcp_files#read", { kind: "mcp", parent: "mcp_files" }),
];
const ids = (query: string, filter?: SkillListing["kind"]) =>
  listedSkills({ skills, query, filter }).map(({ id }) => id);

test("a search needs every word, in whatever order and place", () => {
  expect(ids("place WEATHER")).toEqual(["weather"]);
  expect(ids("weather pdf")).toEqual([]);
  expect(ids("  ")).toEqual(["split-pdf", "weather", "mcp_files"]);
});

test("a skill is found by what it lacks, and by the name of its kind", () => {
  expect(ids("qpdf")).toEqual(["split-pdf"]);
  expect(ids("server")).toEqual(["mcp_files"]);
});

test("a kind filter leaves out all other skills, and its count excludes parts", () => {
  expect(ids("", "flow")).toEqual(["weather"]);
  expect(countKinds(skills)).toEqual([
    { kind: "document", count: 1 },
    { kind: "flow", count: 1 },
    { kind: "mcp", count: 1 },
  ]);
});

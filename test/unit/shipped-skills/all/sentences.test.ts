import { expect, test } from "vitest";
import { createMetaTools } from "../../../../src/core/meta-tools/create-meta-tools.ts";
import { stemsOf } from "../../../../src/models/offline/request-text.ts";
import { readSuspects, sentences } from "../../../support/skills/sentences.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";

interface Claim {
  id: string;
  stems: ReadonlySet<string>;
}

/** The words with which each tool says what it is for. */
async function readClaims(): Promise<Claim[]> {
  const loaded = await Promise.all(shippedSkills.map((source) => source.load()));
  const skills = loaded.flatMap((result) => result.skills);
  const roots = skills.filter(({ parent }) => parent === undefined);
  const ofSkills = roots.flatMap(({ id, description, tools }) =>
    tools.length === 0
      ? { id, description, parameters: {} }
      : tools.map(({ skill_id, ...tool }) => ({ ...tool, id: skill_id })),
  );
  const own = createMetaTools().filter(({ retired }) => retired !== true);
  return [...own.map(({ name, ...tool }) => ({ ...tool, id: name })), ...ofSkills].map(
    ({ id, description, parameters }) => ({
      id,
      stems: stemsOf(id, description, ...descriptionsIn(parameters)),
    }),
  );
}

function descriptionsIn(schema: object): string[] {
  return Object.values("properties" in schema && schema.properties ? schema.properties : {}).map((property) =>
    String((property as { description?: string }).description ?? ""),
  );
}

/**
 * The tools that claim the words of a sentence most strongly, if the right one is not among them or not alone. A word that many tools
 * claim counts little.
 */
function suspectsFor(said: string, right: string, claims: readonly Claim[]): string[] {
  const told = [...stemsOf(said)];
  const weight = (stem: string) => 1 / claims.filter(({ stems }) => stems.has(stem)).length;
  const scores = claims.map(({ id, stems }) => ({
    id,
    score: told.filter((stem) => stems.has(stem)).reduce((sum, stem) => sum + weight(stem), 0),
  }));
  const best = Math.max(...scores.map(({ score }) => score));
  return scores.filter(({ id, score }) => id !== right && score === best).map(({ id }) => id);
}

test("the tool of each of the sentences exists", async () => {
  const known = new Set([...(await readClaims()).map(({ id }) => id), "answer"]);
  expect(sentences.filter(([, tool]) => !known.has(tool))).toEqual([]);
});

test("another tool claims the words of a sentence only where a person has read both descriptions", async () => {
  const claims = await readClaims();
  const found = sentences.flatMap(([said, right]) => {
    const suspects = right === "answer" ? [] : suspectsFor(said, right, claims);
    return suspects.length === 0 ? [] : [[said, suspects.join(", ")]];
  });
  expect(Object.fromEntries(found)).toEqual(readSuspects);
});

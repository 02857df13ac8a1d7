import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PackageFinding } from "../../../src/core/skill/packages.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { type CataloguePackage, cataloguePackages } from "./package-catalogue.ts";
import { packagePlace, signal, succeeded } from "./package-place.ts";

const skills = join(import.meta.dirname, "../../../skills");

/** Of all packages of a kind, the findings worth a look, by package. */
async function gravest(packages: readonly CataloguePackage[]): Promise<Map<string, PackageFinding[]>> {
  const shipped = (await readdir(skills)).map((id) => testSkill(id));
  const place = await packagePlace({ shipped: async () => shipped });
  const bot = await place.open();
  const found = new Map<string, PackageFinding[]>();
  for (const { id, files } of packages) {
    const path = join(place.root, "from", id);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), text);
    }
    const reviews = succeeded(await bot.review({ kind: "path", path }, { signal }));
    const findings = reviews.flatMap((review) => review.findings);
    found.set(
      id,
      findings.filter(({ severity }) => severity !== "info"),
    );
  }
  return found;
}

/** A line for each finding, to read in a failed test. */
function lines(found: ReadonlyMap<string, readonly PackageFinding[]>): string[] {
  return [...found].flatMap(([id, findings]) =>
    findings.map(({ severity, code, path, line, excerpt }) =>
      [id, severity, code, `${path}:${line}`, excerpt].join(" "),
    ),
  );
}

/** Reviewing hundreds of packages takes seconds, and longer beside other tests; ms. */
const patience = 90_000;

describe("a review of many packages, without a model", () => {
  const honest = cataloguePackages("honest");
  const hostile = cataloguePackages("hostile");

  it(
    "a review calls no honest package dangerous and warns of at most one in twenty",
    async () => {
      const found = await gravest(honest);
      const dangers = lines(found).filter((line) => line.includes(" danger "));
      const warned = [...found.values()].filter((findings) => findings.length > 0).length;
      expect(dangers).toEqual([]);
      expect(warned / honest.length, lines(found).join("\n")).toBeLessThanOrEqual(0.05);
    },
    patience,
  );

  it(
    "a review warns of nine in ten hostile packages",
    async () => {
      const found = await gravest(hostile);
      const missed = [...found].filter(([, findings]) => findings.length === 0).map(([id]) => id);
      expect(missed.length / hostile.length, `missed: ${missed.join(", ")}`).toBeLessThanOrEqual(0.1);
    },
    patience,
  );
});

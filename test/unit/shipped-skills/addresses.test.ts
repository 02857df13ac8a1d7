import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { shippedSkills } from "../../support/skills/shipped-skills.ts";

const root = fileURLToPath(new URL("../../../skills", import.meta.url));

it("every skill that fetches says where", async () => {
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(join(root, file), "utf8")] as const),
  );
  const fetching = new Set(
    texts.flatMap(([file, text]) =>
      /\bweb\.(read|fetch)\b/.test(text) ? (file.split(/[\\/]/)[0] ?? "") : [],
    ),
  );
  expect([...fetching]).toContain("web-scraping");
  const [source] = shippedSkills;
  const { skills = [] } = (await source?.load()) ?? {};
  for (const { id, tools } of skills.filter((skill) => fetching.has(skill.id)))
    expect(
      tools.filter(({ addresses }) => addresses === undefined),
      id,
    ).toEqual([]);
});

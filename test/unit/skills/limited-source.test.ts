import path from "node:path";
import { expect, it } from "vitest";
import { configSchema } from "../../../src/config/schema.ts";
import { createLimitedSource } from "../../../src/skills/judged-sources.ts";
import { skillSources } from "../../../src/wiring/skill-sources.ts";
import { importedFixture, useSandbox, writeSkill } from "../imported/imported-fixture.ts";
import { sourceOf, temporaryFolder, writeFiles } from "./temporary-folder.ts";

useSandbox();

const skillOf = (name: string, seconds: number) =>
  `---\nname: ${name}\ndescription: Does it\nmax_execution_seconds: ${seconds}\n---\nBody\n`;
const times = (skills: readonly { id: string; max_execution_seconds: number }[]) =>
  Object.fromEntries(skills.map((skill) => [skill.id, skill.max_execution_seconds]));

it("a skill gets the time it asks for, up to the limit", async () => {
  const root = temporaryFolder({
    "long/SKILL.md": skillOf("long", 600),
    "short/SKILL.md": skillOf("short", 5),
  });
  const source = createLimitedSource(sourceOf(root), 20);
  const first = await source.load();
  expect(times(first.skills)).toEqual({ long: 20, short: 5 });
  expect(await source.load()).toBe(first);
  writeFiles(root, { "short/SKILL.md": skillOf("short", 50) });
  expect(times((await source.load()).skills)).toEqual({ long: 20, short: 20 });
});

it("a handler has no more time than the limit", async () => {
  const fixture = importedFixture();
  writeSkill(fixture.root, "slow", {});
  const [skill] = (await createLimitedSource(fixture.source, 20).load()).skills;
  expect(skill?.tools.map((tool) => tool.max_execution_ms)).toEqual([20_000]);
});

it("the configured limit applies to skills that did not ship, but not to shipped ones", async () => {
  const root = temporaryFolder({ "long/SKILL.md": skillOf("long", 600) });
  const config = configSchema.parse({
    data: { folder: path.join(root, "data") },
    workspace: { skills: root, flows: path.join(root, "flows") },
    skills: { execution: { max_seconds: 20 } },
  });
  const noPackages = { load: async () => undefined };
  const sources = skillSources(config, [], noPackages, {}, async (loaded) => loaded);
  const loaded = await Promise.all(sources.map((source) => source.load()));
  expect(times(loaded.flatMap(({ skills }) => skills))).toMatchObject({ long: 20, "web-scraping": 90 });
});

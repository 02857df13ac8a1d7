import { expect, it } from "vitest";
import type { LoadedSkills, Skill } from "../../../src/core/skill/skill.ts";
import { createPreparedSource } from "../../../src/skills/judged-sources.ts";
import { testSkill } from "../../support/skills/test-skill.ts";

const withCode: Skill = { ...testSkill("plotter"), code: { runs: "scripts" } };
const without = testSkill("greeter");

it("a skill that lacks packages cannot be used until they are prepared, and others are unaffected", async () => {
  const loaded: LoadedSkills = { skills: [withCode, without], diagnostics: [] };
  const lacking = new Map([["plotter", "It lacks numpy."]]);
  let changes = 0;
  const asked: string[] = [];
  const source = createPreparedSource(
    { id: "workspace", load: async () => loaded },
    {
      changes: async () => String(changes),
      async lacks({ id }) {
        asked.push(id);
        return lacking.get(id);
      },
    },
  );
  const first = await source.load();
  expect(first.skills).toEqual([{ ...withCode, problems: ["It lacks numpy."] }, without]);
  expect(await source.load()).toBe(first);
  expect(asked).toEqual(["plotter"]);

  lacking.clear();
  changes += 1;
  expect(await source.load()).toBe(loaded);
});

it("a source is not held up where prepared packages cannot be checked", async () => {
  const loaded: LoadedSkills = { skills: [withCode], diagnostics: [] };
  const broken = { changes: async () => "", lacks: () => Promise.reject(new Error("disk full")) };
  expect(await createPreparedSource({ id: "x", load: async () => loaded }, broken).load()).toBe(loaded);
});

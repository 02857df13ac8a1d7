import { expect, test } from "vitest";
import { givenVariables, skillEnvironment } from "../../../src/skills/skill-settings.ts";
import { testSkill } from "../../support/skills/test-skill.ts";

const requires = { bins: [], anyBins: [], env: ["TOKEN", "REGION"], config: [], os: [] };

test("a skill gets the variables it declares and the operator set, and no others", () => {
  const settings = { notes: { TOKEN: "t", SECRET: "s" }, other: { REGION: "r" } };
  expect(skillEnvironment(settings, testSkill("notes", [], { requires }))).toEqual({ TOKEN: "t" });
});

test("the settings' apiKey is given in the variable the skill names as primary, which need not be declared twice", () => {
  const skill = testSkill("notes", [], { settings: { api_key_variable: "NOTES_KEY" } });
  expect(skillEnvironment({ notes: { apiKey: "k" } }, skill)).toEqual({ NOTES_KEY: "k" });
  expect(skillEnvironment({ notes: { apiKey: "k", NOTES_KEY: "own" } }, skill)).toEqual({ NOTES_KEY: "own" });
});

test("settings are found under the id, the parent's id or the settings' name of a skill, and the id wins", () => {
  const settings = { shared: { TOKEN: "shared", REGION: "shared" }, notes: { TOKEN: "notes" } };
  const skill = testSkill("notes", [], { requires, settings: { key: "shared" } });
  expect(skillEnvironment(settings, skill)).toEqual({ TOKEN: "notes", REGION: "shared" });
  const part = { ...skill, id: "notes#add", parent: "notes" };
  expect(skillEnvironment(settings, part)).toEqual({ TOKEN: "notes", REGION: "shared" });
});

test("a skill named like a member of every object has no settings because of its name", () => {
  expect(givenVariables({}, { id: "constructor" })).toEqual({});
});

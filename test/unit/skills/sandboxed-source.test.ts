import path from "node:path";
import { expect, it } from "vitest";
import { createCatalogueLoader } from "../../../src/core/skill/catalogue.ts";
import type { Verdict } from "../../../src/core/skill/programs.ts";
import type { SkillSource } from "../../../src/core/skill/skill.ts";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { createMiniSearchIndex } from "../../../src/search/minisearch-index.ts";
import { createSandboxedSource } from "../../../src/skills/judged-sources.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { createTestApp } from "../../support/test-app.ts";
import {
  importedFixture,
  temporaryFolder,
  useSandbox,
  writeFiles,
  writeSkill,
} from "../imported/imported-fixture.ts";

useSandbox();

const refusal = { ok: false, reason: "There is no isolation. Run `get isolation`." } as const;
const programs = {
  allows: async () => refusal,
  start: () => Promise.reject(new Error("Nothing may be started here")),
};

/** A folder with a skill of each kind that runs code, and one that does not. */
function folderOfAll(): SkillSource[] {
  const root = temporaryFolder();
  writeSkill(root, "dice", {});
  writeFiles(root, {
    "reports/SKILL.md": "---\nname: reports\ndescription: Writes reports.\n---\nRun scripts/make.py.\n",
    "reports/scripts/make.py": "print(1)\n",
    "greeter/SKILL.md": "---\nname: greeter\ndescription: Greets people.\n---\nBe kind.\n",
    "sums/SKILL.md": "---\nname: sums\ndescription: Adds.\nskill_type: tool\n---\n",
    "sums/tool.js": "module.exports = { name: 'add', execute: () => 2 };\n",
  });
  const flows = temporaryFolder();
  const flow = (type: string, config: object) =>
    JSON.stringify({ name: type, description: type, active: true, steps: [{ type, config }] });
  writeFiles(flows, {
    "code.json": flow("code", { code: "return 1" }),
    "instruction.json": flow("llmInstruction", { instruction: "Say hello" }),
  });
  const flowSource = createFlowSource({
    source: "workspace",
    precedence: 4,
    root: flows,
    ports: { programs },
  });
  return [importedFixture({ root, programs }).source, flowSource];
}

const judged = (sources: SkillSource[], allows: () => Promise<Verdict> = async () => refusal) =>
  sources.map((source) => createSandboxedSource(source, allows));

it("skills whose code cannot run are listed with the cure, before anybody tries them", async () => {
  const { app } = createTestApp(scriptedModel([]), { sources: judged(folderOfAll()) });
  const { skills } = await app.skills.list("console:local:general");
  const listed = Object.fromEntries(skills.map(({ id, reasons }) => [id, reasons]));
  expect(listed).toEqual({
    dice: [refusal.reason],
    sums: [refusal.reason],
    code: [refusal.reason],
    llminstruction: [],
    greeter: [],
    reports: [],
  });
});

it("tools of skills that cannot run are not offered to the model, and guides with scripts say that these do not run", async () => {
  const model = scriptedModel(({ messages }) => {
    const results = toolResults(messages);
    if (results.length === 0) return [{ call: "activate_skill", with: { skill_name: "reports" } }];
    if (results.length === 1) return [{ call: "dice", with: {} }];
    return results.join("\n---\n");
  });
  const { say, events } = createTestApp(model, { sources: judged(folderOfAll()) });
  const [guide, dice] = ((await events(await say("go"))).at(-1) as { text: string }).text.split("\n---\n");
  expect(guide).toContain("do not run on this machine");
  expect(dice).toContain("dice");
  expect(dice).toMatch(/not found|cannot be used/i);
});

it("a catalogue where code can run is unchanged, and the same one is answered again", async () => {
  const sources = folderOfAll();
  const catalogue = createCatalogueLoader(
    judged(sources, async () => ({ ok: true })),
    createMiniSearchIndex,
  );
  const first = await catalogue.current();
  expect([...first.skills.values()].flatMap(({ problems = [] }) => problems)).not.toContain(refusal.reason);
  const refusing = judged(sources);
  const again = createCatalogueLoader(refusing, createMiniSearchIndex);
  expect(await again.current()).toBe(await again.current());
});

it("a machine that cannot tell hides no skill, and is asked again", async () => {
  let asked = 0;
  const [source] = judged(folderOfAll(), async () => {
    asked += 1;
    throw new Error("The disk is full");
  });
  const ids = async () => (await source?.load())?.skills.map(({ id }) => id).toSorted();
  expect(await ids()).toEqual(["dice", "greeter", "reports", "sums"]);
  const before = asked;
  await ids();
  expect(asked).toBeGreaterThan(before);
});

it("a skill without code is not judged: the first judgement starts a process", async () => {
  const root = temporaryFolder();
  writeFiles(path.join(root, "greeter"), {
    "SKILL.md": "---\nname: greeter\ndescription: Greets people.\n---\nBe kind.\n",
  });
  const [source] = judged([importedFixture({ root }).source], () => {
    throw new Error("It was asked");
  });
  expect((await source?.load())?.skills).toHaveLength(1);
});

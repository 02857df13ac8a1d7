import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import { fixtures, skillText, sourceOf, temporaryFolder, writeFiles } from "./temporary-folder.ts";

const shipped = () => sourceOf(path.join(fixtures, "built-in"), { importModules: true }).load();
const context = {} as ToolContext;

test("a shipped skill with code is built in, and one without is a document", async () => {
  const { skills, diagnostics } = await shipped();
  expect(diagnostics).toEqual([]);
  expect(skills.map((skill) => [skill.id, skill.kind])).toEqual([
    ["adder", "builtin"],
    ["guide-only", "document"],
    ["notes", "builtin"],
    ["notes#add", "builtin"],
    ["notes#drop", "builtin"],
  ]);
});

test("parameters and output schema come from the code, and the rest from SKILL.md", async () => {
  const { skills } = await shipped();
  expect(skills.find((skill) => skill.id === "adder")).toMatchObject({
    ...{ category: "data", max_iterations: 4, instructions: "Add with care." },
    parameters: [
      { name: "values", type: "array", description: "What to add", required: true },
      { name: "unit", type: "string", required: false, default: "m", enum: ["m", "km"] },
    ],
    output_schema: { type: "object", required: ["sum", "unit"] },
    tools: [{ name: "adder", title: "Adding", description: "Adds numbers", skill_id: "adder" }],
  });
});

test("parts are skills of their own below their parent, which has the tools of all", async () => {
  const { skills } = await shipped();
  const byId = Object.fromEntries(skills.map((skill) => [skill.id, skill]));
  expect(byId.notes?.tools.map((tool) => tool.name)).toEqual(["notes_add", "notes_drop"]);
  expect(byId["notes#add"]).toMatchObject({
    parent: "notes",
    description: "Adds a note",
    name: "notes: add",
  });
  expect(byId["notes#add"]?.tools).toEqual([byId.notes?.tools[0]]);
  expect(byId["notes#add"]?.parameters.map((each) => each.name)).toEqual(["text"]);
  expect(byId["notes#add"]?.hash).toBe(byId.notes?.hash);
  expect(byId["notes#add"]?.origin).toBe(byId.notes?.origin);
  expect(byId["notes#add"]?.tools[0]).toMatchObject({ skill_id: "notes#add", once_per_turn: true });
  expect(byId["notes#add"]?.tools[0]?.effect({})).toBe("side_effect");
});

test("a failure that a loaded skill expects is a result with its code and hint", async () => {
  const { skills } = await shipped();
  const [, drop] = skills.find((skill) => skill.id === "notes")?.tools ?? [];
  expect(await drop?.run({ id: "7" }, context)).toEqual({
    ...{ status: "error", code: "no_such_note", message: "There is no note 7." },
    hint: "List the notes first.",
  });
});

const valueModule = (value: number) => `
import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
export const skill = { kind: "single", definition: {
  title: "Valuing", effect: "read_only", parameters: z.object({}), output: z.number(), run: async () => ${value},
} };
`;

test("changed code is imported again by the next load", async () => {
  const root = temporaryFolder({ "value/SKILL.md": skillText("value"), "value/skill.ts": valueModule(1) });
  const source = sourceOf(root, { importModules: true });
  const before = await source.load();
  expect(before.diagnostics).toEqual([]);
  writeFiles(root, { "value/skill.ts": valueModule(2) });
  const after = await source.load();
  expect(await before.skills[0]?.tools[0]?.run({}, context)).toEqual({ status: "ok", output: 1 });
  expect(await after.skills[0]?.tools[0]?.run({}, context)).toEqual({ status: "ok", output: 2 });
});

test.each([
  ["throws", 'throw new Error("no luck");'],
  ["cannot be parsed", "export const = ;"],
  ["exports nothing", "export {};"],
  ["exports something else", "export const skill = { kind: 'single', definition: 7 };"],
])("a module that %s is reported and hides no other skill", async (_, code) => {
  const root = temporaryFolder({ "bad/SKILL.md": skillText("bad"), "bad/skill.ts": code });
  cpSync(path.join(fixtures, "built-in/guide-only"), path.join(root, "guide-only"), { recursive: true });
  const { skills, diagnostics } = await sourceOf(root, { importModules: true }).load();
  expect(skills.map((skill) => skill.id)).toEqual(["guide-only"]);
  expect(diagnostics).toMatchObject([{ code: "module_failed", path: path.join(root, "bad/skill.ts") }]);
});

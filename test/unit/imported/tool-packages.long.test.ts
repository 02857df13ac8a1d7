import { describe, expect, it, vi } from "vitest";
import { loadPackage } from "../../../src/imported/host/load-code.ts";
import { needs } from "../../support/needs.ts";
import {
  contextOf,
  type ImportedFixture,
  importedFixture,
  temporaryFolder,
  useSandbox,
  writeFiles,
} from "./imported-fixture.ts";

useSandbox();

const document = (more = "") =>
  `---\nname: units\ndescription: Converts units\nskill_type: tool\n${more}---\nA guide.\n`;

const two = `module.exports = {
  tools: [
    { name: "to_celsius", description: "From Fahrenheit",
      parameters: { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] },
      run: async ({ degrees }) => ({ celsius: (degrees - 32) / 1.8 }) },
    { name: "shout", description: "In capitals", parameters: { type: "object", properties: { text: { type: "string" } } },
      async execute({ text }, context) { context.introspect("shouting"); return text.toUpperCase(); } },
  ],
};\n`;

const long = `module.exports = { name: "long", description: "x".repeat(30000), run: () => "ran",
  parameters: { type: "object", properties: { a: { type: "string", description: "x".repeat(30000) } } } };\n`;

function write({ root }: ImportedFixture, files: Record<string, string>, more = "") {
  const under = Object.entries(files).map(([name, text]) => [`units/${name}`, text] as const);
  writeFiles(root, { "units/SKILL.md": document(more), ...Object.fromEntries(under) });
}

/** The skills of the package once its tools are known. */
async function whenRead({ source }: ImportedFixture) {
  return vi.waitUntil(
    async () => {
      const loaded = await source.load();
      const isReading = loaded.diagnostics.some(({ message }) => message.includes("being read"));
      return isReading ? undefined : loaded;
    },
    { timeout: 10_000, interval: 20 },
  );
}

describe("a package of tools", () => {
  it(
    "a package of tools has a part for each tool its module exports, runs them in the sandbox, and keeps them while an edited version is read",
    needs("bubblewrap"),
    async () => {
      const fixture = importedFixture();
      write(fixture, { "index.js": two });
      const first = await fixture.source.load();
      expect(first.skills[0]).toMatchObject({ tools: [], problems: [expect.stringContaining("being read")] });
      const { skills, diagnostics } = await whenRead(fixture);
      expect(diagnostics).toEqual([]);
      expect(skills.map(({ id, kind, parent }) => ({ id, kind, parent }))).toEqual([
        { id: "units", kind: "imported", parent: undefined },
        { id: "units#to_celsius", kind: "imported", parent: "units" },
        { id: "units#shout", kind: "imported", parent: "units" },
      ]);
      const [celsius, shout] = skills[0]?.tools ?? [];
      expect(celsius).toMatchObject({ name: "units_to_celsius", description: "From Fahrenheit" });
      expect(celsius?.validate({})).toMatchObject({ message: "degrees is required (number)" });
      expect(await celsius?.run({ degrees: 212 }, contextOf({}))).toEqual({
        status: "ok",
        output: { celsius: 100 },
      });
      const notes: string[] = [];
      const context = contextOf({ progress: (note) => void notes.push(note) });
      expect(await shout?.run({ text: "hi" }, context)).toEqual({ status: "ok", output: "HI" });
      expect(notes).toEqual(["shouting"]);
      expect((await fixture.source.load()).skills[0]).toBe(skills[0]);

      write(fixture, { "index.js": long });
      expect((await fixture.source.load()).skills.map(({ id }) => id)).toEqual(skills.map(({ id }) => id));
      const edited = async () => (await fixture.source.load()).skills;
      await expect.poll(async () => (await edited()).length, { timeout: 10_000 }).toBe(1);
      // No more is said than a model can read.
      const [tool] = (await edited())[0]?.tools ?? [];
      expect(tool?.description).toHaveLength(2_000);
      expect(tool?.parameters).toEqual({ type: "object", properties: {} });
    },
  );

  it("a package of tools may be one tool, at a place it names", needs("bubblewrap"), async () => {
    const fixture = importedFixture();
    const text = "module.exports = { name: 'greet', handler: () => 'hello' };\n";
    write(fixture, { "lib/main.js": text }, "entry_points: {tool: lib/main.js}\n");
    const { skills } = await whenRead(fixture);
    expect(skills.map(({ id }) => id)).toEqual(["units"]);
    expect(await skills[0]?.tools[0]?.run({}, contextOf({}))).toEqual({ status: "ok", output: "hello" });
  });

  it("a package of tools may be a module with named exports", async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      "tool.mjs": "export const greet = { description: 'Greets', run: () => 'hello' };\n",
    });
    const { handler } = await loadPackage(folder, "tool.mjs");
    expect(await handler.call({}, { list: true })).toEqual([
      { name: "greet", description: "Greets", parameters: {} },
    ]);
    expect(await handler.call({}, { tool: "greet" })).toBe("hello");
  });

  it("a package of tools whose module exports no tools is refused with the reason", async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { "index.js": "module.exports = { version: 1 };\n" });
    await expect(loadPackage(folder, "index.js")).rejects.toThrow("index.js exports no tools");
  });

  it.each([
    ["throws", "throw new Error('early');\n", "Error: early"],
    ["ends", "process.exit(1);\n", "exit code 1"],
  ])(
    "a package of tools whose module %s is listed with the reason",
    needs("bubblewrap"),
    async (_, text, reason) => {
      const fixture = importedFixture();
      write(fixture, { "index.js": text });
      const { skills, diagnostics } = await whenRead(fixture);
      expect(skills).toMatchObject([{ id: "units", tools: [], problems: [expect.stringContaining(reason)] }]);
      expect(diagnostics).toMatchObject([{ severity: "error", code: "tools_unread" }]);
    },
  );

  it("a package of tools that is switched off is not run to inspect it", async () => {
    const fixture = importedFixture();
    write(fixture, { "index.js": two }, "enabled: false\n");
    const { skills, diagnostics } = await fixture.source.load();
    expect(skills).toMatchObject([{ id: "units", enabled: false, tools: [] }]);
    expect(diagnostics).toEqual([]);
  });

  it.each([
    [
      "of Python",
      { "__init__.py": "", "requirements.txt": "requests\n" },
      "",
      "__init__.py is not JavaScript",
    ],
    [
      "of Python, at a place it names",
      { "lib/run.py": "" },
      "entry_points: {tool: lib/run.py}\n",
      "lib/run.py is not JavaScript",
    ],
    ["without a module", { "notes.txt": "x" }, "", "it has no tool.js"],
  ])(
    "a package that cannot be run is a guide, and says why and what works instead: %s",
    async (_, files, more, why) => {
      const fixture = importedFixture();
      write(fixture, files, more);
      const { skills, diagnostics } = await fixture.source.load();
      expect(skills).toMatchObject([{ id: "units", kind: "document" }]);
      expect(diagnostics).toMatchObject([{ code: "tool_module_not_run", severity: "warning" }]);
      expect(diagnostics[0]?.message).toContain(why);
      expect(diagnostics[0]?.message).toContain("run_skill_script");
    },
  );
});

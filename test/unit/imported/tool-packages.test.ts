import { describe, expect, it, vi } from "vitest";
import { needs } from "../../support/needs.ts";
import {
  contextOf,
  type ImportedFixture,
  importedFixture,
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
    "a package of tools has a part for each tool its module exports, and runs them in the sandbox",
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
    },
  );

  it(
    "a package of tools continues with the tools it had while an edited version is read",
    needs("bubblewrap"),
    async () => {
      const fixture = importedFixture();
      write(fixture, { "index.js": two });
      await whenRead(fixture);
      write(fixture, {
        "index.js": "module.exports = { name: 'greet', description: 'Greets', run: () => 'hello' };",
      });
      const { skills } = await fixture.source.load();
      expect(skills.map(({ id }) => id)).toEqual(["units", "units#to_celsius", "units#shout"]);
      await expect
        .poll(async () => (await fixture.source.load()).skills.map(({ id }) => id), { timeout: 10_000 })
        .toEqual(["units"]);
    },
  );

  it("a package of tools says no more than a model can read of its tools", needs("bubblewrap"), async () => {
    const fixture = importedFixture();
    const schema =
      '{ type: "object", properties: { a: { type: "string", description: "x".repeat(30000) } } }';
    write(fixture, {
      "index.js": `module.exports = { name: "long", description: "x".repeat(30000), parameters: ${schema}, run: () => "ran" };`,
    });
    const [tool] = (await whenRead(fixture)).skills[0]?.tools ?? [];
    expect(tool?.description).toHaveLength(2_000);
    expect(tool?.parameters).toEqual({ type: "object", properties: {} });
    expect(await tool?.run({ a: "b" }, contextOf({}))).toMatchObject({ output: "ran" });
  });

  it.each([
    [
      "a module with named exports",
      "tool.mjs",
      "export const greet = { description: 'Greets', run: () => 'hello' };\n",
      "",
    ],
    [
      "one tool, at a place it names",
      "lib/main.js",
      "module.exports = { name: 'greet', handler: () => 'hello' };\n",
      "entry_points: {tool: lib/main.js}\n",
    ],
  ])("a package of tools may be %s", needs("bubblewrap"), async (_, file, text, more) => {
    const fixture = importedFixture();
    write(fixture, { [file]: text }, more);
    const { skills } = await whenRead(fixture);
    expect(skills.map(({ id }) => id)).toEqual(["units"]);
    expect(await skills[0]?.tools[0]?.run({}, contextOf({}))).toEqual({ status: "ok", output: "hello" });
  });

  it.each([
    ["exports no tools", "module.exports = { version: 1 };\n", "exports no tools"],
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

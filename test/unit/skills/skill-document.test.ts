import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fixtures, skillText, sourceOf, temporaryFolder } from "./temporary-folder.ts";

const load = (folder: string) => sourceOf(path.join(fixtures, folder)).load();

/** The fixture folders are named after the code they must be reported with. */
const notLoaded = [
  "missing_description",
  "broken_yaml",
  "frontmatter_language",
  "no_frontmatter",
  "unclosed_frontmatter",
  "not_a_mapping",
  "too_deep",
];
const loadedAllTheSame = [
  "wrong_type",
  "entry_point_missing",
  "module_not_imported",
  "ignored_keys",
  "name_differs",
  "tool_module_not_run",
];

test.each(notLoaded)("a skill with the defect %s is not loaded and reported with its path", async (code) => {
  const { skills, diagnostics } = await load(`defects/${code}`);
  expect(skills).toEqual([]);
  expect(diagnostics.map((each) => each.code)).toEqual([code]);
  expect(diagnostics[0]?.path).toContain(path.join(fixtures, "defects", code));
  expect(diagnostics[0]?.message).not.toBe("");
});

test.each(loadedAllTheSame)("a skill with the defect %s is loaded and reported", async (code) => {
  const { skills, diagnostics } = await load(`defects/${code}`);
  expect(skills).toHaveLength(1);
  expect(new Set(diagnostics.map((each) => each.code))).toEqual(new Set([code]));
  expect(diagnostics.every((each) => each.severity !== "error")).toBe(true);
});

test("every fixture folder of a defect is used by a test", () => {
  const elsewhere = ["duplicate_id", "wrong_type_of_description"];
  const used = [...notLoaded, ...loadedAllTheSame, ...elsewhere].toSorted();
  expect(readdirSync(path.join(fixtures, "defects")).toSorted()).toEqual(used);
});

test("frontmatter marked as JavaScript is never run [package-3]", async () => {
  await load("defects/frontmatter_language");
  expect("frontmatterRan" in globalThis).toBe(false);
});

test.each([
  "---JS\n",
  "---javascript\n",
  "--- js\n",
  "---coffee\n",
  "---constructor\n",
  "---__proto__\n",
  "---toString\n",
])("frontmatter that begins with %j is refused", async (opening) => {
  const body = '(globalThis.frontmatterRan = true, { name: "x", description: "y" })\n---\n';
  const { skills, diagnostics } = await sourceOf(temporaryFolder({ "x/SKILL.md": opening + body })).load();
  expect(skills).toEqual([]);
  expect(diagnostics.map((each) => each.code)).toEqual(["frontmatter_language"]);
  expect("frontmatterRan" in globalThis).toBe(false);
});

test("a description that is not text keeps the skill from being loaded", async () => {
  const { skills, diagnostics } = await load("defects/wrong_type_of_description");
  expect(skills).toEqual([]);
  expect(diagnostics).toMatchObject([{ severity: "error", code: "wrong_type" }]);
});

test("two skills with one id in a root: the first by path is loaded and the other reported", async () => {
  const { skills, diagnostics } = await load("defects/duplicate_id");
  expect(skills.map((skill) => skill.description)).toEqual(["The first"]);
  expect(diagnostics).toMatchObject([{ severity: "error", code: "duplicate_id" }]);
  expect(diagnostics[0]?.path).toMatch(/b\/twin$/);
});

test("a field of the wrong type falls back to its default and is named", async () => {
  const { skills, diagnostics } = await load("defects/wrong_type");
  expect(skills[0]).toMatchObject({ risk: "low", max_iterations: 10, tags: [], requires: { bins: [] } });
  const named = diagnostics.map((each) => each.message.split(" ")[0]);
  expect(named.toSorted()).toEqual(["bins", "max_iterations", "risk", "tags"]);
});

const keysOf = async (keys: string) => {
  const requires = `requires: '{"env": ["REGION"], "keys": ${keys}}'`;
  const text = `---\nname: keyed\ndescription: Keyed\nmetadata:\n  ${requires}\n---\nBody\n`;
  return sourceOf(temporaryFolder({ "keyed/SKILL.md": text })).load();
};

test("a skill names the host and the header of a key, which is one of its variables", async () => {
  const { skills, diagnostics } = await keysOf(
    '{"A": {"host": "API.example.com:8443", "header": "X-Api-Key"}, "B": {"host": "b.example:443", "header": "Authorization: Bearer {key}"}}',
  );
  expect(diagnostics).toEqual([]);
  expect(skills[0]?.requires).toMatchObject({
    env: ["REGION", "A", "B"],
    keys: {
      A: { host: "api.example.com:8443", header: "X-Api-Key" },
      B: { host: "b.example", header: "Authorization: Bearer {key}" },
    },
  });
});

test.each([
  ["a host with a path", '{"A": {"host": "a.example/v1", "header": "X-Api-Key"}}'],
  ["every host", '{"A": {"host": "*.a.example", "header": "X-Api-Key"}}'],
  ["no header", '{"A": {"host": "a.example"}}'],
  ["a header of the connection", '{"A": {"host": "a.example", "header": "Host"}}'],
  ["a header of the body", '{"A": {"host": "a.example", "header": "Content-Length: {key}"}}'],
  ["a header without the key", '{"A": {"host": "a.example", "header": "Authorization: Bearer"}}'],
  ["a list", '["A"]'],
])("a skill whose key names %s gets no variables, because it could get the key", async (_what, keys) => {
  const { skills, diagnostics } = await keysOf(keys);
  expect(skills[0]?.requires).toMatchObject({ env: [] });
  expect(skills[0]?.requires.keys).toBeUndefined();
  expect(diagnostics).toMatchObject([
    { code: "wrong_type", message: expect.stringMatching(/^keys is left out/) },
  ]);
});

test("entry points that are not files of the skill are left out", async () => {
  const { skills } = await load("defects/entry_point_missing");
  expect(skills[0]?.code?.entry_points).toEqual({ here: "scripts/here.py" });
});

test("an entry point that is not a path is reported, and the others stay", async () => {
  const points = "entry_points:\n  clean: {script: scripts/clean.py}\n  here: scripts/here.py\n";
  const files = {
    "points/SKILL.md": `---\nname: points\ndescription: Points\n${points}---\nBody\n`,
    "points/scripts/here.py": "print(1)\n",
  };
  const { skills, diagnostics } = await sourceOf(temporaryFolder(files)).load();
  expect(skills[0]?.code?.entry_points).toEqual({ here: "scripts/here.py" });
  expect(diagnostics).toMatchObject([
    { code: "wrong_type", severity: "warning", message: expect.stringContaining("entry point clean") },
  ]);
});

test("skills of other ecosystems are read", async () => {
  const { skills, diagnostics } = await load("tolerated");
  const byId = Object.fromEntries(skills.map((skill) => [skill.id, skill]));
  expect(diagnostics.filter((each) => each.severity === "error")).toEqual([]);
  expect(byId["openclaw-flow"]).toMatchObject({
    description: "Set up and use 1Password CLI (op). Use when: installing, signing in",
    about: { emoji: "🔐", homepage: "https://example.com/op" },
    requires: {
      bins: ["op"],
      anyBins: ["a", "b"],
      env: ["OP_TOKEN"],
      config: ["op.vault"],
      os: ["linux", "darwin"],
    },
  });
  expect(byId["moltbot-json"]).toMatchObject({ about: { emoji: "☔" }, requires: { bins: ["curl"] } });
  expect(byId["clawdbot-string"]?.requires).toMatchObject({ always: true, os: ["linux"] });
  expect(byId["json5-comments"]).toMatchObject({ about: { emoji: "🧪" }, requires: { bins: ["jq"] } });
  expect(byId.linx).toMatchObject({
    required_capabilities: ["code_exec"],
    code: { entry_points: { main: "run.py" } },
  });
  expect(byId.nameless).toMatchObject({ id: "nameless", name: "nameless" });
  expect(byId["lowercase-file"]).toMatchObject({ instructions: "Body" });
});

test("our own keys are read at top level, in snake and kebab case", async () => {
  const { skills } = await load("tolerated");
  expect(skills.find((skill) => skill.id === "own-keys")).toMatchObject({
    ...{ category: "data", tags: ["one", "two"], version: "1.10", author: "Ann", risk: "high", active: true },
    ...{ max_execution_seconds: 60, max_iterations: 3, required_tools: ["fetch"], tool_list: { github: [] } },
    examples: [{ prompt: "Do it", call: "own-keys" }],
    parameters: [
      { name: "query", type: "string", required: true },
      { name: "limit", type: "number", required: false, default: 5 },
    ],
  });
});

test("our own keys are read as text in the standard's metadata", async () => {
  const { skills, diagnostics } = await load("tolerated");
  expect(diagnostics.filter((each) => each.path.includes("standard"))).toEqual([]);
  expect(skills.find((skill) => skill.id === "standard")).toMatchObject({
    ...{
      name: "A Standard Skill",
      category: "research",
      tags: ["one", "two"],
      version: "2.0",
      risk: "medium",
    },
    ...{ max_iterations: 4, active: true, about: { emoji: "📦", license: "MIT" } },
    required_tools: ["Bash(git add:*)", "Read"],
  });
});

test.each([
  ["a byte order mark", `\uFEFF${skillText("plain")}`],
  ["CRLF", skillText("plain").replaceAll("\n", "\r\n")],
  ["blank lines at the top", `\n\n${skillText("plain")}`],
])("%s in a SKILL.md does no harm", async (_, text) => {
  const { skills, diagnostics } = await sourceOf(temporaryFolder({ "plain/SKILL.md": text })).load();
  expect(diagnostics).toEqual([]);
  expect(skills).toMatchObject([{ id: "plain", description: "Does plain", instructions: "Body" }]);
});

test("a rule in the body belongs to the guide", async () => {
  const root = temporaryFolder({ "plain/SKILL.md": skillText("plain", "Body\n\n---\n\nMore") });
  const { skills } = await sourceOf(root).load();
  expect(skills[0]?.instructions).toBe("Body\n\n---\n\nMore");
});

test.each([
  ["description: Use when: asked", "Use when: asked"],
  ["description: Use when: asked,\n  or told: to", "Use when: asked, or told: to"],
  ["description: @someone asks", "@someone asks"],
  ["description: a --- b", "a --- b"],
])("the unquoted line %j is read", async (line, description) => {
  const text = `---\nname: plain\n${line}\n---\nBody\n`;
  const { skills } = await sourceOf(temporaryFolder({ "plain/SKILL.md": text })).load();
  expect(skills).toMatchObject([{ description }]);
});

test.each([
  [
    "description:\u00a0Looks up orders",
    "broken_yaml",
    "line 3 has the character U+00A0 after “description:”",
  ],
  [
    "description: Looks up\nlicense:\u2003MIT",
    "broken_yaml",
    "line 4 has the character U+2003 after “license:”",
  ],
  ["description: One\nlicense: MIT\ndescription: Two", "doubled_key", "description (line 5)"],
  ["description: One\nmetadata:\n  title: x\n  title: y", "doubled_key", "title (line 6)"],
])("the frontmatter %j is named with its place: %s", async (lines, code, says) => {
  const text = `---\nname: plain\n${lines}\n---\nBody\n`;
  const { diagnostics } = await sourceOf(temporaryFolder({ "plain/SKILL.md": text })).load();
  expect(diagnostics).toMatchObject([{ code, message: expect.stringContaining(says) }]);
});

test("YAML that repeats itself without end is refused, not followed", async () => {
  const levels = Array.from({ length: 12 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`);
  const text = `---\nname: bomb\ndescription: d\nl0: &l0 [x]\n${levels.join("\n")}\n---\n`;
  const { skills, diagnostics } = await sourceOf(temporaryFolder({ "bomb/SKILL.md": text })).load();
  expect(skills).toEqual([]);
  expect(diagnostics.map((each) => each.code)).toEqual(["broken_yaml"]);
});

test.each([
  "[BETA] Looks up orders",
  "[BETA]",
  "{curly} words",
  "- makes lists",
  "? asks",
  "| one line",
  "> one line",
  "@mention first",
  "`code` first",
  "%d of them",
  "*bold* words",
  "&amp words",
  "!important words",
  '"Quoted" and more',
  "'Quoted' and more",
  "Search issue #42 and C# code",
  "Use when: people ask",
  "First line #1\n  and its second line #2",
])("no word of a description is lost: %s", async (written) => {
  const files = {
    "one/SKILL.md": `---\nname: one\ndescription: ${written}\nversion: 1.0 # a comment\n---\nBody\n`,
  };
  const { skills, diagnostics } = await sourceOf(temporaryFolder(files)).load();
  expect(skills[0]?.description).toBe(written.replace(/\s+/g, " "));
  expect(diagnostics).toMatchObject([{ code: "unquoted_value", severity: "warning" }]);
});

test.each([
  ["\tTabs before it", "Tabs before it"],
  ["Text with\n\ta line that a tab begins", "Text with a line that a tab begins"],
  ['"Quoted" # and a comment', "Quoted"],
  [">-\n  folded\n  lines", "folded lines"],
])("a description is read as it is meant: %j", async (written, expected) => {
  const files = { "one/SKILL.md": `---\nname: one\ndescription: ${written}\n---\nBody\n` };
  const { skills } = await sourceOf(temporaryFolder(files)).load();
  expect(skills[0]?.description).toBe(expected);
});

test("names that differ only in emoji are two skills", async () => {
  const names = ["rocket-🚀", "rocket-🎉", "🎉", "two words"];
  const files = Object.fromEntries(
    names.map((name) => [`${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${name}\n---\nBody\n`]),
  );
  const { skills } = await sourceOf(temporaryFolder(files)).load();
  const ids = skills.map(({ id }) => id).sort();
  expect(ids).toEqual([
    expect.stringMatching(/^rocket-[0-9a-f]{8}$/),
    expect.stringMatching(/^rocket-[0-9a-f]{8}$/),
    expect.stringMatching(/^skill-[0-9a-f]{8}$/),
    "two-words",
  ]);
  expect(new Set(ids).size).toBe(4);
});

test("files in UTF-16 are read, and paths in any spelling", async () => {
  const text = skillText("wide").replace("---\n", "---\nentry_points: {main: 'scripts\\größe.py'}\n");
  const utf16 = Buffer.from(`\uFEFF${text}`, "utf16le");
  const files = {
    "wide/SKILL.md": utf16,
    "wide/scripts/gro\u0308ße.py": "print(1)\n",
    "wide/notes.md": Buffer.from(utf16).swap16(),
    "wide/run.sh": "echo 1\r\n",
  };
  const { skills, diagnostics } = await sourceOf(temporaryFolder(files)).load();
  expect(skills).toMatchObject([{ id: "wide", code: { entry_points: { main: "scripts/gro\u0308ße.py" } } }]);
  expect(diagnostics).toMatchObject([{ code: "windows_lines", severity: "info" }]);
  expect(await skills[0]?.files?.read("scripts\\größe.py")).toEqual({ ok: true, text: "print(1)\n" });
  expect(await skills[0]?.files?.read("notes.md")).toEqual({ ok: true, text: `\uFEFF${text}` });
});

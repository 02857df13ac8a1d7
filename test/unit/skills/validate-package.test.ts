import path from "node:path";
import { expect, test } from "vitest";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The errors of a package with this SKILL.md in a folder of this name. */
async function errorsOf(text: string, folderName = "my-skill", fileName = "SKILL.md"): Promise<string[]> {
  const root = temporaryFolder({ [`${folderName}/${fileName}`]: text });
  const { valid, errors } = await validatePackage(path.join(root, folderName));
  expect(valid).toBe(errors.length === 0);
  return errors;
}

const named = (name: string) => errorsOf(frontmatter(`name: ${name}`, "description: A test skill"), name);
const frontmatter = (...lines: string[]) => `---\n${lines.join("\n")}\n---\nBody\n`;
const withLines = (...lines: string[]) =>
  errorsOf(frontmatter("name: my-skill", "description: A test skill", ...lines));

test("a valid skill has no errors", async () => {
  expect(await withLines()).toEqual([]);
});

test("a missing path is an error", async () => {
  const missing = path.join(temporaryFolder(), "none");
  expect(await validatePackage(missing)).toEqual({
    valid: false,
    errors: [`Path does not exist: ${missing}`],
  });
});

test("a path that is not a directory is an error", async () => {
  const file = path.join(temporaryFolder({ "file.txt": "test" }), "file.txt");
  expect(await validatePackage(file)).toEqual({ valid: false, errors: [`Not a directory: ${file}`] });
});

test("a missing SKILL.md is an error", async () => {
  const { errors } = await validatePackage(temporaryFolder({ "readme.md": "x" }));
  expect(errors).toEqual(["Missing required file: SKILL.md"]);
});

test("an upper-case name is an error", async () => {
  expect(await named("MySkill")).toEqual(["Skill name 'MySkill' must be lowercase"]);
});

test("a name of 64 characters is valid, and one of 65 is an error", async () => {
  expect(await named("a".repeat(64))).toEqual([]);
  expect(await named("a".repeat(65))).toEqual([
    `Skill name '${"a".repeat(65)}' exceeds 64 character limit (65 chars)`,
  ]);
});

test.each(["-my-skill", "my-skill-"])("a hyphen at the edge of %s is an error", async (name) => {
  expect(await named(name)).toEqual(["Skill name cannot start or end with a hyphen"]);
});

test("two hyphens in a row are an error", async () => {
  expect(await named("my--skill")).toEqual(["Skill name cannot contain consecutive hyphens"]);
});

test("an underscore is an error", async () => {
  expect(await named("my_skill")).toEqual([
    "Skill name 'my_skill' contains invalid characters. Only letters, digits, and hyphens are allowed.",
  ]);
});

test("a folder of another name is an error", async () => {
  expect(await errorsOf(frontmatter("name: correct-name", "description: d"), "wrong-name")).toEqual([
    "Directory name 'wrong-name' must match skill name 'correct-name'",
  ]);
});

test("unknown fields are an error that lists them sorted", async () => {
  expect(await withLines("zeta: 1", "alpha: 2")).toEqual([
    expect.stringMatching(
      /^Unexpected fields in frontmatter: alpha, zeta\. Only .*allowed-tools.* are allowed\.$/,
    ),
  ]);
});

test("all common fields together are valid", async () => {
  expect(await withLines("license: MIT", "metadata:", "  author: Test", '  version: "1.0"')).toEqual([]);
});

test("allowed-tools may be text or a block list", async () => {
  expect(await withLines("allowed-tools: Bash(jq:*) Bash(git:*)")).toEqual([]);
  expect(await withLines("allowed-tools:", "  - Read", "  - Bash")).toEqual([]);
});

test.each(["技能", "мой-навык", "навык"])("the name %s of another script is valid", async (name) => {
  expect(await named(name)).toEqual([]);
});

test("an upper-case name of another script is an error", async () => {
  expect(await named("НАВЫК")).toEqual(["Skill name 'НАВЫК' must be lowercase"]);
});

test("a description of 1024 characters is valid, and one of 1025 an error, counted as code points", async () => {
  const described = (text: string) => errorsOf(frontmatter("name: my-skill", `description: ${text}`));
  expect(await described("😀".repeat(1024))).toEqual([]);
  expect(await described("x".repeat(1025))).toEqual([
    "Description exceeds 1024 character limit (1025 chars)",
  ]);
});

test("a compatibility text may have up to 500 characters, and not be empty", async () => {
  expect(await withLines("compatibility: Requires Python 3.11+")).toEqual([]);
  expect(await withLines("compatibility:")).toEqual([]);
  expect(await withLines(`compatibility: ${"x".repeat(500)}`)).toEqual([]);
  expect(await withLines(`compatibility: ${"x".repeat(501)}`)).toEqual([
    "Compatibility exceeds 500 character limit (501 chars)",
  ]);
  expect(await withLines("compatibility:", "  - a")).toEqual(["Field 'compatibility' must be a string"]);
});

test("names of skill and folder are compared after NFKC normalisation", async () => {
  expect(await errorsOf(frontmatter("name: cafe\u0301", "description: d"), "caf\u00e9")).toEqual([]);
});

test("missing frontmatter is an error", async () => {
  expect(await errorsOf("# No frontmatter here")).toEqual([
    "SKILL.md must start with YAML frontmatter (---)",
  ]);
  expect(await errorsOf(`\uFEFF${frontmatter("name: my-skill")}`)).toEqual([
    "SKILL.md must start with YAML frontmatter (---)",
  ]);
});

test("unclosed frontmatter is an error", async () => {
  expect(await errorsOf("---\nname: my-skill\ndescription: A test skill\n")).toEqual([
    "SKILL.md frontmatter not properly closed with ---",
  ]);
});

test.each([
  ["an open bracket", "name: [invalid"],
  ["a flow mapping", 'metadata: {"a": "b"}'],
  ["a flow list", "allowed-tools: [Read, Write]"],
  ["a duplicate key", "name: my-skill\nname: my-skill"],
  ["an unquoted colon", "description: Use when: asked"],
  ["an anchor", "license: &a MIT"],
  ["an alias", "license: &a MIT\ncompatibility: *a"],
  ["a tag", "license: !!str MIT"],
  ["a tab", "metadata:\n\tauthor: x"],
  ["uneven mappings", "metadata:\n  a: b\nlicense:\n    c: d"],
])("YAML with %s is the only error", async (_, yaml) => {
  const errors = await errorsOf(frontmatter("unknown: field", yaml));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(/^Invalid YAML in frontmatter: ./);
});

test.each(["- just\n- a\n- list", "just text", ""])(
  "frontmatter %j that is not a mapping is an error",
  async (yaml) => {
    expect(await errorsOf(`---\n${yaml}\n---\nBody\n`)).toEqual([
      "SKILL.md frontmatter must be a YAML mapping",
    ]);
  },
);

test("a missing or empty name and description are errors", async () => {
  expect(await errorsOf(frontmatter("license: MIT"))).toEqual([
    "Missing required field in frontmatter: name",
    "Missing required field in frontmatter: description",
  ]);
  expect(await errorsOf(frontmatter("name:", 'description: " "'))).toEqual([
    "Field 'name' must be a non-empty string",
    "Field 'description' must be a non-empty string",
  ]);
});

test("errors of several fields are answered together, in the order of the checks", async () => {
  const lines = [
    "name: -My--Skill_",
    `description: ${"x".repeat(1025)}`,
    "extra: 1",
    `compatibility: ${"x".repeat(501)}`,
  ];
  const errors = await errorsOf(frontmatter(...lines));
  const beginnings = [
    "Unexpected fields in frontmatter: extra",
    "Skill name '-My--Skill_' must be lowercase",
    "Skill name cannot start or end with a hyphen",
    "Skill name cannot contain consecutive hyphens",
    "Skill name '-My--Skill_' contains invalid characters",
    "Directory name 'my-skill' must match",
    "Description exceeds 1024",
    "Compatibility exceeds 500",
  ];
  expect(errors).toEqual(beginnings.map((beginning) => expect.stringContaining(beginning)));
});

test("an upper-case SKILL.md wins over a lower-case one, which is accepted alone", async () => {
  const text = frontmatter("name: my-skill", "description: d");
  expect(await errorsOf(text, "my-skill", "skill.md")).toEqual([]);
  const both = temporaryFolder({ "my-skill/SKILL.md": "none", "my-skill/skill.md": text });
  expect((await validatePackage(path.join(both, "my-skill"))).valid).toBe(false);
});

test("numbers and booleans in frontmatter are text", async () => {
  expect(await errorsOf(frontmatter("name: 2048", "description: true"), "2048")).toEqual([]);
});

test("CRLF is accepted, and a --- within a line does not end the frontmatter", async () => {
  const text = frontmatter("name: my-skill", "description: a --- b", "unknown: x");
  expect(await errorsOf(text.replaceAll("\n", "\r\n"))).toEqual([expect.stringContaining("unknown")]);
});

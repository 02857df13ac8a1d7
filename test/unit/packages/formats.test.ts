import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { foreignFormats } from "../../../src/packages/formats/foreign-formats.ts";
import { skillText, zipOf } from "./build-archives.ts";
import { byAnna, packagePlace, signal, upload } from "./package-place.ts";

type Files = Record<string, string>;

async function install(files: Files) {
  const place = await packagePlace();
  const root = join(place.root, "repository");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const packages = await place.open();
  const outcome = await packages.install({ kind: "path", path: root }, byAnna);
  const loaded = await place.load();
  const skills = loaded.skills.filter(({ parent }) => parent === undefined);
  const left = outcome.ok ? (outcome.left_out ?? []) : [];
  const installed = outcome.ok ? outcome.value : [];
  const codes = new Set(foreignFormats.map(({ id }) => id));
  return {
    outcome,
    remarks: (id: string) =>
      installed
        .filter(({ skill_id }) => skill_id === id)
        .flatMap(({ review }) => review.findings)
        .flatMap(({ code, message }) => (codes.has(code) ? `${code}: ${message}` : [])),
    guide: (id: string) => readFile(join(place.folders.skills, id, "SKILL.md"), "utf8"),
    skills: new Map(skills.map((skill) => [skill.id, skill])),
    left: left
      .filter(({ code }) => code !== "unused_files")
      .map(({ code, message }) => `${code}: ${message}`),
  };
}

const plugin: Files = {
  "README.md": "About",
  ".claude-plugin/plugin.json": '{ "name": "desk", "description": "For a desk." }',
  "commands/README.md": "What is here.",
  "commands/greet.md":
    "---\ndescription: Greet somebody: kindly\nargument-hint: NAME\nallowed-tools: Bash(git *)\nmodel: sonnet\n---\nGreet $1. Now it is !`date`.\n",
  "commands/git/commit.md":
    "# Commit the work\n\nWrite a message for $ARGUMENTS with $CLAUDE_PLUGIN_ROOT/x.\n",
  "agents/reader.md":
    '---\nname: reader\ndescription: "Reads drafts"\ntools: Read, Grep\nmodel: opus\n---\nYou read drafts.\n',
  "hooks/hooks.json": '{ "hooks": { "PostToolUse": [] } }',
  ".mcp.json": '{ "mcpServers": { "notes": { "command": "npx", "args": ["notes"] } } }',
  "skills/letter/SKILL.md": skillText("letter"),
  "skills/letter/agents/inner.md": "---\nname: inner\ndescription: of the letter\n---\nInside.",
};

describe("a plugin for another agent", () => {
  it("a plugin's commands and agents become skills, and what is lost is said", async () => {
    const { skills, left, guide, remarks } = await install(plugin);
    expect([...skills.keys()].toSorted()).toEqual(["git-commit", "greet", "letter", "reader"]);
    expect(skills.get("greet")).toMatchObject({
      description: "Greet somebody: kindly Arguments: NAME",
      invocation: { by_people: true, by_model: false },
    });
    expect(skills.get("git-commit")).toMatchObject({ description: "Commit the work" });
    expect(skills.get("reader")?.invocation).toBeUndefined();
    expect(await guide("greet")).toMatch(/`\$1`.* what the person asks.*has not been run.*Greet \$1\./s);
    expect(remarks("greet")).toEqual([
      "command: It was a command. Only people call it, by its name (/skill run NAME …). Not taken over: allowed-tools, model.",
    ]);
    expect(remarks("git-commit")).toEqual([
      expect.stringMatching(/Not taken over: the plugin's own files\.$/),
    ]);
    expect(remarks("reader")).toEqual([expect.stringMatching(/^agent: .*Not taken over: tools, model\.$/)]);
    expect(left).toEqual([
      expect.stringMatching(/^hooks: Hooks: hooks\. They run commands .* never run here\.$/),
      expect.stringMatching(/^servers: Tool servers: notes\. .*config\/mcp\.json\.$/),
    ]);
  });

  it("a plugin with hooks and servers alone is refused with what it holds", async () => {
    const { outcome } = await install({
      ".claude-plugin/plugin.json":
        '{ "name": "x", "mcpServers": { "tickets": { "url": "https://x.example" } } }',
      "hooks/hooks.json": "{}",
    });
    expect(outcome).toMatchObject({ ok: false, code: "no_skill" });
    expect(outcome.ok ? "" : outcome.reason).toMatch(
      /Hooks: hooks\..*Tool servers: tickets\..*Nothing was installed/s,
    );
  });

  it("a skill wins over a command of its name", async () => {
    const { skills, left } = await install({
      ...plugin,
      "skills/greet/SKILL.md": skillText("greet"),
    });
    expect(skills.get("greet")?.description).toBe("Greets people.");
    expect(left.join()).toMatch(/duplicate_skill: Its id greet is that of the skill in skills\/greet/);
  });
});

describe("files of other programs in a repository", () => {
  it.each<[string, Files, string[], RegExp]>([
    [
      "Claude Code",
      { ".claude/commands/ship.md": "Ship it.", ".claude/agents/a.md": "You help." },
      ["a", "ship"],
      /^command: It was a command\./m,
    ],
    ["OpenCode", { ".opencode/command/ship.md": "Ship it." }, ["ship"], /^command/],
    [
      "Copilot",
      { ".github/prompts/plan.prompt.md": "Plan.", ".github/agents/plan-er.agent.md": "You plan." },
      ["plan", "plan-er"],
      /^agent/m,
    ],
    [
      "Cursor",
      {
        ".cursor/rules/style.mdc":
          "---\ndescription: Our style\nglobs: *.ts\nalwaysApply: true\n---\nBe brief.",
      },
      ["style"],
      /^rule: It was a rule of Cursor\. .*Not taken over: globs, alwaysApply\./,
    ],
    [
      "Gemini CLI",
      {
        "gemini-extension.json": '{ "name": "x", "mcpServers": { "db": { "command": "node" } } }',
        "GEMINI.md": "Context.",
        "commands/db/ask.toml": 'description = "Asks the database"\nprompt = """\nAnswer {{args}}.\n"""',
        "commands/broken.toml": "prompt = ",
      },
      ["db-ask"],
      /^gemini_command: It was a command of Gemini CLI.*\nservers: Tool servers: db\..*\ninstructions: .* GEMINI\.md\..*\nother_format: It is not valid TOML/s,
    ],
    [
      "a marketplace",
      {
        ".claude-plugin/marketplace.json": '{ "plugins": [{ "name": "one", "source": "./plugins/one" }] }',
        "plugins/one/commands/ship.md": "Ship it.",
        "docs/agents.md": "About agents.",
        "docs/commands/other.md": "No command.",
        "plugins/one/skills/letter/SKILL.md": skillText("letter"),
        "plugins/one/skills/letter/templates/p/.claude-plugin/plugin.json": "{}",
        "plugins/one/skills/letter/templates/p/commands/hello.md": "A file of the skill.",
      },
      ["letter", "ship"],
      /^command/,
    ],
  ])("%s: what maps is loaded, and the rest is named", async (_program, files, ids, told) => {
    const { skills, left, remarks } = await install(files);
    expect([...skills.keys()].toSorted()).toEqual(ids);
    expect([...ids.flatMap(remarks), ...left].join("\n")).toMatch(told);
  });

  it.each<[string, Files, RegExp]>([
    ["nothing in it", { ".claude/commands/empty.md": "---\ndescription: x\n---\n" }, /It is empty/],
    ["frontmatter without an end", { ".claude/commands/open.md": "---\ndescription: x\n" }, /not closed/],
    [
      "frontmatter in a programming language",
      { ".claude/commands/js.md": "---js\nprocess.exit(1)\n---\n" },
      /It is empty/,
    ],
    ["no name", { ".claude/commands/___.md": "Ship." }, /no letter and no digit/],
    ["instructions alone", { "AGENTS.md": "Use tabs." }, /put what applies here into a SKILL\.md/],
  ])("a repository with %s is refused in words", async (_what, files, reason) => {
    const { outcome } = await install(files);
    expect(outcome).toMatchObject({ ok: false, code: "no_skill", reason: expect.stringMatching(reason) });
  });

  it("a skill that writes about such files stays a skill", async () => {
    const packages = await (await packagePlace()).open();
    const guide = `${skillText("apis")}\n\n\`\`\`yaml\nopenapi: 3.0.0\nkind: app\n\`\`\`\n`;
    const outcome = await packages.review(upload(Buffer.from(guide), "SKILL.md"), { signal });
    expect(outcome).toMatchObject({ value: [{ skill_id: "apis" }] });
  });

  it("a bundle of a tool server is refused by its name, with what to do", async () => {
    const manifest = { manifest_version: "0.3", name: "pix", display_name: "Pix", server: { type: "node" } };
    const bundle = zipOf([
      { name: "manifest.json", data: JSON.stringify(manifest) },
      { name: "server/index.js", data: "" },
    ]);
    const packages = await (await packagePlace()).open();
    expect(await packages.review(upload(bundle, "pix.mcpb"), { signal })).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/An MCP bundle \(\.mcpb, \.dxt\): Pix\. .*config\/mcp\.json/),
    });
  });

  it.each<[string, string, string, RegExp]>([
    [
      "an OpenAPI document",
      "shop.yaml",
      "openapi: 3.1.0\npaths: {}\n",
      /"openapi": "its file or address".* config\/mcp\.json/,
    ],
    ["an OpenAPI document in JSON", "shop.json", '{ "swagger": "2.0", "paths": {} }', /OpenAPI document/],
    ["a workflow of n8n", "w.json", '{ "name": "W", "nodes": [], "connections": {} }', /workflow of n8n/],
    ["an app of Dify", "app.yml", "app:\n  name: x\nkind: app\nversion: 0.1.5\n", /app of Dify/],
    ["a file of hooks", "hooks.json", '{ "hooks": { "Stop": [] } }', /never run here/],
    ["entries of servers", "mcp.json", '{ "mcpServers": {} }', /entries of tool servers/],
  ])("%s is refused by its name, with what to do", async (_what, name, text, reason) => {
    const packages = await (await packagePlace()).open();
    const outcome = await packages.review(upload(Buffer.from(text), name), { signal });
    expect(outcome).toMatchObject({ ok: false, code: "other_format", reason: expect.stringMatching(reason) });
  });
});

it("each format is in the documentation", async () => {
  const page = await readFile("docs/skills.md", "utf8");
  for (const { title } of foreignFormats)
    expect(page).toContain(title[title[0].startsWith("an MCP") ? 0 : 1]);
});

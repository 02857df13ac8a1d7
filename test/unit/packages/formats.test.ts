import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
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
  const codes = new Set([...foreignFormats.map(({ id }) => id), "missing_file"]);
  return {
    outcome,
    remarks: (id: string) =>
      installed
        .filter(({ skill_id }) => skill_id === id)
        .flatMap(({ review }) => review.findings)
        .flatMap(({ code, message }) => (codes.has(code) ? `${code}: ${message}` : [])),
    async files(id: string) {
      const entries = await readdir(join(place.folders.skills, id), { recursive: true, withFileTypes: true });
      const paths = entries.flatMap((each) => (each.isFile() ? join(each.parentPath, each.name) : []));
      return paths.map((path) => relative(join(place.folders.skills, id), path)).toSorted();
    },
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
    "# Commit the work\n\nRun $" +
    "{CLAUDE_PLUGIN_ROOT}/scripts/message.py for $ARGUMENTS, then $CLAUDE_PLUGIN_ROOT/gone.sh.\n",
  "scripts/message.py": "from words import say\n",
  "scripts/words.py": "say = print\n",
  "scripts/unused/x.txt": "Beside what is called.",
  "other/unused.py": "pass\n",
  "agents/reader.md":
    '---\nname: reader\ndescription: "Reads drafts"\ntools: Read, Bash(git log:*), Task\nmodel: opus\n---\nYou read drafts.\n',
  "hooks/hooks.json": '{ "hooks": { "PostToolUse": [] } }',
  ".mcp.json": '{ "mcpServers": { "notes": { "command": "npx", "args": ["notes"] } } }',
  "skills/letter/SKILL.md": skillText("letter"),
  "skills/letter/agents/inner.md": "---\nname: inner\ndescription: of the letter\n---\nInside.",
};

describe("a plugin for another agent", () => {
  it("a plugin's commands and agents become skills, and what is lost is said", async () => {
    const { skills, left, guide, files, remarks } = await install(plugin);
    expect([...skills.keys()].toSorted()).toEqual(["git-commit", "greet", "letter", "reader"]);
    expect(skills.get("greet")).toMatchObject({
      description: "Greet somebody: kindly. Arguments: NAME",
      invocation: { by_people: true, by_model: false },
    });
    expect(skills.get("git-commit")).toMatchObject({ description: "Commit the work" });
    expect(skills.get("reader")?.agent).toEqual({ tools: ["code_exec"] });
    expect(skills.get("greet")?.agent).toBeUndefined();
    expect(await guide("greet")).toMatch(/`\$1`.* what the person asks.*has not been run.*Greet \$1\./s);
    expect(remarks("greet")).toEqual([
      "command: It was a command. Only people call it, by its name (/skill run NAME …). Not taken over: allowed-tools, model.",
    ]);
    expect(remarks("git-commit")).toEqual([
      "command: It was a command. Only people call it, by its name (/skill run NAME …).",
      "missing_file: Its guide calls gone.sh of its plugin, which is not there.",
    ]);
    expect(await files("git-commit")).toEqual([
      "SKILL.md",
      "scripts/message.py",
      "scripts/unused/x.txt",
      "scripts/words.py",
    ]);
    expect(await files("greet")).toEqual(["SKILL.md"]);
    expect(skills.get("git-commit")?.instructions).toContain("$KNACK_SKILL_DIR/scripts/message.py");
    expect(remarks("reader")).toEqual([
      expect.stringMatching(/^agent: .*Not taken over: model, the tool Task\.$/),
    ]);
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

  it("nothing of a plugin runs when it is installed, whatever it has prepared for that", async () => {
    const trace = join(tmpdir(), `ran-${randomUUID()}`);
    const command = { type: "command", command: `touch ${trace}` };
    const hooks = { SessionStart: [{ hooks: [command] }], Setup: [{ hooks: [command] }] };
    const { outcome, left } = await install({
      ".claude-plugin/plugin.json": JSON.stringify({ name: "x", hooks }),
      "hooks/hooks.json": JSON.stringify({ hooks }),
      "package.json": JSON.stringify({
        scripts: { preinstall: command.command, postinstall: command.command },
      }),
      "setup.py": `import os\nos.system("touch ${trace}")\n`,
      "commands/now.md": `---\ndescription: Now\n---\nIt is !\`touch ${trace}\``,
    });
    expect(outcome).toMatchObject({ ok: true, value: [{ skill_id: "now" }] });
    expect(left).toEqual([expect.stringMatching(/^hooks: Hooks: hooks.*never run here/)]);
    expect(existsSync(trace)).toBe(false);
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
    [
      "Claude Code, with names that are not English",
      { ".claude/commands/翻译.md": "Translate.", ".claude/commands/größe.md": "Measure." },
      ["größe", "翻译"],
      /^command/,
    ],
    [
      "a plugin whose servers are in a file",
      {
        ".claude-plugin/plugin.json": '\ufeff{ "name": "x", "mcpServers": "./mcp/servers.json" }',
        "commands/ship.md": "Ship it.",
      },
      ["ship"],
      /^servers: Tool servers: \.\/mcp\/servers\.json\./m,
    ],
    [
      "VS Code",
      { ".vscode/mcp.json": '{ // ours\n "servers": { "db": {} } }', ".claude/commands/ship.md": "Ship it." },
      ["ship"],
      /^servers: Tool servers: db\./m,
    ],
    [
      "a marketplace with a folder of its own and plugins elsewhere",
      {
        ".claude-plugin/marketplace.json": `\ufeff${JSON.stringify({
          metadata: { pluginRoot: "./packs" },
          plugins: [
            { name: "one", source: "one" },
            { name: "two", source: "more/two/" },
            { name: "far", source: { source: "github", repo: "owner/far" } },
            { name: "url", source: { source: "url", url: "https://gitlab.com/owner/url.git" } },
            null,
          ],
        })}`,
        "packs/one/commands/ship.md": "Ship it.",
        "more/two/commands/plan.md": "Plan it.",
      },
      ["plan", "ship"],
      /^marketplace: Plugins of other repositories: far \(owner\/far\), url \(https:\/\/gitlab\.com\/owner\/url\.git\)\. .*Install each/m,
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
      /^rule: It was a rule of Cursor\. .*Not taken over: globs\.$/,
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
      /^gemini_command: It was a command of Gemini CLI.*\ninstructions: .*--only repository-gemini-md\)\.\nservers: Tool servers: db\..*"from": "ITS FOLDER".*\nother_format: It is not valid TOML/s,
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
  ])("a repository with %s is refused in words", async (_what, files, reason) => {
    const { outcome } = await install(files);
    expect(outcome).toMatchObject({ ok: false, code: "no_skill", reason: expect.stringMatching(reason) });
  });

  it("instructions of a project alone are a skill that nobody runs and that a manager switches on", async () => {
    const { skills, remarks } = await install({ "AGENTS.md": "Use tabs.\n\n@docs/style.md\n" });
    expect([...skills.keys()]).toEqual(["repository-agents-md"]);
    expect(skills.get("repository-agents-md")).toMatchObject({
      description: "Instructions from repository-AGENTS.md: Use tabs.",
      invocation: { by_people: false },
    });
    expect(remarks("repository-agents-md")).toEqual([
      expect.stringMatching(/Where a manager enables it.*Not taken over: the files it imports \(@…\)\.$/),
    ]);
  });

  it.each<[string, Files, string[]]>([
    ["alone", { ".cursorrules": "Use tabs." }, ["repository-agents-md"]],
    ["of Windsurf", { ".windsurfrules": "Use tabs." }, ["repository-agents-md"]],
    [
      "beside rules of Cursor",
      { ".cursorrules": "Use tabs.", ".cursor/rules/tone.mdc": "---\ndescription: Tone\n---\nBe brief." },
      ["tone"],
    ],
    [
      "beside AGENTS.md",
      { ".cursorrules": "Use tabs.", "AGENTS.md": "Be brief." },
      ["repository-agents-md", "repository-cursorrules"],
    ],
  ])(
    "instructions in a file whose name begins with a dot, %s, are instructions",
    async (_how, files, ids) => {
      const { skills, left } = await install(files);
      expect([...skills.keys()].toSorted()).toEqual(ids);
      const asked = ids.includes("tone")
        ? [expect.stringMatching(/^instructions: .*--only repository-agents-md/)]
        : [];
      expect(left).toEqual(asked);
    },
  );

  it.each<[string, string, string, RegExp]>([
    [
      "an agent",
      "critic.md",
      "---\nname: critic\ndescription: Criticises\ntools: Read\n---\nYou criticise.",
      /^agent: /,
    ],
    [
      "an agent of Windows",
      "critic.md",
      "---\r\nname: critic\r\ndescription: Criticises\r\ntools: Read\r\n---\r\nYou criticise.",
      /^agent: /,
    ],
    ["a command", "ship.md", "---\ndescription: Ships\nargument-hint: VERSION\n---\nShip $1.", /^command: /],
    ["a rule", "style.mdc", "---\ndescription: Style\n---\nBe brief.", /^rule: /],
    ["instructions", "AGENTS.md", "Be brief.", /^instructions: /],
    ["instructions of an older Cursor", ".cursorrules", "Be brief.", /^instructions: /],
  ])("%s by itself is taken for what it is", async (_what, name, text, told) => {
    const packages = await (await packagePlace()).open();
    const outcome = await packages.review(upload(Buffer.from(text), name), { signal });
    const findings = outcome.ok ? outcome.value.flatMap((review) => review.findings) : [];
    expect(findings.map(({ code, message }) => `${code}: ${message}`)).toContainEqual(
      expect.stringMatching(told),
    );
  });

  it("a skill that writes about such files stays a skill", async () => {
    const packages = await (await packagePlace()).open();
    const guide = `${skillText("apis")}\n\n\`\`\`yaml\nopenapi: 3.0.0\nkind: app\n\`\`\`\n`;
    const outcome = await packages.review(upload(Buffer.from(guide), "SKILL.md"), { signal });
    expect(outcome).toMatchObject({ value: [{ skill_id: "apis" }] });
  });

  it.each<[string, object, string]>([
    [
      "with settings",
      { user_config: { api_key: { required: true }, team: {} } },
      'unzip FILE -d FOLDER), and adds to config/mcp.json: "pix": {"from":"THAT FOLDER","user_config":{"api_key":"$' +
        '{API_KEY}"}}. It may have these too: team.',
    ],
    ["without any", {}, '"pix": {"from":"THAT FOLDER"}.'],
    [
      "for another system",
      { compatibility: { platforms: ["beos"] } },
      `It is for beos, and this machine runs ${process.platform}.`,
    ],
  ])("a bundle of a tool server %s is refused by its name, with what to do", async (_what, more, told) => {
    const manifest = { manifest_version: "0.3", name: "pix", display_name: "Pix", server: { type: "node" } };
    const bundle = zipOf([
      { name: "manifest.json", data: JSON.stringify({ ...manifest, ...more }) },
      { name: "server/index.js", data: "" },
    ]);
    const packages = await (await packagePlace()).open();
    const outcome = await packages.review(upload(bundle, "pix.mcpb"), { signal });
    expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining(told) });
    expect(outcome).toMatchObject({
      reason: expect.stringMatching(/An MCP bundle \(\.mcpb, \.dxt\): Pix\. /),
    });
  });

  it.each<[string, string, string, RegExp]>([
    ["an OpenAPI document", "shop.yaml", "openapi: 3.1.0\npaths: {}\n", /^It is an OpenAPI document/],
    ["an OpenAPI document in JSON", "a.json", '{ "swagger": "2.0", "paths": {} }', /add that server/],
    [
      "a large OpenAPI document",
      "huge.yaml",
      `openapi: 3.1.0\npaths:\n${"  /a: { get: {} }\n".repeat(40_000)}`,
      /^It is an OpenAPI document/,
    ],
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

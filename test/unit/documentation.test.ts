/** What the documents say against what there is: each rule holds for every page, a new one too. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { operationCommands } from "../../src/app/commands/operation-commands.ts";
import { allOperations, operationRoutes } from "../../src/app/operations/table.ts";
import { CommandReader } from "../../src/app/turns/command-reader.ts";
import type { CommandContext } from "../../src/cli/command-context.ts";
import { createProgram } from "../../src/cli/program.ts";
import { membersAt } from "../../src/config/config-keys.ts";
import { certificateFiles, configFileVariable, readEnvironment } from "../../src/config/environment.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { shellWords } from "../support/shell-words.ts";

const pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "flows/README.md", ...globSync("docs/*.md")];
const texts = new Map(pages.map((page) => [page, readFileSync(page, "utf8")]));
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

/** Something of a page, with the page for the message of a failed test. */
interface Found {
  page: string;
  text: string;
}

/** The fenced blocks in one of these languages. */
function blocks(...languages: string[]): Found[] {
  const pattern = /^```(\w+)\n([\s\S]*?)^```$/gm;
  return [...texts].flatMap(([page, text]) =>
    [...text.matchAll(pattern)].flatMap(([, language = "", block = ""]) =>
      languages.includes(language) ? [{ page, text: block }] : [],
    ),
  );
}

const withoutBlocks = (text: string) => text.replaceAll(/^```\w*\n[\s\S]*?^```$/gm, "");

/** What is in single backticks, as a reader sees it in a table too. */
const spans: Found[] = [...texts].flatMap(([page, text]) =>
  [...withoutBlocks(text).matchAll(/`([^`]+)`/g)].map(([, span = ""]) => ({
    page,
    text: span.replaceAll("\\|", "|").replaceAll(/\s+/g, " "),
  })),
);

/** The lines of shell blocks without comments and without variables in front; a line that goes on is one. */
const lines: Found[] = blocks("sh").flatMap(({ page, text }) =>
  text
    .replaceAll(/\\\n/g, " ")
    .split(/\n|&&/)
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .map((line) => line.replace(/^(?:[A-Z][A-Z_]*=\S+ )+/, "").replace(/^docker exec knack /, ""))
    .filter((line) => line !== "")
    .map((line) => ({ page, text: line })),
);

/** The arguments of `knack …` and `npm run -s knack -- …`; undefined for other commands. */
function knackArguments(line: string): string[] | undefined {
  const given = /^(?:knack|npm run -s knack --) (.+)$/.exec(line)?.[1];
  return given === undefined ? undefined : shellWords(given);
}

/** The real command line, whose commands do nothing. */
function idleProgram(): Command {
  const streams: Partial<CommandContext> = { stdout: new PassThrough(), stderr: new PassThrough() };
  const program = createProgram(streams as CommandContext, "1", () => undefined, allOperations);
  const still = (command: Command) => {
    command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
    if (command.commands.length === 0) command.action(() => undefined);
    for (const each of command.commands) still(each);
  };
  still(program);
  return program;
}

/** The command that words name, and the words after it. */
function commandIn(words: readonly string[]): { command: Command; rest: readonly string[] } {
  let command = idleProgram();
  for (const [at, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return { command, rest: words.slice(at) };
    command = next;
  }
  return { command, rest: [] };
}

/** GitHub's anchors of a page's headings. */
function anchorsOf(page: string): string[] {
  const text = withoutBlocks(texts.get(page) ?? readFileSync(page, "utf8"));
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("commands in the documents", () => {
  it("documented commands are readable shell", () => {
    for (const { page, text } of blocks("sh")) {
      const { status, stderr } = spawnSync("sh", ["-n"], { input: text, encoding: "utf8" });
      expect({ page, text, status, stderr }).toMatchObject({ status: 0, stderr: "" });
    }
  });

  it("documented knack commands are understood by the command line, with all their arguments", async () => {
    const given = lines.flatMap(({ page, text }) => {
      const argv = knackArguments(text);
      return argv === undefined ? [] : [{ page, argv }];
    });
    expect(given.length).toBeGreaterThan(25);
    for (const { page, argv } of given) {
      const failed = await idleProgram()
        .parseAsync(argv, { from: "user" })
        .then(
          () => undefined,
          ({ code, message }) => (code === "commander.helpDisplayed" ? undefined : message),
        );
      expect(failed, `${page}: knack ${argv.join(" ")}`).toBeUndefined();
    }
  });

  it("knack commands named in sentences exist, with their options", () => {
    const named = spans.filter(({ text }) => /^(knack|npm run -s knack --) [a-z]/.test(text));
    expect(named.length).toBeGreaterThan(15);
    for (const { page, text } of named) {
      const { command, rest } = commandIn(knackArguments(text) ?? []);
      if (command.commands.length > 0) expect(rest, `${page}: ${text}`).toEqual([]);
      const options = [...command.options, ...idleProgram().options].map(({ long }) => long);
      for (const word of rest.filter((each) => each.startsWith("--")))
        expect(options, `${page}: ${text}`).toContain(word);
    }
  });

  it("documented npm commands exist", () => {
    const all = [...lines, ...spans].filter(({ text }) => text.startsWith("npm "));
    for (const { page, text } of all) {
      const script = /^npm (?:run (?:-s )?)?([\w:]+)/.exec(text)?.[1] ?? "";
      if (!["ci", "install"].includes(script))
        expect(manifest.scripts, `${page}: ${text}`).toHaveProperty([script]);
    }
  });

  it("documented chat commands are known and understood", () => {
    const reader = new CommandReader(operationCommands(allOperations), "Knack");
    const place = { namespace: "console:local:general", thread: "t" };
    const slash = spans.filter(({ text }) => /^\/(skill|flow|agent|mcp)\b/.test(text));
    expect(slash.length).toBeGreaterThan(30);
    for (const { page, text } of slash) {
      const choices = /\S+(\|\S+)+/.exec(text)?.[0] ?? "";
      for (const choice of choices.split("|")) {
        const command = text.replace(choices, choice);
        const said = reader.read(command, place);
        expect(said, `${page}: ${command}`).toMatchObject({ kind: "command", command: {} });
        const { name, input } = (said.kind === "command" && said.command) || { name: "" };
        if (command !== `/${name}`) expect(input, `${page}: ${command}`).toBeDefined();
      }
    }
  });
});

describe("what the documents name is there", () => {
  it("links in the documents lead to existing pages and anchors", () => {
    for (const [page, text] of texts) {
      const links = [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
      for (const link of links.filter((each) => !/^https?:/.test(each))) {
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? page : path.join(path.dirname(page), file);
        expect(existsSync(target), `${page}: ${link}`).toBe(true);
        const anchors = anchor === undefined ? [] : anchorsOf(target);
        expect(anchor === undefined || anchors.includes(anchor), `${page}: ${link}`).toBe(true);
      }
    }
  });

  it("README links to every page", () => {
    const readme = texts.get("README.md") ?? "";
    const missing = pages.filter((page) => page !== "README.md" && !readme.includes(`](${page})`));
    expect(missing).toEqual([]);
  });

  it("files and tests named in the documents exist", () => {
    const roots = ["", "src", "test/unit"];
    const files = spans.filter(({ text }) => /^[\w.-]+\/[\w./-]+\.(ts|mjs|md|json|yaml|cjs)$/.test(text));
    expect(files.length).toBeGreaterThan(150);
    for (const { page, text } of files) {
      if (text.startsWith(".knack")) continue;
      expect(
        roots.some((root) => existsSync(path.join(root, text))),
        `${page}: ${text}`,
      ).toBe(true);
    }
  });

  it("settings named in the documents exist", async () => {
    const sections = membersAt([]) ?? [];
    const keys = spans.filter(({ text }) => /^[a-z_]+(\.[a-z_]+)+$/.test(text) && !text.endsWith(".db"));
    const settings = keys.filter(({ text }) => sections.includes(text.split(".")[0] ?? ""));
    expect(settings.length).toBeGreaterThan(30);
    for (const { page, text } of settings) {
      const names = text.split(".");
      expect(membersAt(names.slice(0, -1)), `${page}: ${text}`).toContain(names.at(-1));
    }
  });

  it("documented configurations are read without a complaint", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "knack-documents-"));
    try {
      for (const { page, text } of blocks("yaml")) {
        await writeFile(path.join(folder, "knack.yaml"), text);
        const read = loadConfig({ env: {}, cwd: folder }).then(() => undefined, String);
        expect(await read, page).toBeUndefined();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("environment variables named in the documents exist", () => {
    const values = ["7", "http://127.0.0.1:7"];
    const isOurs = (name: string) => values.some((value) => readEnvironment({ [name]: value }).length > 0);
    const shell = [...blocks("sh", "yaml", "json"), ...spans];
    const named = shell.flatMap(({ page, text }) =>
      [...text.matchAll(/(?<![\w/.-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => ({ page, name })),
    );
    expect(named.length).toBeGreaterThan(60);
    for (const { page, name } of named) {
      if (name === configFileVariable || foreign.has(name) || certificateFiles({ [name]: "x" })[name])
        continue;
      expect(isOurs(name), `${page}: ${name}`).toBe(true);
    }
  });

  it("routes of the API named in the documents exist", () => {
    const streams = ["/api/v1/openapi.json"];
    const routes = Object.values(operationRoutes).map((route) => route.replace(/^\w+ /, "/api/v1"));
    const named = spans.map(({ page, text }) => ({ page, route: /\/api\/v1\/[\w/{}.]+/.exec(text)?.[0] }));
    for (const { page, route } of named)
      if (route !== undefined) expect([...routes, ...streams], `${page}: ${route}`).toContain(route);
  });

  it("dependencies are documented, each with its reason", () => {
    const table = [...(texts.get("docs/dependencies.md") ?? "").matchAll(/^\| ([^|]+) \|/gm)];
    const listed = table
      .flatMap(([, names = ""]) => names.split(", "))
      .filter((name) => !/^(package|-+)$/.test(name));
    expect(listed.toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
  });
});

describe("the documents", () => {
  it("the documents say each sentence once", () => {
    const said = new Map<string, string>();
    const all = [
      ...texts,
      ["config/knack.yaml", readFileSync("config/knack.yaml", "utf8").replaceAll(/^\s*#/gm, "")],
    ];
    for (const [page = "", text = ""] of all) {
      const plain = withoutBlocks(text).replaceAll(/\s+/g, " ");
      const sentences = new Set(plain.split(/(?<=[.:;]) | \| /).filter((each) => each.length > 60));
      for (const sentence of sentences) {
        expect(said.get(sentence), `${page}: ${sentence}`).toBeUndefined();
        said.set(sentence, page);
      }
    }
  });

  it("the documents begin with a README of two screens", () => {
    expect((texts.get("README.md") ?? "").split("\n").length).toBeLessThanOrEqual(150);
  });
});

/** Variables of other programs and of tests, and names that stand for a value. */
const foreign = new Set([
  ...[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NODE_USE_ENV_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NODE_PATH",
    "KNACK_FAMILIES",
    "KNACK_PICTURES",
    "SCMP_ACT_ALLOW",
    "SYS_ADMIN",
  ],
  ...["TURN_ID", "YOUR_KEY", "LETTERHEAD_KEY", "TRACKER_TOKEN", "CLAUDE_PLUGIN_ROOT"],
  // OpenTelemetry's packages read these.
  ...["HEADERS", "TIMEOUT", "COMPRESSION", "CERTIFICATE"].map((name) => `OTEL_EXPORTER_OTLP_${name}`),
  ...["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"],
]);

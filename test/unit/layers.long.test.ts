import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it, onTestFinished } from "vitest";
import { countCodeLines } from "../../bench/code-lines.ts";

const root = resolve(import.meta.dirname, "../..");

/** The violations that the layering check of this repository finds in a folder. */
function violationsIn(folder: string): { rule: string; from: string }[] {
  const tool = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const config = join(root, ".dependency-cruiser.cjs");
  const run = spawnSync(
    process.execPath,
    [tool, "--config", config, "--output-type", "json", "src", "skills"],
    {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 100_000_000,
    },
  );
  const { summary } = JSON.parse(run.stdout) as {
    summary: { violations: { rule: { name: string }; from: string }[] };
  };
  return summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
}

describe("the layering check", () => {
  const foreign = "export const fine = 1;\n";
  /** Modules that break no rule, by file. */
  const fine = {
    "src/base/fine.ts": foreign,
    "src/process/fine.ts":
      'import { spawn } from "node:child_process";\nexport { fine } from "../base/fine.ts";\nexport const start = spawn;\n',
    "src/mcp/fine.ts":
      'export { fine } from "../process/fine.ts";\nexport { fine as base } from "../base/fine.ts";\n',
    "src/html/fine.ts": 'import { parseHTML } from "linkedom";\nexport const fine = parseHTML;\n',
    "src/documents/fine.ts": 'export { fine } from "../html/fine.ts";\n',
    "src/config/on-base.ts": 'export { fine } from "../base/fine.ts";\n',
    "skills/fine/skill.ts": 'export { fine } from "../../src/base/fine.ts";\n',
    "src/core/values/fine.ts":
      'import { z } from "zod";\nexport { fine as base } from "../../base/fine.ts";\nexport const fine = z.string();\n',
    "src/app/app.ts": 'export { fine } from "../core/values/fine.ts";\nexport type App = string;\n',
    ...Object.fromEntries(["chat", "commands", "turns"].map((room) => [`src/app/${room}/fine.ts`, foreign])),
    "src/core/turn/fine.ts": 'export { fine } from "../values/fine.ts";\n',
    "src/core/flat.ts": foreign,
    "src/storage/fine.ts": foreign,
    "src/config/fine.ts": foreign,
    "src/core/values/two.ts": 'export { bad } from "./one.ts";\n',
  };
  const bad = [
    ["base-imports-nothing", "src/base/core.ts", 'export type { fine } from "../core/values/fine.ts";\n'],
    ["base-imports-nothing", "src/base/disk.ts", 'import { rm } from "node:fs";\nexport const bad = rm;\n'],
    [
      "base-imports-nothing",
      "src/base/package.ts",
      'import { z } from "zod";\nexport const bad = z.string();\n',
    ],
    ["process-on-base", "src/process/bad.ts", 'export { fine } from "../core/values/fine.ts";\n'],
    [
      "process-on-base",
      "src/process/package.ts",
      'import { z } from "zod";\nexport const bad = z.string();\n',
    ],
    ["models-is-an-adapter", "src/models/process.ts", 'export { fine } from "../process/fine.ts";\n'],
    ["app-on-core", "src/app/bad.ts", 'export { fine } from "../process/fine.ts";\n'],
    [
      "core-is-pure",
      "src/core/values/type.ts",
      'import type { App } from "../../app/app.ts";\nexport type Bad = App;\n',
    ],
    ["core-is-pure", "src/core/values/disk.ts", 'import { rm } from "node:fs";\nexport const bad = rm;\n'],
    ["core-values", "src/core/values/bad.ts", 'export { fine } from "../turn/fine.ts";\n'],
    ["core-decisions", "src/core/decisions/bad.ts", 'export { fine } from "../turn/fine.ts";\n'],
    ["core-has-rooms", "src/app/flat.ts", 'export { fine } from "../core/flat.ts";\n'],
    ["models-is-an-adapter", "src/models/bad.ts", 'export { fine } from "../storage/fine.ts";\n'],
    ["models-is-an-adapter", "src/models/html.ts", 'export { fine } from "../html/fine.ts";\n'],
    ["documents-is-an-adapter", "src/documents/bad.ts", 'export { fine } from "../storage/fine.ts";\n'],
    ["html-on-base", "src/html/bad.ts", 'export { fine } from "../core/values/fine.ts";\n'],
    ["flows-is-an-adapter", "src/flows/bad.ts", 'export { fine } from "../storage/fine.ts";\n'],
    ["shipped-skills-on-core", "skills/bad/skill.ts", 'export { fine } from "../../src/app/app.ts";\n'],
    ["server-on-app", "src/server/bad.ts", 'export { fine } from "../config/fine.ts";\n'],
    ["app-turns", "src/app/turns/bad.ts", 'export { fine } from "../chat/fine.ts";\n'],
    ["app-turns", "src/app/turns/face.ts", 'import type { App } from "../app.ts";\nexport type Bad = App;\n'],
    ["app-services", "src/app/services/bad.ts", 'export { fine } from "../chat/fine.ts";\n'],
    ["app-chat", "src/app/chat/bad.ts", 'export { fine } from "../commands/fine.ts";\n'],
    ["app-commands", "src/app/commands/bad.ts", 'export { fine } from "../chat/fine.ts";\n'],
    ["app-reading", "src/app/reading/bad.ts", 'export { fine } from "../turns/fine.ts";\n'],
    ["config-for-roots", "src/server/bad.ts", 'export { fine } from "../config/fine.ts";\n'],
    ["no-circular", "src/core/values/one.ts", 'export { bad } from "./two.ts";\n'],
  ] as const;

  it("the layering check finds what breaks a rule, and nothing else", () => {
    const folder = mkdtempSync(join(tmpdir(), "layers-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of ["tsconfig.json", "package.json"]) cpSync(join(root, name), join(folder, name));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const planted = { ...fine, ...Object.fromEntries(bad.map(([, file, text]) => [file, text])) };
    for (const [file, text] of Object.entries(planted)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const found = violationsIn(folder).map(({ rule, from }) => `${rule}: ${from}`);
    expect(found.toSorted()).toEqual(bad.map(([rule, file]) => `${rule}: ${file}`).toSorted());
  });
});

describe("source files", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );

  it("source files have at most 300 lines of code", () => {
    const long = files.filter((file) => codeLines(join(root, "src", file)) > 300);
    expect(long).toEqual([]);
  });

  it.each(["src", "skills", "test"])("a folder of %s has at most 25 files", (top) => {
    const all = readdirSync(join(root, top), { recursive: true, encoding: "utf8" });
    const folders = Object.groupBy(
      all.filter((file) => file.endsWith(".ts")),
      (file) => dirname(file),
    );
    const flat = Object.entries(folders).filter(([, inside = []]) => inside.length > 25);
    expect(flat.map(([folder]) => folder)).toEqual([]);
  });
});

describe("test files", () => {
  it("test names begin with their subject", () => {
    const planted =
      'it("keeps it", f); test.each([1])("of %s", f); it("a log keeps it", f); test.say("is it?");';
    expect(namesWithoutSubject(planted)).toEqual(["keeps it", "of %s"]);
    const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
    const found = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        namesWithoutSubject(readFileSync(join(root, "test", file), "utf8")).map((name) => `${file}: ${name}`),
      );
    const cure =
      'Write the name as a sentence with its subject: "a log keeps its order", not "keeps its order".';
    expect(found, cure).toEqual([]);
  });
});

/** The names of tests that make no sense without their `describe`. */
function namesWithoutSubject(text: string): string[] {
  const test = /^(?:it|test)(?:$|[(<]|\.(?:each|for|skipIf|runIf|concurrent)\b)/;
  const verbOrConjunction =
    /^(?:is|are|has|have|does|do|may|can|cannot|says|takes|keeps|gives|goes|and|or|but|nor|of|with|that|when)\b/i;
  const parsed = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && test.test(node.expression.getText(parsed))) {
      const [name] = node.arguments;
      if (name !== undefined && ts.isStringLiteralLike(name) && verbOrConjunction.test(name.text)) {
        found.push(name.text);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

function codeLines(file: string): number {
  return countCodeLines(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, false));
}

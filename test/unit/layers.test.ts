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
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Runs the layering check of this repository on a folder. */
function cruise(folder: string, ...sources: string[]) {
  const tool = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const config = join(root, ".dependency-cruiser.cjs");
  const run = spawnSync(process.execPath, [tool, "--config", config, "--output-type", "json", ...sources], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 100_000_000,
  });
  const { summary } = JSON.parse(run.stdout) as {
    summary: { violations: { rule: { name: string } }[]; totalCruised: number };
  };
  return { rules: summary.violations.map((violation) => violation.rule.name), modules: summary.totalCruised };
}

describe("the layering check", () => {
  let folder: string;
  const plant = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "layers-"));
    cpSync(join(root, "tsconfig.json"), join(folder, "tsconfig.json"));
    cpSync(join(root, "package.json"), join(folder, "package.json"));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    plant("src/core/fine.ts", 'import { z } from "zod";\nexport const fine = z.string();\n');
    plant("src/app/app.ts", 'export { fine } from "../core/fine.ts";\nexport type App = string;\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("finds nothing where the layers hold", () => {
    expect(cruise(folder, "src").rules).toEqual([]);
  });

  it.each([
    [
      "core-is-pure",
      "src/core/bad.ts",
      'import type { App } from "../app/app.ts";\nexport type Bad = App;\n',
    ],
    [
      "core-is-pure",
      "src/core/bad.ts",
      'import { readFileSync } from "node:fs";\nexport const bad = readFileSync;\n',
    ],
    ["models-is-an-adapter", "src/models/bad.ts", 'export { fine } from "../storage/fine.ts";\n'],
    ["flows-is-an-adapter", "src/flows/bad.ts", 'export { fine } from "../storage/fine.ts";\n'],
    ["shipped-skills-on-core", "skills/bad/skill.ts", 'export { fine } from "../../src/app/app.ts";\n'],
    ["config-for-roots", "src/server/bad.ts", 'export { fine } from "../config/fine.ts";\n'],
    ["no-circular", "src/core/bad.ts", 'export { bad } from "./bad-too.ts";\n'],
  ])("%s: fails for a planted import in %s", (rule, file, text) => {
    plant("src/storage/fine.ts", "export const fine = 1;\n");
    plant("src/config/fine.ts", "export const fine = 1;\n");
    plant(
      "src/core/bad-too.ts",
      rule === "no-circular" ? 'export { bad } from "./bad.ts";\n' : "export const bad = 1;\n",
    );
    plant(file, text);
    mkdirSync(join(folder, "skills"), { recursive: true });
    expect(cruise(folder, "src", "skills").rules).toContain(rule);
  });

  it("looks at every module of this repository", () => {
    const { rules, modules } = cruise(root, "src", "skills");
    expect(rules).toEqual([]);
    expect(modules).toBeGreaterThan(200);
  });
});

describe("source files", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );

  it("can be held in the head: at most 300 lines", () => {
    const long = files.filter(
      (file) => readFileSync(join(root, "src", file), "utf8").split("\n").length > 301,
    );
    expect(long).toEqual([]);
  });
});

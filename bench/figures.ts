/**
 * `npm run figures [-- REVISION]`: the size of each room, compared with an earlier revision (default: the previous commit).
 * Code lines carry at least one token of TypeScript: no blank lines, no comments. Tests are left out.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { countCodeLines } from "./code-lines.ts";

interface SourceFile {
  path: string;
  code: number;
  /** Modules of this repository that it imports, by path. */
  imports: string[];
  /** All imports, packages included. */
  importCount: number;
}

interface Figures {
  files: number;
  code: number;
  median: number;
  /** Imports per 100 code lines. */
  density: number;
  /** Files that one file imports, which lies in the same folder. */
  fragments: number;
}

const root = resolve(import.meta.dirname, "..");

function readSources(folder: string): SourceFile[] {
  const files = ["src", "skills"].flatMap((top) =>
    readdirSync(join(folder, top), { recursive: true, encoding: "utf8" }).map((file) => join(top, file)),
  );
  return files
    .filter((file) => /\.ts$/.test(file) && !/\.d\.ts$/.test(file))
    .map((file) => readSource(folder, file));
}

function readSource(folder: string, path: string): SourceFile {
  const text = readFileSync(join(folder, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const specifiers = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
  const own = specifiers.filter((each) => each.startsWith("."));
  const imports = own.map((each) => relative(folder, resolve(folder, dirname(path), each)));
  return { path, code: countCodeLines(source), imports, importCount: specifiers.length };
}

/** `src/core`, `src/app/turns`, `skills`. */
function roomOf(path: string): string {
  const [top = "", room = "", inner = ""] = dirname(path).split("/");
  if (top === "skills") return top;
  return ["app", "platforms"].includes(room) && inner !== "" ? `${top}/${room}/${inner}` : join(top, room);
}

function figuresOf(files: readonly SourceFile[], importers: ReadonlyMap<string, string[]>): Figures {
  const lines = files.map(({ code }) => code).sort((a, b) => a - b);
  const code = lines.reduce((sum, each) => sum + each, 0);
  const imports = files.reduce((sum, { importCount }) => sum + importCount, 0);
  const fragments = files.filter(({ path }) => {
    const [only, ...others] = importers.get(path) ?? [];
    return only !== undefined && others.length === 0 && dirname(only) === dirname(path);
  });
  return {
    files: files.length,
    code,
    median: lines[Math.floor(lines.length / 2)] ?? 0,
    density: code === 0 ? 0 : (100 * imports) / code,
    fragments: fragments.length,
  };
}

function measure(folder: string): Map<string, Figures> {
  const files = readSources(folder);
  const importers = new Map<string, string[]>();
  for (const { path, imports } of files) {
    for (const target of new Set(imports)) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  const rooms = Map.groupBy(files, ({ path }) => roomOf(path));
  const sorted = [...rooms].sort(([a], [b]) => a.localeCompare(b));
  const each = sorted.map(([room, members]) => [room, figuresOf(members, importers)] as const);
  return new Map([...each, ["all", figuresOf(files, importers)]]);
}

/** The sources as they were at a revision. */
function measureRevision(revision: string): Map<string, Figures> {
  const folder = mkdtempSync(join(tmpdir(), "figures-"));
  try {
    const archive = execFileSync("git", ["archive", revision, "src", "skills"], {
      cwd: root,
      maxBuffer: 1_000_000_000,
    });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    return measure(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const columns = [
  ["files", 0],
  ["code", 0],
  ["median", 0],
  ["density", 1],
  ["fragments", 0],
] as const;

function line(room: string, now: Figures | undefined, before: Figures | undefined): string {
  const cells = columns.map(([name, digits]) => {
    const [is, was] = [now?.[name] ?? 0, before?.[name] ?? 0].map((value) => value.toFixed(digits));
    return (is === was ? `${is}` : `${was} → ${is}`).padStart(16);
  });
  return `${room.padEnd(24)}${cells.join("")}`;
}

const revision = process.argv[2] ?? "HEAD~1";
const [now, before] = [measure(root), measureRevision(revision)];
const rooms = [...new Set([...now.keys(), ...before.keys()])].filter((room) => room !== "all").sort();
const heads = ["files", "code lines", "median", "imports/100", "one importer*"];
console.log(`The working tree beside ${revision}`);
console.log(`${"room".padEnd(24)}${heads.map((head) => head.padStart(16)).join("")}`);
for (const room of [...rooms, "all"]) console.log(line(room, now.get(room), before.get(room)));
console.log("* files that a single file imports, which lies next to them");

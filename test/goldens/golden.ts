import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const fixtures = fileURLToPath(new URL("./fixtures/", import.meta.url));

/** Whether the fixtures are written instead of compared. */
const writes = process.env.KNACK_GOLDENS === "write";

/** Compares a text with the fixture of this name, or writes the fixture when `KNACK_GOLDENS=write`. */
export async function expectGolden(name: string, text: string): Promise<void> {
  const file = path.join(fixtures, name);
  const actual = `${withSortedLines(text).trimEnd()}\n`;
  if (writes) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, actual);
    return;
  }
  expect(actual).toBe(await readFile(file, "utf8"));
}

/** Writes the fixture of this name when `KNACK_GOLDENS=write` and it is missing. */
export async function writeMissingGolden(name: string, make: () => Promise<string>): Promise<void> {
  if (writes && !existsSync(path.join(fixtures, name)))
    await writeFile(path.join(fixtures, name), await make());
}

/** The text with sorted keys in each line that is a JSON object, alone or after a word such as `data:`. */
function withSortedLines(text: string): string {
  return text.replaceAll(/^( *(?:\w+: )?)(\{".*\})$/gm, (line, before: string, json: string) => {
    try {
      return `${before}${JSON.stringify(sorted(JSON.parse(json)))}`;
    } catch {
      // It only looks like JSON.
      return line;
    }
  });
}

/** As `expectGolden`, for a value; the keys of objects are sorted. */
export function expectGoldenJson(name: string, value: unknown): Promise<void> {
  return expectGolden(name, pretty(value));
}

/** The fixture of this name. */
export function readGolden(name: string): Promise<string> {
  return readFile(path.join(fixtures, name), "utf8");
}

/** A value whose objects have their keys in order: what a reader of JSON sees does not depend on it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** JSON with sorted keys; what fits on a line stands on one. */
export function pretty(value: unknown, indent = ""): string {
  const ordered = sorted(value);
  const line = JSON.stringify(ordered);
  if (line.length + indent.length <= 110 || typeof ordered !== "object" || ordered === null) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(ordered);
  const parts = Object.entries(ordered)
    .filter(([, each]) => each !== undefined)
    .map(([key, each]) => `${inner}${isList ? "" : `${JSON.stringify(key)}: `}${pretty(each, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The text with made ids replaced by `<id 1>`, `<id 2>` … in their order in this text. */
export function withoutIds(text: string): string {
  const seen: string[] = [];
  return text.replaceAll(uuid, (id) => {
    if (!seen.includes(id)) seen.push(id);
    return `<id ${seen.indexOf(id) + 1}>`;
  });
}

/** The text with each line moved to the right. */
export function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`.trimEnd())
    .join("\n");
}

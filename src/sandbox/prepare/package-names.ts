import { parsedJson } from "../../base/json-reader.ts";
import { pattern } from "../../base/pattern.ts";
import { isRecord } from "../../base/record.ts";
import { onOneLine } from "../../base/text/invisible-text.ts";
import type { PackageLanguage } from "../../core/skill/packages.ts";

/** A package that somebody asked for. It contains no option, address or path. */
export interface AskedPackage {
  /** As written, without surrounding space. */
  text: string;
  /** The normalized name: equal for all spellings of the same package. */
  name: string;
  /** For pip a requirement, for npm a range. */
  spec: string;
  /** sha256 of the allowed files, hex; empty: any file. */
  hashes: readonly string[];
}

export type AskedPackages = { ok: true; value: AskedPackage[] } | { ok: false; reason: string };

/** PEP 508 names, extras and PEP 440 versions, with a marker made of quoted texts and words. No `@`, which introduces addresses. */
const packageName = /(?<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)/;
const extras = /\[ ?[A-Za-z0-9._-]+(?: ?, ?[A-Za-z0-9._-]+)* ?\]/;
const versions = /\(?(?:(?:===?|~=|!=|<=|>=|<|>) ?[A-Za-z0-9.*+!_-]+(?: ?,)? ?)*\)?/;
const marker = /^[ A-Za-z0-9_.<>=!~"'(),*-]{1,300}$/;
/** For a text whose spaces are single. */
const pythonRequirement = pattern()`^${packageName} ?(?:${extras})? ?${versions} ?$`;

/** https://docs.npmjs.com/cli/v11/configuring-npm/package-json#name, and a range or tag without addresses, paths and aliases. */
const nodeName = /^(?:@[a-z0-9~][a-z0-9._~-]{0,100}\/)?[a-z0-9~][a-z0-9._~-]{0,100}$/;
const nodeRange = /^[A-Za-z0-9.*^~<>=|+ -]{1,100}$/;

/** `pandas`, `numpy==2.1.0`, `docx@9`. */
export function readPackage(language: PackageLanguage, text: string): AskedPackage | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 400) return undefined;
  return language === "python" ? pythonPackage(trimmed) : nodePackage(trimmed);
}

function pythonPackage(text: string, hashes: readonly string[] = []): AskedPackage | undefined {
  // Within a line, pip treats words with a leading dash as options.
  const plain = text.replace(/\s+/g, " ");
  const end = plain.indexOf(";");
  const [requirement, rest] = end < 0 ? [plain, undefined] : [plain.slice(0, end), plain.slice(end + 1)];
  if (plain.includes(" -") || (rest !== undefined && !marker.test(rest))) return undefined;
  const { name } = pythonRequirement.exec(requirement)?.groups ?? {};
  return name === undefined ? undefined : { text, name: pythonName(name), spec: text, hashes };
}

/** https://packaging.python.org/en/latest/specifications/name-normalization/ */
export function pythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

function nodePackage(text: string): AskedPackage | undefined {
  const at = text.indexOf("@", 1);
  const name = at < 0 ? text : text.slice(0, at);
  return nodeDependency(name, at < 0 ? "*" : text.slice(at + 1), text);
}

function nodeDependency(name: string, range: string, text: string): AskedPackage | undefined {
  if (!nodeName.test(name) || name === "node_modules" || !nodeRange.test(range)) return undefined;
  // A range with a slash, such as `owner/name`, would be an address for npm; `1.0` and `latest` are not.
  return { text, name, spec: range.trim() || "*", hashes: [] };
}

/** All of them, each name once: the last one counts. */
export function readPackages(language: PackageLanguage, texts: readonly string[]): AskedPackages {
  const found = new Map<string, AskedPackage>();
  for (const text of texts) {
    const asked = readPackage(language, text);
    if (asked === undefined) return { ok: false, reason: noPackage(language, text) };
    found.set(asked.name, asked);
  }
  return { ok: true, value: [...found.values()] };
}

function noPackage(language: PackageLanguage, text: string): string {
  const shown = `\`${onOneLine(text).replaceAll("`", "").slice(0, 100)}\``;
  const like = language === "python" ? "`numpy` or `numpy==2.1.0`" : "`docx` or `docx@9`";
  return `${shown} is no package. Write a name, with or without a version, such as ${like}; addresses, paths and options are not accepted.`;
}

/** The packages of a requirements.txt (https://pip.pypa.io/en/stable/reference/requirements-file-format/), hashes included. */
export function readRequirements(text: string): AskedPackages {
  const found = new Map<string, AskedPackage>();
  for (const line of text
    .replace(/^\uFEFF/, "")
    .replace(/\\\r?\n/g, " ")
    .split(/\r?\n/)) {
    const written = line.replace(/(^|\s)#.*$/, "").trim();
    if (written === "") continue;
    const hashes = [...written.matchAll(/\s--hash[= ]sha256:([0-9a-f]{64})(?=\s|$)/g)].map(
      ([, hex = ""]) => hex,
    );
    const plain = written.replace(/\s--hash[= ]sha256:[0-9a-f]{64}(?=\s|$)/g, "").trim();
    const asked = plain.length > 400 ? undefined : pythonPackage(plain, hashes);
    if (asked === undefined)
      return { ok: false, reason: `Of its requirements.txt, ${noPackage("python", plain)}` };
    // A package may occur once for each marker; pip decides which one applies.
    found.set(`${asked.name} ${asked.spec.split(";")[1] ?? ""}`, asked);
  }
  return { ok: true, value: [...found.values()] };
}

/** The dependencies of a package.json, without those for development. */
export function readDependencies(text: string): AskedPackages {
  const manifest = parsedJson(text);
  if (!isRecord(manifest)) return { ok: false, reason: "Its package.json is not valid JSON." };
  const value: AskedPackage[] = [];
  for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
    const asked = nodeDependency(name, String(range), `${name}@${range}`);
    if (asked === undefined)
      return { ok: false, reason: `Of its package.json, ${noPackage("node", `${name}@${range}`)}` };
    value.push(asked);
  }
  return { ok: true, value };
}

import matter from "gray-matter";
import { isMap, isScalar, parseDocument, visit, type YAMLParseError } from "yaml";
import { pattern } from "../../base/pattern.ts";
import { isRecord } from "../../base/record.ts";
import { invisible } from "../../base/text/invisible-text.ts";
import { quoteValues, repairMetadata, untab, writtenProse } from "./repair-yaml.ts";

/** The frontmatter and body of a SKILL.md, or the one reason why the frontmatter cannot be read. */
export type ParsedFrontmatter =
  | { ok: true; fields: Record<string, unknown>; body: string; repaired: boolean; doubled: readonly string[] }
  | { ok: false; code: FrontmatterDefect; message: string };

type FrontmatterDefect =
  | "no_frontmatter"
  | "unclosed_frontmatter"
  | "frontmatter_language"
  | "broken_yaml"
  | "not_a_mapping";

/**
 * Reads YAML (or JSON) frontmatter, tolerantly: byte order mark, CRLF and leading blank lines are fine, and values that only lack quotes
 * are quoted. Frontmatter in a programming language is refused and never run.
 */
export function parseFrontmatter(source: string): ParsedFrontmatter {
  const text = source
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/^\s*(?=---)/, "");
  const opening = /^---([^\n]*)(?:\n|$)/.exec(text);
  if (opening === null || opening[1]?.startsWith("-")) {
    return refuse(
      "no_frontmatter",
      "It does not begin with frontmatter. Begin it with a line ---, then name and description, then ---.",
    );
  }
  const language = (opening[1] ?? "").trim().toLowerCase();
  if (!["", "yaml", "yml", "json"].includes(language)) {
    return refuse(
      "frontmatter_language",
      `Its frontmatter is marked as ${language.slice(0, 40)}, which is never run. Write it in YAML after a bare --- line.`,
    );
  }
  if (!/\n---[ \t]*(?:\n|$)/.test(text)) {
    return refuse("unclosed_frontmatter", "Its frontmatter is not closed. Put a line --- after it.");
  }
  return readMatter(text);
}

function readMatter(text: string): ParsedFrontmatter {
  let read: Pick<ReturnType<typeof parseTolerantly>, "repaired" | "doubled"> = {
    repaired: false,
    doubled: [],
  };
  const yaml = (input: string): object => {
    const { value, ...how } = parseTolerantly(input);
    read = how;
    return (value ?? {}) as object;
  };
  try {
    const file = matter(text, { engines: { ...refusedEngines, yaml } });
    const fields: unknown = file.data;
    if (!isRecord(fields)) {
      return refuse("not_a_mapping", "Its frontmatter is not a list of `key: value` lines.");
    }
    return { ok: true, fields: { ...fields }, body: file.content.trim(), ...read };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return refuse("broken_yaml", `Its frontmatter is not valid YAML: ${reason.replace(/:$/, "")}.`);
  }
}

/** gray-matter would run these. The language was checked before; this is a second safeguard. */
const refusedEngines = Object.fromEntries(
  ["js", "javascript", "coffee", "coffeescript", "cson"].map((name) => [
    name,
    () => {
      throw new Error("frontmatter is never run as code");
    },
  ]),
);

const repairs = [
  (yaml: string) => yaml,
  quoteValues,
  repairMetadata,
  (yaml: string) => quoteValues(repairMetadata(yaml)),
  untab,
  (yaml: string) => quoteValues(repairMetadata(untab(yaml))),
];

/** @returns `doubled`: what the library says of keys that occur twice, of which the last one counts */
function parseTolerantly(written: string): { value: unknown; repaired: boolean; doubled: string[] } {
  // YAML would read a comment of JSON5 as the beginning of the key after it.
  const yaml = /^[ \t]*\/[/*]/m.test(written) ? repairMetadata(written) : written;
  let failure: YAMLParseError | undefined;
  for (const repair of repairs) {
    const attempt = repair(yaml);
    if (failure !== undefined && attempt === yaml) continue;
    const document = parseDocument(attempt, { logLevel: "silent" });
    const error = document.errors.find(({ code }) => code !== "DUPLICATE_KEY");
    if (error === undefined) {
      keepVersions(document);
      const doubled = document.errors.map((each) => doubledKey(attempt, each));
      const kept = doubled.length === 0 && keepWords(document, attempt);
      return { value: document.toJS(), repaired: kept || failure !== undefined, doubled };
    }
    failure ??= error;
  }
  const odd = failure && oddSpace(written, failure);
  throw odd === undefined ? (failure ?? new Error("it cannot be read")) : new Error(odd);
}

function doubledKey(yaml: string, { pos: [from] }: YAMLParseError): string {
  const [key = ""] = yaml.slice(from).split(/[:\n]/, 1);
  return `${key.trim().slice(0, 60)} (line ${yaml.slice(0, from).split("\n").length})`;
}

/** A blank other than a space or a tab, or an invisible character. */
const oddBlank = pattern("v")`(?!\t)(?:[^\S ]|${invisible})`;

/** What is wrong with the line of an error that has a space, or an invisible character, which YAML does not take for a space. */
function oddSpace(yaml: string, { linePos }: YAMLParseError): string | undefined {
  const number = linePos?.[0].line ?? 0;
  const line = yaml.split("\n")[number - 1] ?? "";
  const [found] = oddBlank.exec(line) ?? [];
  if (found === undefined) return undefined;
  const code = found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  return `line ${number} has the character U+${code} after “${line.split(found, 1)[0]?.slice(-60)}”, which looks like a space or like nothing; write a plain space there, or delete it`;
}

/** Restores words that YAML read as a comment, an anchor, a tag or a list; returns whether there were any. */
function keepWords(document: ReturnType<typeof parseDocument>, yaml: string): boolean {
  if (!isMap(document.contents)) return false;
  let kept = false;
  for (const [key, words] of writtenProse(yaml)) {
    const value = document.get(key);
    if (value === undefined || value === null || value === true || value === false) continue;
    const said = typeof value === "object" ? "" : String(value).replace(/\s+/g, " ").trim();
    if (said.length >= words.length) continue;
    document.set(key, words);
    kept = true;
  }
  return kept;
}

/** `version: 1.10` is the text 1.10, not the number 1.1. */
function keepVersions(document: ReturnType<typeof parseDocument>): void {
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== "version" || !isScalar(value)) return;
      if (typeof value.value === "number" && value.source !== undefined) value.value = value.source;
    },
  });
}

function refuse(code: FrontmatterDefect, message: string): ParsedFrontmatter {
  return { ok: false, code, message };
}

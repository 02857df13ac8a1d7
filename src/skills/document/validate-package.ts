import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { isAlias, isMap, isNode, LineCounter, parseDocument, visit, type YAMLMap } from "yaml";
import { plainText } from "../../base/decode-text.ts";
import { errorCode } from "../../base/error-text.ts";
import { isRecord } from "../../base/record.ts";

const maxName = 64;
const maxDescription = 1024;
const maxCompatibility = 500;
const allowedFields = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

/**
 * Checks a skill package strictly against the Agent Skills standard, as its reference validator (skills-ref) does: an unreadable SKILL.md
 * is the only error; otherwise the errors of all fields are returned. One deliberate difference: frontmatter ends at a line `---`, not at
 * the next `---` anywhere.
 */
export async function validatePackage(directory: string): Promise<{ valid: boolean; errors: string[] }> {
  const read = await readFields(directory);
  const errors = read.ok ? validateFields(read.fields, path.basename(path.resolve(directory))) : [read.error];
  return { valid: errors.length === 0, errors };
}

type Read = { ok: true; fields: Map<string, unknown> } | { ok: false; error: string };

async function readFields(directory: string): Promise<Read> {
  const kind = await kindOf(directory);
  if (kind === undefined) return { ok: false, error: `Path does not exist: ${directory}` };
  if (kind !== "directory") return { ok: false, error: `Not a directory: ${directory}` };
  const candidates = ["SKILL.md", "skill.md"].map((name) => path.join(directory, name));
  for (const file of candidates) {
    if ((await kindOf(file)) !== undefined) return parse(file);
  }
  return { ok: false, error: "Missing required file: SKILL.md" };
}

async function kindOf(file: string): Promise<"directory" | "file" | undefined> {
  try {
    return (await stat(file)).isDirectory() ? "directory" : "file";
  } catch {
    return undefined;
  }
}

async function parse(file: string): Promise<Read> {
  const refuse = (error: string): Read => ({ ok: false, error });
  let text: string | undefined;
  try {
    text = plainText(await readFile(file))?.replace(/\r\n?/g, "\n");
  } catch (error) {
    return refuse(`${path.basename(file)} cannot be read (${errorCode(error) ?? "unknown error"})`);
  }
  if (text === undefined) return refuse(`${path.basename(file)} is not UTF-8 text`);
  if (!text.startsWith("---")) return refuse("SKILL.md must start with YAML frontmatter (---)");
  const end = /\n---[ \t]*(?:\n|$)/.exec(text);
  if (end === null) return refuse("SKILL.md frontmatter not properly closed with ---");
  const yaml = parseStrictYaml(text.slice(3, end.index + 1));
  if (!yaml.ok) return refuse(`Invalid YAML in frontmatter: ${yaml.message}`);
  const { value } = yaml;
  if (!isRecord(value)) {
    return refuse("SKILL.md frontmatter must be a YAML mapping");
  }
  return { ok: true, fields: new Map(Object.entries(value)) };
}

function validateFields(fields: ReadonlyMap<string, unknown>, directoryName: string): string[] {
  const extra = [...fields.keys()].filter((key) => !allowedFields.includes(key)).sort();
  const errors =
    extra.length === 0
      ? []
      : [
          `Unexpected fields in frontmatter: ${extra.join(", ")}. Only ${allowedFields.join(", ")} are allowed.`,
        ];
  if (!fields.has("name")) errors.push("Missing required field in frontmatter: name");
  else errors.push(...validateName(fields.get("name"), directoryName));
  if (!fields.has("description")) errors.push("Missing required field in frontmatter: description");
  else errors.push(...validateDescription(fields.get("description")));
  if (fields.has("compatibility")) errors.push(...validateCompatibility(fields.get("compatibility")));
  return errors;
}

function validateName(written: unknown, directoryName: string): string[] {
  if (!isFilled(written)) return ["Field 'name' must be a non-empty string"];
  const name = written.trim().normalize("NFKC");
  const errors: string[] = [];
  const length = lengthOf(name);
  if (length > maxName) {
    errors.push(`Skill name '${name}' exceeds ${maxName} character limit (${length} chars)`);
  }
  if (name !== name.toLowerCase()) errors.push(`Skill name '${name}' must be lowercase`);
  if (name.startsWith("-") || name.endsWith("-")) errors.push("Skill name cannot start or end with a hyphen");
  if (name.includes("--")) errors.push("Skill name cannot contain consecutive hyphens");
  if (!/^[\p{L}\p{N}-]*$/u.test(name)) {
    errors.push(
      `Skill name '${name}' contains invalid characters. Only letters, digits, and hyphens are allowed.`,
    );
  }
  if (directoryName.normalize("NFKC") !== name) {
    errors.push(`Directory name '${directoryName}' must match skill name '${name}'`);
  }
  return errors;
}

function validateDescription(description: unknown): string[] {
  if (!isFilled(description)) return ["Field 'description' must be a non-empty string"];
  const length = lengthOf(description);
  if (length <= maxDescription) return [];
  return [`Description exceeds ${maxDescription} character limit (${length} chars)`];
}

function validateCompatibility(compatibility: unknown): string[] {
  if (typeof compatibility !== "string") return ["Field 'compatibility' must be a string"];
  const length = lengthOf(compatibility);
  if (length <= maxCompatibility) return [];
  return [`Compatibility exceeds ${maxCompatibility} character limit (${length} chars)`];
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Characters as the reference counts them: code points. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** A YAML text read as StrictYAML reads it: every scalar is text. Or the reason why StrictYAML refuses it. */
type StrictYaml = { ok: true; value: unknown } | { ok: false; message: string };

/**
 * Reads YAML within the limits of StrictYAML (hitchdev.com/strictyaml): no flow style, anchors, tags or duplicate keys, and sibling
 * mappings with equal indentation.
 */
function parseStrictYaml(text: string): StrictYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: "failsafe", logLevel: "silent", lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, message: error.message.split("\n")[0] ?? "" };
  let refused: string | undefined;
  visit(document, {
    Node(_, node) {
      refused = isNode(node) ? refusal(node, lines) : undefined;
      return refused === undefined ? undefined : visit.BREAK;
    },
    Alias() {
      refused = "anchors and aliases are not allowed";
      return visit.BREAK;
    },
  });
  if (refused !== undefined) return { ok: false, message: refused };
  return { ok: true, value: document.toJS() };
}

function refusal(node: object, lines: LineCounter): string | undefined {
  if (isAlias(node) || ("anchor" in node && node.anchor !== undefined))
    return "anchors and aliases are not allowed";
  if ("tag" in node && node.tag !== undefined) return "tags are not allowed";
  if ("flow" in node && node.flow === true) {
    return "flow style ({…} or […]) is not allowed; put the text in quotes or write the values on lines of their own";
  }
  return isMap(node) && isUneven(node, lines)
    ? "mappings beside each other are indented differently"
    : undefined;
}

function isUneven(map: YAMLMap, lines: LineCounter): boolean {
  const columns = map.items.flatMap(({ value }) => {
    const start = isMap(value) ? value.range?.[0] : undefined;
    return start === undefined ? [] : [lines.linePos(start).col];
  });
  return new Set(columns).size > 1;
}

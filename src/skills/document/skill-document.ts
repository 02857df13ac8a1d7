import { hash } from "node:crypto";
import { z } from "zod";
import { agentTools, type SkillAgent } from "../../core/skill/agent-tools.ts";
import {
  caution,
  type Diagnostic,
  defect,
  type Parameter,
  parameterSchema,
  parametersOf,
  type Skill,
  type SkillAbout,
  type SkillMetadata,
  skillMetadataSchema,
} from "../../core/skill/skill.ts";
import { asFields, FieldReader, type FieldShape, type Fields } from "./field-reader.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import { invocationKeys, readInvocation } from "./skill-invocation.ts";
import { readRequirements } from "./skill-requirements.ts";

/** The content of a SKILL.md, with the keys of every source: Agent Skills, OpenClaw (moltbot, clawdbot), LINX and Knack. */
export interface SkillDocument extends Pick<Skill, "invocation" | "settings" | "about" | "agent"> {
  metadata: SkillMetadata;
  instructions: string;
  /** The tools it expects, by the names of the agent it was written for. For information only: they open nothing. */
  allowed_tools?: string[] | undefined;
  entry_points?: Record<string, string> | undefined;
  /** It declares itself a package of tools. */
  tool_type?: ToolType | undefined;
}

type ToolType = "tool" | "langchain_tool";

function readToolType(reader: FieldReader): ToolType | undefined {
  const type = reader.read("skill_type", "text", z.string());
  return type === "tool" || type === "langchain_tool" ? type : undefined;
}

/** Characters; the standard's limit. A longer description is loaded with a warning. */
const maxDescription = 1024;

/**
 * Reads a SKILL.md tolerantly. The document is undefined only if there is no readable frontmatter, or no description; everything else is
 * loaded with diagnostics.
 */
export function readSkillDocument(
  source: string,
  path: string,
  folderName: string,
): { document: SkillDocument | undefined; diagnostics: Diagnostic[] } {
  const parsed = parseFrontmatter(source);
  if (!parsed.ok) return { document: undefined, diagnostics: [defect(path, parsed.code, parsed.message)] };
  const { fields, body, repaired, doubled } = parsed;
  const diagnostics: Diagnostic[] = [];
  const report = (code: string, message: string) => diagnostics.push(caution(path, code, message));
  if (repaired)
    report(
      "unquoted_value",
      "A value in its frontmatter needed quotes to be read. Put text with a colon in double quotes.",
    );
  if (doubled.length > 0) {
    const keys = doubled.join(", ");
    report("doubled_key", `Its frontmatter has a key twice, and the last one counts: ${keys}. Delete one.`);
  }
  const reader = new FieldReader(layersOf(fields, path, diagnostics), path, diagnostics);
  const description = readDescription(fields, reader);
  if (typeof description !== "string")
    return { document: undefined, diagnostics: [...diagnostics, defect(path, ...description)] };
  if ([...description].length > maxDescription)
    report("long_description", `Its description is longer than the standard's ${maxDescription} characters.`);
  reportIgnored(fields, path, diagnostics);
  const metadata = readMetadata(reader, description, folderName);
  const allowed_tools = readAllowedTools(reader);
  const document = {
    metadata,
    instructions: body,
    entry_points: readEntryPoints(reader),
    about: readAbout(reader),
    allowed_tools,
    agent: readAgent(reader, allowed_tools),
    tool_type: readToolType(reader),
    ...readInvocation(reader),
  };
  return { document, diagnostics };
}

/** Claude Code: a skill that runs in a conversation of its own. Its allowed tools then bind it, as far as there are such here. */
function readAgent(reader: FieldReader, allowed: readonly string[] | undefined): SkillAgent | undefined {
  if (reader.read("context", "text", z.string()) !== "fork") return undefined;
  return allowed === undefined ? {} : { tools: agentTools(allowed).tools };
}

function readAbout(reader: FieldReader): SkillAbout | undefined {
  const text = (name: string) => reader.read(name, "text", z.string());
  const given = ["summary", "license", "homepage", "emoji"].flatMap((name): [string, string][] => {
    const written = text(name);
    return written === undefined ? [] : [[name, written]];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The possible places of a field, the first wins: top level, `metadata.knack`, the OpenClaw block, `metadata` itself. */
function layersOf(fields: Fields, path: string, diagnostics: Diagnostic[]): Fields[] {
  if (fields.metadata === undefined || fields.metadata === null) return [fields];
  const metadata = asFields(fields.metadata);
  if (metadata === undefined) {
    diagnostics.push(caution(path, "wrong_type", "metadata is left out: it is neither a mapping nor JSON."));
    return [fields];
  }
  const blocks = ["knack", "openclaw", "moltbot", "clawdbot"].map((name) => asFields(metadata[name]));
  return [fields, ...blocks.filter((block) => block !== undefined), metadata];
}

/** The description, or the code and the message of what is wrong with it. */
function readDescription(fields: Fields, reader: FieldReader): string | [code: string, message: string] {
  const written = fields.description ?? fields.desc ?? "";
  if (typeof written !== "string")
    return ["wrong_type", "Its description is not text. Write one or two sentences in quotes."];
  const name = fields.description === undefined ? "desc" : "description";
  const advice = "It has no description. Add `description:` with what it does and when to use it.";
  return reader.read(name, "text", z.string().trim()) || ["missing_description", advice];
}

const shapes: Partial<Record<keyof SkillMetadata, FieldShape>> = {
  version: "text",
  category: "text",
  tool_category: "text",
  direct: "flag",
  tags: "list",
  author: "text",
  required_tools: "list",
  required_capabilities: "list",
  examples: "data",
  risk: "text",
  max_execution_seconds: "number",
  max_iterations: "number",
  enabled: "flag",
  active: "flag",
  tool_list: "data",
};

function readMetadata(reader: FieldReader, description: string, folderName: string): SkillMetadata {
  const values: Fields = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      reader.read(name, shape, skillMetadataSchema.shape[name as keyof SkillMetadata]),
    ]),
  );
  // Its mistakes are reported once.
  values.required_tools ??= readAllowedTools(new FieldReader(reader.layers, "", []));
  const parameters = readParameters(reader);
  const requires = readRequirements(reader);
  return skillMetadataSchema.parse({
    ...values,
    ...identify(reader, folderName),
    description,
    parameters,
    requires,
  });
}

/** An invalid path is left out with a diagnostic; the others stay. */
function readEntryPoints(reader: FieldReader): Record<string, string> | undefined {
  const written = reader.read("entry_points", "data", z.record(z.string(), z.unknown()));
  if (written === undefined) return undefined;
  const entries = Object.entries(written).flatMap(([name, target]): [string, string][] => {
    if (typeof target === "string") return [[name, target]];
    const advice = `it is not the path of a file. Write \`${name}: scripts/FILE\`.`;
    reader.caution("wrong_type", `The entry point ${name} is left out: ${advice}`);
    return [];
  });
  return Object.fromEntries(entries);
}

/** `Bash(git add:*) Read` is two tools. */
function readAllowedTools(reader: FieldReader): string[] | undefined {
  const written = reader.read("allowed_tools", "text", z.union([z.string(), z.array(z.string())]));
  return typeof written === "string" ? [...(written.match(/[^\s,(]+(?:\([^()]*\))?/g) ?? [])] : written;
}

/** A letter or digit of any script, then also dots, hyphens and underscores. */
const idPattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,199}$/u;

function identify(reader: FieldReader, folderName: string): { id: string; name: string } {
  const name = reader.read("name", "text", z.string().trim().min(1))?.normalize("NFKC");
  const folder = folderName.normalize("NFKC");
  const written = [reader.read("id", "text", z.string().trim())?.normalize("NFKC"), name, folder];
  const id = written.find((text) => text !== undefined && idPattern.test(text)) ?? slugOf(folder);
  if (name !== undefined && name !== folder && id !== folder)
    reader.caution(
      "name_differs",
      `Its name is ${name}, its folder ${folderName}. Make them the same; it is loaded as ${id}.`,
    );
  return { id, name: reader.read("title", "text", z.string().trim().min(1)) ?? name ?? folder };
}

/** Names that differ only in symbols such as emoji are distinguished by a hash. */
function slugOf(text: string): string {
  const slug = text.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[._-]+/, "");
  const isReadable = slug !== "" && /^[\p{L}\p{N}\p{ASCII}\s]*$/u.test(text);
  return isReadable
    ? slug
    : `${slug.replace(/(?<!-)-+$/, "") || "skill"}-${hash("sha256", text, "hex").slice(0, 8)}`;
}

const parametersSchema = z.preprocess((value) => {
  const schema = asFields(value);
  const properties = asFields(schema?.properties);
  const isSchema =
    properties !== undefined && Object.values(properties).every((each) => asFields(each) !== undefined);
  return isSchema ? parametersOf(schema as Parameters<typeof parametersOf>[0]) : value;
}, z.array(parameterSchema));

/** A list of parameters, or a JSON Schema object. One with a default is never required. */
function readParameters(reader: FieldReader): Parameter[] {
  const parameters = reader.read("parameters", "data", parametersSchema) ?? [];
  return parameters.map((each) => (each.default === undefined ? each : { ...each, required: false }));
}

const knownKeys = new Set([
  ...Object.keys(skillMetadataSchema.shape),
  ...["license", "compatibility", "metadata", "allowed_tools", "homepage", "emoji", "title", "os", "always"],
  ...["desc", "skill_type", "entry_points", "context"],
  ...invocationKeys,
]);

/** Keys without effect are named, so that typing errors are noticed. */
function reportIgnored(fields: Fields, path: string, diagnostics: Diagnostic[]): void {
  const ignored = Object.keys(fields).filter((key) => !knownKeys.has(key.replaceAll("-", "_")));
  if (ignored.length === 0) return;
  diagnostics.push({
    path,
    severity: "info",
    code: "ignored_keys",
    message: `Keys without effect here: ${ignored.join(", ")}.`,
  });
}

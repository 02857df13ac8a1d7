import { parse as parseToml } from "smol-toml";
import { parse, stringify } from "yaml";
import { errorText } from "../../base/error-text.ts";
import { beginningOf, oneLine } from "../../base/markdown-text.ts";
import { isRecord } from "../../base/record.ts";

/** A SKILL.md that says what a file of another format said. */
export type SkillFromFile =
  | { ok: true; text: string /** Keys of the file that have no meaning here. */; lost: string[] }
  | { ok: false; message: string };

/** Maximum characters of a description. */
const maxDescription = 1_000;

/** A command of Claude Code and of agents like it: Markdown, perhaps with frontmatter. */
export function commandAsSkill(text: string, name: string): SkillFromFile {
  const file = readMarkdown(text);
  return file.ok ? skill(name, file.fields, file.body, { isCommand: true }) : file;
}

/** An agent or a rule: a prompt with a description. */
export function promptAsSkill(text: string, name: string): SkillFromFile {
  const file = readMarkdown(text);
  return file.ok ? skill(name, file.fields, file.body, { isCommand: false }) : file;
}

/** A command of Gemini CLI. */
export function tomlAsSkill(text: string, name: string): SkillFromFile {
  try {
    const { prompt, ...fields } = parseToml(text);
    if (typeof prompt !== "string") return { ok: false, message: "It has no prompt." };
    return skill(name, fields, prompt.trim(), { isCommand: true });
  } catch (error) {
    return { ok: false, message: `It is not valid TOML: ${oneLine(errorText(error), 200)}` };
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Frontmatter is read as YAML whatever it calls itself, so that none is ever run. */
function readMarkdown(
  text: string,
): { ok: true; fields: Fields; body: string } | { ok: false; message: string } {
  const plain = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const opening = /^---[^\n]*\n/.exec(plain);
  if (opening === null) return { ok: true, fields: {}, body: plain.trim() };
  const end = plain.indexOf("\n---", opening[0].length - 1);
  if (end === -1) return { ok: false, message: "Its frontmatter is not closed." };
  const written = plain.slice(opening[0].length, end);
  const body = plain.slice(plain.indexOf("\n", end + 1) + 1 || plain.length).trim();
  return { ok: true, fields: fieldsIn(written), body };
}

/** Other programs read line by line what YAML refuses, such as a colon in a description. */
function fieldsIn(written: string): Fields {
  try {
    const fields: unknown = parse(written);
    if (isRecord(fields)) return fields;
  } catch {
    // Read below.
  }
  const lines = written.split("\n").flatMap((line) => {
    const [, key, value] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(lines);
}

/** Keys that a skill says too. */
const kept: ReadonlySet<string> = new Set([
  "name",
  "description",
  "argument-hint",
  "disable-model-invocation",
]);

function skill(
  name: string,
  fields: Fields,
  body: string,
  { isCommand }: { isCommand: boolean },
): SkillFromFile {
  if (body === "") return { ok: false, message: "It is empty." };
  const id = slug(isCommand ? name : (textOf(fields.name) ?? name));
  if (id === "") return { ok: false, message: "Its name has no letter and no digit." };
  const firstLine = body.split("\n").find((line) => /\p{L}/u.test(line)) ?? body;
  const hint = textOf(fields["argument-hint"]);
  const said = textOf(fields.description) ?? firstLine.replace(/^[#>*\s-]+/, "");
  const description = oneLine(hint === undefined ? said : `${said} Arguments: ${hint}`, maxDescription);
  const frontmatter = {
    name: id,
    description: beginningOf(description, maxDescription),
    ...(isCommand && { "disable-model-invocation": true }),
  };
  const lost = Object.keys(fields).filter((key) => !kept.has(key));
  if (body.includes("CLAUDE_PLUGIN_ROOT")) lost.push("the plugin's own files");
  return {
    ok: true,
    text: `---\n${stringify(frontmatter)}---\n\n${isCommand ? withArguments(body) : body}\n`,
    lost,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** `git/commit` is `git-commit`. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 64)
    .replace(/^-|-$/g, "");
}

/** Says what the placeholders of the other program stand for. */
function withArguments(body: string): string {
  const lines = [
    ...(/\$(?:ARGUMENTS|\d)\b|\{\{args\}\}/.test(body)
      ? [
          "`$ARGUMENTS`, `{{args}}` and `$1`, `$2` … stand for what the person asks with this command: all of it, and its words.",
        ]
      : []),
    ...(/!`|!\{/.test(body)
      ? ["What stands in !`…` or !{…} has not been run: run it where it is needed."]
      : []),
  ];
  return lines.length === 0 ? body : `${lines.join(" ")}\n\n${body}`;
}

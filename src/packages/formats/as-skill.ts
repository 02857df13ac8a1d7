import { parse as parseToml } from "smol-toml";
import { parse, stringify } from "yaml";
import { errorText } from "../../base/error-text.ts";
import { beginningOf, oneLine } from "../../base/markdown-text.ts";
import { isRecord } from "../../base/record.ts";
import { agentTools } from "../../core/skill/agent-tools.ts";

/** A SKILL.md that says what a file of another format said. */
export type SkillFromFile =
  | { ok: true; text: string /** Keys of the file that have no meaning here. */; lost: string[] }
  | { ok: false; message: string };

/** Maximum characters of a description. */
const maxDescription = 1_000;

/** A command of Claude Code and of agents like it: Markdown, perhaps with frontmatter. */
export function commandAsSkill(text: string, name: string): SkillFromFile {
  const file = readMarkdown(text);
  return file.ok ? skill(name, file.fields, file.body, command) : file;
}

/** An agent: a prompt with a description and the names of tools. */
export function agentAsSkill(text: string, name: string): SkillFromFile {
  const file = readMarkdown(text);
  if (!file.ok) return file;
  const { tools, ...fields } = file.fields;
  const names = toolNames(tools);
  const more = { context: "fork", ...(names.length > 0 && { "allowed-tools": names }) };
  const made = skill(name, fields, file.body, more);
  const unknown = agentTools(names).unknown.map((tool) => `the tool ${oneLine(tool, 60)}`);
  return made.ok ? { ...made, lost: [...made.lost, ...unknown] } : made;
}

/** A rule of Cursor: in a channel where people enable it, its text is part of the instructions. */
export function ruleAsSkill(text: string, name: string): SkillFromFile {
  const file = readMarkdown(text);
  return file.ok ? skill(name, file.fields, file.body, instructions) : file;
}

/** Instructions for agents in a project, which apply as a rule does. */
export function instructionsAsSkill(text: string, name: string): SkillFromFile {
  const body = text.trim();
  const description = `Instructions from ${name}: ${firstLine(body)}`;
  const made = skill(name, { description }, body, instructions);
  return made.ok && /^@\S/m.test(text) ? { ...made, lost: ["the files it imports (@…)"] } : made;
}

/** `Read, Grep`, a list, or OpenCode's `{ write: false, bash: true }`. */
function toolNames(tools: unknown): string[] {
  if (typeof tools === "string")
    return (tools.match(/[^,(]+(?:\([^)]*\)?)?/g) ?? []).map((name) => name.trim());
  if (Array.isArray(tools)) return tools.map(String);
  return isRecord(tools) ? Object.keys(tools).filter((name) => tools[name] === true) : [];
}

/** A command of Gemini CLI. */
export function tomlAsSkill(text: string, name: string): SkillFromFile {
  try {
    const { prompt, ...fields } = parseToml(text);
    if (typeof prompt !== "string") return { ok: false, message: "It has no prompt." };
    return skill(name, fields, prompt.trim(), command);
  } catch (error) {
    return { ok: false, message: `It is not valid TOML: ${oneLine(errorText(error), 200)}` };
  }
}

/** What the frontmatter of a command says besides its name. */
const command = { "disable-model-invocation": true };

/** What the frontmatter of instructions says besides their name. */
const instructions = { "user-invocable": false };

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
  "alwaysApply",
  "disable-model-invocation",
]);

function skill(name: string, fields: Fields, body: string, more: Fields): SkillFromFile {
  if (body === "") return { ok: false, message: "It is empty." };
  const id = slug(more === command ? name : (textOf(fields.name) ?? name));
  if (id === "") return { ok: false, message: "Its name has no letter and no digit." };
  const hint = textOf(fields["argument-hint"]);
  const said = textOf(fields.description) ?? firstLine(body);
  const description = oneLine(
    hint === undefined ? said : `${said.replace(/[^.!?]$/, "$&.")} Arguments: ${hint}`,
    maxDescription,
  );
  const frontmatter = {
    name: id,
    description: beginningOf(description, maxDescription),
    ...more,
  };
  const lost = Object.keys(fields).filter((key) => !kept.has(key));
  return {
    ok: true,
    text: `---\n${stringify(frontmatter)}---\n\n${more === command ? withArguments(body) : body}\n`,
    lost,
  };
}

/** The first line with a letter, without marks of Markdown. */
function firstLine(body: string): string {
  const line = body.split("\n").find((each) => /\p{L}/u.test(each)) ?? body;
  return line.replace(/^[#>*\s-]+/, "");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** `git/commit` is `git-commit`. */
function slug(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
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

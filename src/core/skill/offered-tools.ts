import { cutNote } from "../values/cut.ts";
import { escapeMarkup, type Json } from "../values/json.ts";
import { isWanted, serverSkillId } from "./catalogue.ts";
import type { Offer, OfferedSkill, OfferedTools } from "./namespace-state.ts";
import type { Parameter, Skill } from "./skill.ts";
import { uniqueToolNames } from "./skill-identifier.ts";
import type { Tool } from "./tool.ts";

/**
 * Names the tools of all usable skills, active or not. During a conversation a name changes only if another tool with the same name is
 * installed.
 *
 * @param reserved names of the agent's own tools, which skills cannot take
 */
export function createOfferedTools(
  offer: Pick<Offer, "all" | "catalogue" | "usable" | "denies">,
  reserved = ownToolNames,
): OfferedTools {
  const usable = new Set(offer.usable.map(({ skill }) => skill.id));
  const entries = new Map<string, { tool: Tool; source: string; roots: string[] }>();
  const add = (tool: Tool, source: string, root: string) => {
    if (offer.denies?.(tool) === true) return;
    const key = `${tool.skill_id} ${tool.name}`;
    const known = entries.get(key);
    if (known === undefined) entries.set(key, { tool, source, roots: [root] });
    else if (!known.roots.includes(root)) known.roots.push(root);
  };
  const inOrder = offer.usable.toSorted((a, b) => (a.skill.id < b.skill.id ? -1 : 1));
  for (const offered of inOrder) {
    const { id, tools, origin } = offered.skill;
    for (const tool of tools) if (usable.has(tool.skill_id)) add(tool, origin.source, id);
  }
  for (const offered of inOrder) {
    for (const { tool, source } of openedTools(offer, offered)) add(tool, source, offered.skill.id);
  }
  const list = [...entries.values()];
  const named = uniqueToolNames(list, reserved);
  return new Map(
    named.map((tool, at) => {
      const { name, description, parameters } = tool;
      const definition = { name, description, parameters };
      return [name, { tool, definition, roots: list[at]?.roots ?? [] }];
    }),
  );
}

/** Names of the agent's own tools. A test compares this list with the tools. */
export const ownToolNames: ReadonlySet<string> = new Set([
  "list_skills",
  "activate_skill",
  "find_tools",
  "offload_skill",
  "invoke_skill",
  "read_skill_file",
  "run_skill_script",
  "list_files",
  "read_file",
  "write_file",
  "run_code",
  "ask_user",
  "handoff",
]);

/**
 * The tools that an active skill opens through its `tool_list`. The server's own skill need not be active, but it must be usable and not
 * blocked. If people have to enable it, only a skill that they enabled can open it.
 */
function openedTools(
  offer: Pick<Offer, "all" | "catalogue" | "usable">,
  opener: OfferedSkill,
): { tool: Tool; source: string }[] {
  if (opener.skill.parent !== undefined || Object.keys(opener.skill.tool_list).length === 0) return [];
  const usable = new Set(offer.usable.map(({ skill }) => skill.id));
  const isOpen = (id: string) => {
    const offered = offer.all.get(id);
    if (offered === undefined || offered.state === "blocked" || offered.reasons.length > 0) return false;
    return usable.has(id) || opener.state === "pinned";
  };
  return Object.entries(opener.skill.tool_list).flatMap(([server, wanted]) => {
    const skill = offer.catalogue.skills.get(serverSkillId(server));
    if (skill === undefined) return [];
    const { source } = skill.origin;
    return skill.tools
      .filter((tool) => isOpen(skill.id) && isOpen(tool.skill_id) && isWanted(tool, server, wanted))
      .map((tool) => ({ tool, source }));
  });
}

/** Skills with more parts than this are listed without signatures; `list_skills` shows them. */
const maxParts = 6;
const maxParameters = 10;
const maxChoices = 8;

/**
 * The lines of skills by id, in the order of ids: what models do not have among their tools anyway. Of `open` skills these are the parts
 * that are listed, of others the whole skill.
 */
export function skillLines(
  usable: readonly OfferedSkill[],
  open: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const skills = usable.map(({ skill }) => skill);
  const parts = Map.groupBy(skills, ({ parent }) => parent);
  const listed = skills.filter(({ id, parent, tools }) =>
    parent === undefined ? !open.has(id) : open.has(parent) && tools.some((tool) => tool.listed),
  );
  return new Map(
    listed
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((skill) => [skill.id, skillLine(skill, parts.get(skill.id) ?? [])]),
  );
}

/** The line of a skill in the instructions: its signature and its description. */
function skillLine(skill: Skill, parts: readonly Skill[]): string {
  const text = oneLine(skill.description) || oneLine(skill.name);
  return escapeMarkup(`- ${head(skill, parts)}: ${text}`).replaceAll("&quot;", '"');
}

function head(skill: Skill, parts: readonly Skill[]): string {
  if (skill.kind === "mcp") return `${skill.id} (server)`;
  if (skill.tools.length === 0) return `${skill.id} (guide)`;
  if (skill.tools.length === 1) return skill.id + signature(skill.parameters);
  if (parts.length === 0 || parts.length > maxParts) return skill.id;
  return `${skill.id} [${parts.map((part) => part.id + signature(part.parameters)).join(", ")}]`;
}

/** `(text, analysis_type=sentiment|keywords, language?)`: choices begin with the default, `?` marks optional parameters. */
function signature(parameters: readonly Parameter[]): string {
  const shown = parameters.slice(0, maxParameters).map(parameterText);
  const more = parameters.length > maxParameters ? ["…"] : [];
  return `(${[...shown, ...more].join(", ")})`;
}

function parameterText({ name, required, enum: choices = [], default: preset }: Parameter): string {
  const called = required ? name : `${name}?`;
  if (choices.length > 0) return `${called}=${choicesText(choices, preset)}`;
  const isPlain = typeof preset === "number" || typeof preset === "boolean";
  return isPlain ? `${called}=${preset}` : called;
}

function choicesText(choices: readonly Json[], preset: Json | undefined): string {
  const others = choices.filter((choice) => choice !== preset);
  const inOrder = preset === undefined ? others : [preset, ...others];
  const listed = inOrder.slice(0, maxChoices).map(String).join("|");
  return inOrder.length > maxChoices ? `${listed}|…` : listed;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const end = "</skill_guide>";

/**
 * The guide of a skill in the form for models. Its text can neither close the block nor open one of another skill. Of a guide that is cut,
 * the notes come first.
 * @param endOf where the guide is cut: the number of its characters that fit; all by default
 */
export function guide(
  skill: Pick<Skill, "id" | "instructions" | "guide_note">,
  endOf = ({ length }: string) => length,
): string {
  const whole = skill.instructions.trim();
  const to = endOf(whole);
  const note = (skill.guide_note ?? "").trim();
  const rest = `read_skill_file(skill_name: "${skill.id}", file_path: "SKILL.md", offset: ${to}) reads on`;
  const cut = cutNote(`the first ${to} of the guide's ${whole.length} characters`, rest);
  const parts = to < whole.length ? [cut, note, whole.slice(0, to)] : [whole, note];
  const text = parts.filter((part) => part !== "").join("\n\n");
  const inside = text.replace(/<(?=\s*(?:\/\s*)?skill_guide)/gi, "&lt;");
  return `<skill_guide skill="${escapeMarkup(skill.id)}">\n${inside}\n${end}`;
}

/** A tool's result with its guides removed: a transcript contains one full copy, and a new transcript adds its own. */
export function withoutGuides(text: string): string {
  let rest = text;
  for (let from = rest.indexOf("<skill_guide "); from >= 0; from = rest.indexOf("<skill_guide ", from)) {
    const to = rest.indexOf(end, from);
    if (to < 0) return rest;
    const note = "(the guide was here)";
    rest = rest.slice(0, from) + note + rest.slice(to + end.length);
    from += note.length;
  }
  return rest;
}

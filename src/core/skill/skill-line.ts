import { escapeMarkup } from "../values/escape-markup.ts";
import type { Json } from "../values/json.ts";
import type { OfferedSkill } from "./offer.ts";
import type { Parameter } from "./parameter.ts";
import type { Skill } from "./skill.ts";

/** Signatures of more parts than this are left to `list_skills`. */
const mostParts = 6;
const mostParameters = 10;
const mostChoices = 8;

/** The lines of root skills by id, in the order of ids. `open`: skills whose tools are there anyway. */
export function skillLines(
  usable: readonly OfferedSkill[],
  open: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const roots = usable.filter(({ skill }) => skill.parent === undefined);
  const parts = Map.groupBy(
    usable.flatMap(({ skill }) => (skill.parent === undefined ? [] : skill)),
    ({ parent }) => parent,
  );
  return new Map(
    roots
      .toSorted((a, b) => (a.skill.id < b.skill.id ? -1 : 1))
      .map(({ skill }) => [skill.id, skillLine(skill, parts.get(skill.id) ?? [], open.has(skill.id))]),
  );
}

/**
 * A skill as the list in the instructions shows it: how it is called, and its whole description. A skill whose tools are
 * there anyway needs no signature, and no description that one of them has.
 */
function skillLine(skill: Skill, parts: readonly Skill[], isOpen: boolean): string {
  const description = oneLine(skill.description);
  const isSaid = isOpen && skill.tools.some((tool) => oneLine(tool.description) === description);
  const text = isSaid ? "" : `: ${description === "" ? oneLine(skill.name) : description}`;
  return escapeMarkup(`- ${head(skill, parts, isOpen)}${text}`).replaceAll("&quot;", '"');
}

function head(skill: Skill, parts: readonly Skill[], isOpen: boolean): string {
  if (isOpen) return `${skill.id} (open)`;
  if (skill.kind === "mcp") return `${skill.id} (server)`;
  if (skill.tools.length === 0) return `${skill.id} (guide)`;
  if (skill.tools.length === 1) return skill.id + signature(skill.parameters);
  if (parts.length === 0 || parts.length > mostParts) return skill.id;
  return `${skill.id} [${parts.map((part) => part.id + signature(part.parameters)).join(", ")}]`;
}

/** `(text, analysis_type=sentiment|keywords, language?)`: choices begin with the default, `?` marks what may be left out. */
function signature(parameters: readonly Parameter[]): string {
  const shown = parameters.slice(0, mostParameters).map(parameterText);
  const more = parameters.length > mostParameters ? ["…"] : [];
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
  const listed = inOrder.slice(0, mostChoices).map(String).join("|");
  return inOrder.length > mostChoices ? `${listed}|…` : listed;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

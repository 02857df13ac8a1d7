import { escapeMarkup } from "../values/escape-markup.ts";
import type { Skill } from "./skill.ts";

const end = "</skill_guide>";

/** The usage guide of a skill as a model is given it. Its text cannot close the block, nor open one of another skill. */
export function guide(skill: Pick<Skill, "id" | "instructions" | "guide_note">): string {
  const parts = [skill.instructions, skill.guide_note ?? ""].map((part) => part.trim());
  const text = parts.filter((part) => part !== "").join("\n\n");
  const inside = text.replace(/<(?=\s*(?:\/\s*)?skill_guide)/gi, "&lt;");
  return `<skill_guide skill="${escapeMarkup(skill.id)}">\n${inside}\n${end}`;
}

/** A tool's result without the guides that a call adds to it when it activates their skills. */
export function beforeGuides(text: string): string {
  const at = text.indexOf("\n\n<skill_guide ");
  return at < 0 ? text : text.slice(0, at);
}

/** A tool's result without the guides in it: a transcript has one whole copy, and a new one gives it anew. */
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

import type { Diagnostic } from "../../core/skill.ts";
import { escapeMarkdown, oneLine } from "../chat/present/escape-markdown.ts";
import type { SkillListing } from "../services/skill-listing.ts";
import { skillLine } from "./skill-text.ts";

/** Skills one message lists: about what Slack and Discord show in two or three messages. */
const mostListed = 50;
const mostBroken = 5;

/** A list of skills that stays readable. What a person or the agent decided about is not left out, and the rest is counted. */
export function skillLines(found: readonly SkillListing[]): string[] {
  const decided = found.filter(({ state }) => state !== "available").length;
  let room = Math.max(0, mostListed - decided);
  const listed = found.filter(({ state }) => {
    if (state !== "available") return true;
    room -= 1;
    return room >= 0;
  });
  const more = found.length - listed.length;
  const rest = more === 0 ? [] : [`- … and ${more} more: \`/skill list WORDS\` finds those that fit.`];
  return [...listed.map(skillLine), ...rest];
}

/** What was put there and could not be loaded, each with its reason. Of a path people see the end, not where the bot lives. */
export function brokenLines(diagnostics: readonly Diagnostic[]): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return [];
  const lines = errors.slice(0, mostBroken).map(({ path, message }) => {
    const end = path.split(/[\\/]/).slice(-2).join("/");
    return `- ${escapeMarkdown(oneLine(end, 100))}: ${escapeMarkdown(oneLine(message, 300))}`;
  });
  const more = errors.length - lines.length;
  const rest = more === 0 ? [] : [`- … and ${more} more: \`knack doctor\` shows all.`];
  return ["", "Could not be loaded:", "", ...lines, ...rest];
}

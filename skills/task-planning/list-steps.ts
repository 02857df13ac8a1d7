import type { Plan } from "./plan.ts";
import { usualSteps } from "./plan-pattern.ts";

/** Where one step ends and the next begins when they are told in one sentence. */
const between =
  / ?(?:;|,? and then |,? then (?=\p{L})|, ?after that,? |, ?afterwards,? |, ?finally,? | (?:und|,) ?dann |,? puis |,? luego |(?:→|->|=>) ?)/iu;
const leading =
  /^(?:(?:and|then|next|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|afterwards|after that|zuerst|dann|danach|zuletzt|we (?:need to|have to|must|should)|i (?:need to|have to|must|should))[\s,:]+)+/iu;
const marker = /^\s*(?:[-*•+]|\d{1,3}[.)]|\[[ x]?\])\s+(?:\[[ x]?\]\s+)?/i;

/** A checklist that needs no model. A type of JSON: the step that makes it is stored. */
export type ListedSteps = {
  plan: Plan;
  notes: string[];
  /** The kind of undertaking whose usual steps these are; undefined when they are the person's own. */
  usual_for?: string;
};

/**
 * A plain checklist out of a person's own words, without a language model: lines and list items, else sentences, else the
 * parts between "and then". What is said before a list (`Launch the site:`) is the title. Where only a goal is told, the steps are
 * the usual ones of such a task.
 */
export function listSteps(text: string, maxSteps: number): ListedSteps {
  const { title, body } = takeTitle(text.trim());
  const parts = splitParts(body)
    .map(tidy)
    .filter((part) => part !== "");
  if (parts.length < 2) {
    const goal = tidy(title ?? text) || text.trim();
    const { kind, titles } = usualSteps(text, maxSteps);
    return { plan: checklist(goal.replace(wantedLength, ""), titles), notes: [], usual_for: kind };
  }
  const kept = parts.slice(0, maxSteps);
  const left = parts.length - kept.length;
  const notes = left > 0 ? [`${left} more were left out; raise max_steps to see them.`] : [];
  return { plan: checklist(title ?? "Checklist", kept), notes };
}

/** How long the plan is to be is no part of its title. */
const wantedLength = /(?<!\s)\s+(?:in|with)\s+[\p{L}\d]+\s+(?:steps?|parts?|points?)$/iu;

function checklist(title: string, steps: readonly string[]): Plan {
  return {
    title: shorten(title),
    steps: steps.map((step, index) => ({
      id: index + 1,
      title: step,
      description: "",
      depends_on: [],
      complexity: "medium" as const,
      success_criteria: "",
    })),
    risks: [],
    questions: [],
  };
}

function takeTitle(text: string): { title?: string; body: string } {
  const found = /^([^\n:]{1,120}):\s+([\s\S]+)$/.exec(text);
  const [, title, body] = found ?? [];
  return title === undefined || body === undefined || /\b\d{1,2}$/.test(title)
    ? { body: text }
    : { title, body };
}

function splitParts(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const items = lines.filter((line) => marker.test(line));
  if (items.length > 1) return items;
  const sentences = (lines.length > 1 ? lines : [text]).flatMap((line) =>
    [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(line)].map(
      ({ segment }) => segment,
    ),
  );
  const parts = sentences.flatMap((sentence) => sentence.replace(/\s+/g, " ").split(between));
  return parts.length > 1 ? parts : splitEnumeration(text);
}

/** `book a room, invite people and order food`: three or more parts with commas are steps. */
function splitEnumeration(text: string): string[] {
  const words = text.replace(/\s+/g, " ");
  const parts = words.split(/ ?, ?(?:(?:and|or|und|et|y) )?/iu).filter((part) => part !== "");
  if (parts.length < 2) return [text];
  const last = parts.at(-1) ?? "";
  const [before, ...after] = last.split(/ (?:and|und|et|y) /iu);
  return after.length === 1 ? [...parts.slice(0, -1), before ?? "", ...after] : parts;
}

function tidy(part: string): string {
  const bare = part
    .replace(marker, "")
    .trim()
    .replace(leading, "")
    .replace(/(?<![\s.;,])[\s.;,]+$/, "")
    .trim();
  return shorten(bare.charAt(0).toUpperCase() + bare.slice(1));
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

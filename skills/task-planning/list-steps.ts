import type { Plan } from "./plan.ts";

/** Separators of steps within one sentence. */
const between =
  / ?(?:;|,? and then |,? then (?=\p{L})|, ?after that,? |, ?afterwards,? |, ?finally,? | (?:und|,) ?dann |,? puis |,? luego |(?:→|->|=>) ?)/iu;
const leading =
  /^(?:(?:and|then|next|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|afterwards|after that|zuerst|dann|danach|zuletzt|we (?:need to|have to|must|should)|i (?:need to|have to|must|should))[\s,:]+)+/iu;
const marker = /^\s*(?:[-*•+]|\d{1,3}[.)]|\[[ x]?\])\s+(?:\[[ x]?\]\s+)?/i;

/** A checklist made without a model. A type alias, so that it is JSON that a step can store. */
export type ListedSteps = {
  plan: Plan;
  notes: string[];
  /** The kind of task whose usual steps these are; undefined if the person named the steps. */
  usual_for?: string;
};

/**
 * A checklist from a person's own words, without a language model: lines and list items, or else sentences, or else the parts
 * between "and then". Text before a list (`Launch the site:`) is the title. If the text only names a goal, the steps are the usual
 * ones for such a task.
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

/** The requested length of the plan, which is not part of its title. */
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

/** `book a room, invite people and order food`: three or more parts separated by commas are steps. */
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

/** The usual steps for one kind of task. */
interface Pattern {
  /** The name of the kind in the note below the plan. */
  kind: string;
  /** Recognises a task of this kind. */
  words: RegExp;
  /** In working order, each with its rank: a shorter plan keeps the steps with the lowest ranks. */
  steps: readonly (readonly [title: string, importance: number])[];
}

const patterns: readonly Pattern[] = [
  {
    kind: "a release",
    words: /\b(?:release|launch|relaunch|roll-?out|deploy(?:ment)?|go-?live|migration|ship)\b/i,
    steps: [
      ["Agree what is in and what is not, and fix the date", 1],
      ["Name who does what, and who decides whether it goes out", 6],
      ["Finish the open work and freeze changes", 2],
      ["Test it as users will use it, and correct what fails", 3],
      ["Prepare the notes, the announcement and the way back", 5],
      ["Publish it", 4],
      ["Watch errors and feedback, and decide whether it stays", 5],
      ["Write down what to do better next time", 7],
    ],
  },
  {
    kind: "a trip",
    words: /\b(?:holidays?|vacation|trip|travel|journey|urlaub|reise)\b/i,
    steps: [
      ["Settle dates, budget and who comes along", 1],
      ["Choose the places and how long to stay in each", 2],
      ["Check documents, insurance and what has to be booked early", 5],
      ["Book travel and places to stay", 3],
      ["List what to see, with one thing fixed a day at most", 4],
      ["Arrange what runs on at home", 7],
      ["Pack, and check in", 6],
    ],
  },
  {
    kind: "an event",
    words: /\b(?:party|event|meeting|workshop|conference|offsite|wedding|birthday|meetup|feier)\b/i,
    steps: [
      ["Settle the purpose, the date and the budget", 1],
      ["Write the list of guests and invite them", 2],
      ["Book the place and what it needs", 3],
      ["Plan the course of the day", 5],
      ["Order food, drinks and material", 4],
      ["Confirm numbers and tasks the day before", 6],
      ["Hold it, tidy up and thank people", 7],
    ],
  },
  {
    kind: "learning something",
    words: /\b(?:learn|learning|study|studying|exam|course|lernen)\b/i,
    steps: [
      ["Write down what you want to be able to do, and by when", 1],
      ["Choose one main course or book", 2],
      ["Fix the days and times of practice", 3],
      ["Work through the basics", 5],
      ["Use it for something real every week", 4],
      ["Test yourself halfway, and repeat what is weak", 6],
      ["Do what you set out to do, and choose the next goal", 7],
    ],
  },
];

const anything: Pattern = {
  kind: "any task",
  words: /(?:)/,
  steps: [
    ["Write down the goal, and how to tell that it is reached", 1],
    ["Collect what is known, what is missing and who is needed", 4],
    ["Split the work into parts, each with an owner and a date", 2],
    ["Begin with the riskiest part", 5],
    ["Work through the other parts", 3],
    ["Check the result against the goal, and correct it", 4],
    ["Hand it over, and write down what was learnt", 6],
  ],
};

/** The usual steps for a task that only names a goal: the most important ones, at most `maxSteps`. */
function usualSteps(task: string, maxSteps: number): { kind: string; titles: string[] } {
  const { kind, steps } = patterns.find(({ words }) => words.test(task)) ?? anything;
  const kept = new Set(steps.toSorted(([, a], [, b]) => a - b).slice(0, maxSteps));
  return { kind, titles: steps.filter((step) => kept.has(step)).map(([title]) => title) };
}

import { stemmer } from "stemmer";

/** Words that say nothing about what is wanted. */
const common = words(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
  could did do does doing done each even ever few for from further had has have having he her here hers him his how i if
  in into is it its itself just let like me more most my need no nor not now of off on once only or other our out over
  own per please same she should so some such than that the their them then there these they this those through to too
  under until up us use used uses using very want wants was we were what when where which while who whom why will with
  would you your yours tell show give get make whether person people someone something anything asks ask user
  wie was wer wo wann warum ist sind der das den dem ein eine einen bitte mir mich dir kannst du ich`,
);

/** Words that mean the same for choosing a skill; the first stands for the others. */
const families = [
  "remember memorize memorise note merk merke merken notiere",
  "recall recollect",
  "forget unlearn vergiss",
  "summary summarise summarize summarizing tldr shorten digest",
  "search google lookup find",
  "image picture photo illustration draw drawing",
  "chart graph plot diagram visualise visualize visualization visualisation",
  "weather forecast temperature rain wetter",
  "analyse analyze analysis analyzer analyser",
  "plan planning roadmap planner plane",
  "incident outage postmortem rca",
  "page website webpage site url link",
  "translate translation",
  "sentiment mood tone feeling positive negative",
  "readability readable legible",
  "statistics statistic stats",
  "keyword keywords topics",
];

const representative = new Map(
  families.flatMap((family) => {
    const [head = "", ...others] = family.split(" ").map((word) => stemmer(word));
    return [head, ...others].map((word): [string, string] => [word, head]);
  }),
);

/** Longest text the rules read; what follows is only passed on. */
export const readCharacters = 4_000;

/** One word of a text and where it stands. */
export interface Token {
  text: string;
  /** Lower case, without accents. */
  plain: string;
  /** What the word is compared by: its stem, or the stem its family has in common. */
  stem: string;
  start: number;
  end: number;
}

/** The words of the beginning of a text. */
export function tokenize(text: string): Token[] {
  const found = text.slice(0, readCharacters).matchAll(/[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)?/gu);
  return [...found].map((match) => {
    const plain = match[0].normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("’", "'");
    const bare = plain.replace(/'(?:s|re|ve|ll|d|m)$/, "");
    const start = match.index;
    return { text: match[0], plain: bare, stem: stemOf(bare), start, end: start + match[0].length };
  });
}

/** Whether a word says nothing about what is wanted. */
export function isCommon(plain: string): boolean {
  return common.has(plain) || common.has(plain.replace(/'.*$/, ""));
}

/** The stems of the telling words of a text. */
export function stemsOf(text: string): Set<string> {
  const spaced = text.replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1 ");
  return new Set(
    tokenize(spaced)
      .filter(({ plain }) => !isCommon(plain))
      .map(({ stem }) => stem),
  );
}

function stemOf(plain: string): string {
  const stem = /^[a-z]+$/.test(plain) ? stemmer(plain) : plain;
  return representative.get(stem) ?? stem;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

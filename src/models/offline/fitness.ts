import type { RequestText } from "./request-text.ts";
import { isCommon, stemsOf, type Token } from "./vocabulary.ts";

/** Something that may fit a message, by the words that name it and those that tell about it. */
export interface Candidate<T> {
  value: T;
  names: ReadonlySet<string>;
  telling: ReadonlySet<string>;
  /** Whether it works on an address. */
  takesUrl: boolean;
}

export interface Fit<T> {
  value: T;
  score: number;
  /** Stems of the message that name the candidate. */
  triggers: ReadonlySet<string>;
}

/** From this score on a candidate is taken: one naming word, or several telling ones. */
export const goodFit = 1.75;
/** From this score on no further candidates are looked for. */
export const clearFit = 4;

/** Telling words of a message that are looked at. */
const readWords = 30;
const worth = { name: 3, telling: 0.9, url: 2 };
/** A word counts more as the command of the message, and less somewhere in a statement. */
const emphasis = { command: 1.5, statement: 0.6 };

/** Candidates that share words with the message, best first. A word that fits most candidates counts little. */
export function rank<T>(request: RequestText, candidates: readonly Candidate<T>[]): Fit<T>[] {
  const stems = wantedStems(request);
  return candidates
    .map((candidate) => compare(request, stems, candidate, candidates))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

/** The telling words of what is to be done; a question about remembering asks to recall. */
function wantedStems({ tokens, isQuestion }: RequestText): string[] {
  const telling = tokens.filter(({ plain }) => !isCommon(plain)).slice(0, readWords);
  return [...new Set(telling.map(({ stem }) => (isQuestion && stem === "rememb" ? "recal" : stem)))];
}

function compare<T>(
  request: RequestText,
  stems: readonly string[],
  candidate: Candidate<T>,
  all: readonly Candidate<T>[],
): Fit<T> {
  const triggers = new Set<string>();
  let score = candidate.takesUrl && request.urls.length > 0 ? worth.url : 0;
  const weight = weigher(request);
  for (const stem of stems) {
    if (candidate.names.has(stem))
      score += worth.name * weight(stem) * rarity(all.filter(({ names }) => names.has(stem)));
    else if (candidate.telling.has(stem))
      score += worth.telling * rarity(all.filter((other) => knows(other, stem)));
    if (candidate.names.has(stem)) triggers.add(stem);
  }
  // One naming word within a long text is chance.
  return { value: candidate.value, score: score / (1 + 0.06 * Math.max(0, stems.length - 6)), triggers };
}

/** How much a naming word counts by its place. */
function weigher({ tokens, isQuestion, payload }: RequestText): (stem: string) => number {
  if (isQuestion) return () => 1;
  const first = tokens.findIndex(({ plain }) => !isCommon(plain));
  const article = /^(?:the|a|an|this|that|my|our|your|their|his|her|its)$/.test(
    tokens[first - 1]?.plain ?? "",
  );
  const command = article ? undefined : tokens[first]?.stem;
  const elsewhere = payload === undefined ? emphasis.statement : 1;
  return (stem) => (stem === command ? emphasis.command : elsewhere);
}

function knows<T>({ names, telling }: Candidate<T>, stem: string): boolean {
  return names.has(stem) || telling.has(stem);
}

function rarity(having: readonly unknown[]): number {
  return 1 / Math.sqrt(Math.max(1, having.length));
}

/** The stems of several texts together. */
export function stemsOfAll(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => [...stemsOf(text)]));
}

/** Whether a parameter takes an address, by its name. */
export function isUrlName(name: string): boolean {
  return /(?:^|_)(?:url|uri|link|address|website)s?$/i.test(name);
}

/** The first telling word of a sentence. */
export function firstStem(tokens: readonly Token[]): string | undefined {
  return tokens.find(({ plain }) => !isCommon(plain))?.stem;
}

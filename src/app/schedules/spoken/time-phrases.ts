/** Groups words of time, and tells phrases that say when from those that belong to the text. */
import { type Atom, atomAt } from "./time-words.ts";

/** Atoms with only joining words between them. */
export interface Phrase {
  atoms: Atom[];
  start: number;
  end: number;
}

const joins = /^(?:[\s,&]|\b(?:on|at|in|and|by|both|or)\b)*$/i;
/** The same before atoms that take an article: `on the 15th`, `the first Monday of December`. */
const joinsWithArticle = /^(?:[\s,&]|\b(?:on|at|the|of|in|and|by|both|or)\b)*$/i;
const hasArticle: ReadonlySet<Atom["kind"]> = new Set([
  "ordinal",
  "month",
  "each",
  "date",
  "dayOf",
  "span",
  "unknown",
]);

/** The phrases of a text, in order, without words that only look like a time. Takes linear time. */
export function phrasesIn(text: string): Phrase[] {
  const phrases: Phrase[] = [];
  for (const atom of atomsIn(text)) {
    const last = phrases.at(-1);
    if (last !== undefined && joined(text.slice(last.end, atom.start), atom)) {
      last.atoms.push(atom);
      last.end = atom.end;
    } else phrases.push({ atoms: [atom], start: atom.start, end: atom.end });
  }
  return phrases.flatMap((phrase) => trimmed(phrase, text)).filter((phrase) => saysTime(phrase, text));
}

function joined(between: string, { kind }: Atom): boolean {
  return (hasArticle.has(kind) ? joinsWithArticle : joins).test(between);
}

function atomsIn(text: string): Atom[] {
  const atoms: Atom[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (!/[\p{L}\p{N}@]/u.test(text[at] ?? "") || !/^$|[\s(,;"“—–]/.test(text[at - 1] ?? "")) continue;
    const atom = atomAt(text, at);
    if (atom === undefined) continue;
    if (atom.kind !== "words") atoms.push(atom);
    let last = atom;
    for (let bare = bareClock(last, text); bare !== undefined; bare = bareClock(last, text)) {
      atoms.push(bare);
      last = bare;
    }
    at = last.end - 1;
  }
  return atoms;
}

/** A number without `at` after a day or another time: `tomorrow 9`, `at 9 and 17`. A number that may count something else is `unknown`. */
function bareClock({ kind, end }: Atom, text: string): Atom | undefined {
  const isClock = kind === "clock";
  const isDay =
    kind === "weekdays" || kind === "date" || (kind === "each" && !/^\s+\w+s\b/.test(text.slice(end)));
  const written = isClock
    ? /^(?:,| ?,? ?(?:and|or|&)) ?(\d{1,2})(?![\p{L}\p{N}:.%/-]| ?[ap]\.?m)/iu
    : /^,? (\d{1,2})(?![\p{L}\p{N}:.%/-]| ?[ap]\.?m)/iu;
  const [whole, digits = ""] = (isClock || isDay ? written.exec(text.slice(end)) : undefined) ?? [];
  if (whole === undefined) return undefined;
  const stop = end + whole.length;
  // "Thursday 26 November".
  if (atomAt(text, stop - digits.length) !== undefined) return undefined;
  const place = { start: stop - digits.length, end: stop, text: digits };
  const isTime =
    isClock ||
    /^\s*(?:$|[,.;:–-]|(?:to|remind|of|about|that|please|and|every|each|in|on|daily)\b)/i.test(
      text.slice(stop),
    );
  return isTime && Number(digits) < 24
    ? { ...place, kind: "clock", minute: Number(digits) * 60 }
    : { ...place, kind: "unknown" };
}

/** Drops words at both ends that name a time only together with missing words: `mondays at 9, first …`. */
function trimmed({ atoms }: Phrase, text: string): Phrase[] {
  const kept = [...atoms];
  while (kept.length > 1 && isLoose(kept.at(-1), kept.at(-2), text)) kept.pop();
  while (kept.length > 1 && kept[0]?.kind === "zone") kept.shift();
  const [first, last] = [kept[0], kept.at(-1)];
  return first === undefined || last === undefined
    ? []
    : [{ atoms: kept, start: first.start, end: last.end }];
}

function isLoose(atom: Atom | undefined, before: Atom | undefined, text: string): boolean {
  switch (atom?.kind) {
    case "every":
      return true;
    case "ordinal":
      return atom.word && before?.kind !== "each" && before?.kind !== "every" && before?.kind !== "ordinal";
    case "dayOf":
      return before?.kind !== "ordinal";
    case "month":
      return !/\b(?:in|every|each|and|,) ?$/i.test(text.slice(0, atom.start)) && before?.kind !== "every";
    case "part":
      return atom.bare && before?.kind === "clock";
    case "each":
      return atom.implied === true && before?.kind === "clock";
    default:
      return false;
  }
}

/** Whether a phrase is about time at all: `the sun`, `a second draft` and `joke of the month` are not. */
function saysTime({ atoms, start, end }: Phrase, text: string): boolean {
  const has = (...kinds: Atom["kind"][]) => atoms.some(({ kind }) => kinds.includes(kind));
  if (has("clock", "times", "date", "span", "unknown")) return true;
  if (atoms.some((atom) => atom.kind === "each" && atom.implied !== true)) return true;
  if (atoms.some((atom) => atom.kind === "weekdays" && !atom.short)) return true;
  if (has("every") && has("weekdays", "ordinal", "month")) return true;
  if (has("ordinal") && has("weekdays", "each")) return true;
  if (has("weekdays") && (has("part") || /\b(?:on|this|next) $/i.test(text.slice(0, start)))) return true;
  if (has("month") && atoms.length === 1) return /\b(?:in|every|each|next) $/i.test(text.slice(0, start));
  const isDay = atoms.some((atom) => atom.kind === "ordinal" && !atom.word);
  return isDay && /\b(?:on|the) $/i.test(text.slice(0, start)) && endsThere.test(text.slice(end));
}

const endsThere = /^\s*(?:$|[,.;:]|(?:to|at|of|on|every|each|and|please|remind|that|until)\b)/i;

/** Words before a time that make it part of the text: `the plan for Monday`, `the bill due on Friday`. */
const owner =
  /\b(?:for|about|of|due|against|titled|called|named|versus|vs|about the|look|looking|looks|arrive|arrives|starts?|begins?|opens?|closes?|ends?)(?: (?:on|the|at))*\s*$/i;
/** Words that make a time part of the text of a single plan; a repeated plan may begin or end there. */
const bound = /\b(?:by|before|after|since|from|to|through|between)(?: (?:on|the))*\s*$/i;
const determined = /\b(?:the|an?|my|our|your|his|her|their|its|new|whole|full)\s*$/i;
/** A noun follows: `the Monday meeting`, `our weekly report`. */
const noun =
  /^\s+(?!(?:to|at|on|in|of|and|or|please|remind|that|every|each|for|by|is|are|will|i|we|you)\b)\p{L}/iu;
/** Events that have a time of their own. */
const event =
  /\b(?:meeting|call|appointment|flight|train|bus|stand-?up|class|dinner|lunch|breakfast|game|match|show|party|interview|demo|session|webinar|workshop|doctor|dentist|event|reservation|booking|concert|ceremony|exam)s?\s*(?:with \p{L}+ )?(?:is |are )?$/iu;
const arranges =
  /(?:\b(?:reminder|alarm|timer)(?: for me)?|^(?:please )?schedule(?:\s+[^\s,]+){1,6})\s+for(?: the)?\s*$/i;

/** `words`: part of the text. `bound`: a repeated plan with such a phrase is refused. */
export function roleOf({ atoms, start, end }: Phrase, text: string): "time" | "words" | "bound" {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const [first] = atoms;
  if (/^(?:'s|’s|s['’])(?:\s|$)/i.test(after)) return "words";
  if (arranges.test(before)) return "time";
  if (owner.test(before) && !asksOf.test(before)) return "words";
  if (bound.test(before)) return "bound";
  if (first?.kind === "unknown")
    return /^(?:for|over|during|within|end|the end)\b/i.test(first.text) ? "bound" : "time";
  if (first?.kind === "clock" && event.test(before)) return "words";
  const isDay = first?.kind === "ordinal" || /^(?:the|at|on|in|this|next)\b/i.test(first?.text ?? "");
  return determined.test(before) && !isDay && noun.test(after) ? "words" : "time";
}

/** `remind me about 9` says when; `remind me of Monday` has the day in its text. */
const asksOf = /\bremind (?:me|us) about\s*$/i;

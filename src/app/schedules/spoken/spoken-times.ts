/**
 * Reads times in plain words, for `/agent schedule add` and for tools. A time that is not understood is refused; it never becomes part of
 * the text. Words in quotation marks are never read as a time.
 */
import { pattern } from "../../../base/pattern.ts";
import type { SpokenTime, Wish } from "../../../core/ports/schedules.ts";
import type { Outcome } from "../../../core/values/failure.ts";
import { timeZoneNamed } from "../../../core/values/inbound.ts";
import { wallClock } from "../times.ts";
import { dayInOtherWords, foreignTime, hasForeignTime } from "./foreign-times.ts";
import { oneTime } from "./one-time.ts";
import { type Found, leftOver, repeats, repetition, strangeIn } from "./repetitions.ts";
import { type Phrase, phrasesIn, roleOf } from "./time-phrases.ts";
import type { Atom } from "./time-words.ts";

const how =
  'Write when and what, for example `tomorrow at 9 remind me to pay the invoice`, `every weekday at 9 post what is open` or `cron "0 9 * * 1" remind me of the report`.';

/** The wish in a person's own words. `now` is in ms since the epoch. */
export function readSpokenWish(words: string, now: number, time_zone: string): Outcome<Wish> {
  const text = words.trim().replace(/\s+/g, " ");
  const found = findTime(text, now, time_zone);
  if (found === undefined) return refused(`I found no time in that. ${how}`);
  if ("problem" in found) return refused(found.problem);
  const { what, said } = whatIn(found.rest);
  if (said === "") return refused(`I found when, but not what. ${how}`);
  return { ok: true, value: { what, text: said, time_zone: found.time_zone ?? time_zone, ...found.when } };
}

/** Five fields, or six with seconds, which are refused later. Months and weekdays may be names. */
const cronFields =
  /^(?:[\d*/,-]+\s+)?(?:[\dL*/,W-]+\s+){3}(?:[\d*/,-]|[a-z]{3}\b)+\s+(?:[\d*/,#L-]|[a-z]{3}\b)+$/i;
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** Words next to a time that do not change it. */
const fillers =
  /^(?:(?:a|am|an|at|by|el|for|früh|h|in|la|las|le|on|please|sharp|the|uhr|um|à|o'clock)(?=\s|$)|[\s,.()])*$/i;

/** Reads ISO 8601, a cron pattern, or words. Words that are not understood may matter, so they are refused. */
export function readSpokenTime(words: string, now: number, time_zone: string): Outcome<SpokenTime> {
  const text = words.trim().replace(/\s+/g, " ");
  if (isoTime.test(text)) return { ok: true, value: { at: text } };
  if (cronFields.test(text)) return { ok: true, value: { cron: text } };
  const found = findTime(text, now, time_zone);
  const advice =
    "Write it as tomorrow at 9, every weekday at 9, 2026-11-26T09:00 (2026-11-26T09:00+09:00 for another zone), or a cron pattern such as 0 9 1 * *.";
  if (found === undefined) return refused(`“${text}” names no time that I understand. ${advice}`);
  if ("problem" in found) return refused(found.problem);
  const { said } = whatIn(found.rest);
  const zone = found.time_zone === undefined ? {} : { time_zone: found.time_zone };
  if (fillers.test(said)) return { ok: true, value: { ...found.when, ...zone } };
  return refused(`I do not understand “${said}” in “${text}”, so nothing was made. ${advice}`);
}

function refused(message: string): Outcome<never> {
  return { ok: false, status: 400, message };
}

function findTime(text: string, now: number, time_zone: string): Found | undefined {
  const [whole, , cron] = /\bcron\s+(["'“”`])([^"'“”`]+)["'“”`]/i.exec(text) ?? [];
  if (whole !== undefined && cron !== undefined) return { when: { cron }, rest: text.replace(whole, " ") };
  // Of the same length, so that positions are the same in both.
  const unquoted = withoutQuoted(text);
  return hasForeignTime(unquoted)
    ? foreignTime(text, unquoted, now, time_zone)
    : englishTime(text, unquoted, now, time_zone);
}

const closing: Readonly<Record<string, readonly string[]>> = {
  '"': ['"'],
  "`": ["`"],
  "“": ["”"],
  "«": ["»"],
  "„": ["“", "”"],
};

/** The text with an x for each quotation mark and each character between them. A mark that is not closed is left as it is. */
function withoutQuoted(text: string): string {
  const marks = [...new Set(Object.values(closing).flat())];
  const last = new Map(marks.map((mark) => [mark, text.lastIndexOf(mark)]));
  let masked = "";
  while (masked.length < text.length) {
    const at = masked.length;
    const ends = (closing[text[at] ?? ""] ?? []).flatMap((mark) =>
      (last.get(mark) ?? -1) > at ? text.indexOf(mark, at + 1) : [],
    );
    masked += ends.length === 0 ? text[at] : "x".repeat(Math.min(...ends) + 1 - at);
  }
  return masked;
}

function englishTime(text: string, unquoted: string, now: number, time_zone: string): Found | undefined {
  const phrases = phrasesIn(unquoted).map((phrase) => ({ phrase, role: roleOf(phrase, unquoted) }));
  const times = phrases.filter(({ role }) => role === "time").map(({ phrase }) => phrase);
  const used = chosen(times);
  const [first] = used;
  const [vague] = phrases;
  if (first === undefined)
    return vague?.phrase.atoms[0]?.kind === "unknown" ? strangeIn(vague.phrase.atoms[0]) : undefined;
  const atoms = used.flatMap((phrase) => phrase.atoms);
  const isRepeated = repeats(atoms);
  const bound = isRepeated ? phrases.find(({ role }) => role === "bound")?.phrase : undefined;
  const left = bound ?? times.find((phrase) => !used.includes(phrase) && !(isRepeated && isDay(phrase)));
  if (left !== undefined) return leftOver(textOf(used, text), textOf([left], text));
  const other =
    strayWords(used, unquoted, isRepeated) ??
    numberLeft(
      phrases.map(({ phrase }) => phrase),
      unquoted,
    );
  if (other !== undefined) return leftOver(textOf(used, text), other);
  const rest = without(used, text);
  const isName = ({ kind, text: name }: Atom) => kind === "zone" && /^(?:UTC|GMT)$|\//.test(name);
  const zone = timeZoneNamed(atoms.find(isName)?.text ?? "");
  const own = atoms.filter((atom) => !isName(atom));
  const wall = new Date(wallClock(now, zone ?? time_zone));
  const when = isRepeated
    ? repetition(own, { month: wall.getUTCMonth() + 1, day: wall.getUTCDate() })
    : oneTime(own, now, zone ?? time_zone);
  if ("problem" in when) return when;
  return { when, rest, ...(zone === undefined ? {} : { time_zone: zone }) };
}

/** One phrase, or two when one has the day and the other the time: `every Monday post the plan at 9`. */
function chosen(times: readonly Phrase[]): Phrase[] {
  const [first, second, ...others] = times.filter(
    (phrase, at) => at === 0 || !repeats(times[0]?.atoms ?? []) || !isDay(phrase),
  );
  if (first === undefined) return [];
  if (second === undefined || others.length > 0) return [first];
  const isMerged = isTimeOfDay(first) !== isTimeOfDay(second) && !(hasClock(first) && hasClock(second));
  const isSure =
    ![first, second].some(({ atoms }) =>
      atoms.some((atom) => atom.kind === "each" && atom.adverb && atoms.length === 1),
    ) || hasClock(first);
  return isMerged && isSure ? [first, second] : [first];
}

const isTimeOfDay = ({ atoms }: Phrase) =>
  atoms.every(({ kind }) => kind === "clock" || kind === "part" || kind === "zone");
const hasClock = ({ atoms }: Phrase) =>
  atoms.some((atom) => atom.kind === "clock" || (atom.kind === "date" && atom.exact));
/** A single day, which may belong to the text of a repeated plan: `every evening at 8 post who is on duty tomorrow`. */
const isDay = ({ atoms }: Phrase) =>
  atoms.length === 1 && /^(?:today|tonight|tomorrow|this \w+)$/i.test(atoms[0]?.text ?? "");

const textOf = (phrases: readonly Phrase[], text: string) =>
  phrases.map(({ start, end }) => text.slice(start, end)).join(" … ");

const lastWeekday = /last (?:mon|tues|wednes|thurs|fri|satur|sun)day/;
/** Days that have a name but no date, before a word boundary. */
const namedDay = pattern(
  "u",
)`(?:the )?(?:(?:public |bank )?holidays?|christmas|xmas|new year\S{0,3}|easter|thanksgiving|halloween|(?:my|our|\S{1,40}['’]s) birthday|(?:odd|even) (?:days|weeks)|${lastWeekday})(?: day| eve)?(?!\p{L})`;
const away =
  /(?:\d{1,3}|an?|one|two|three|four|five|six|seven) (?:business |working )?(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?) (?:before|after)\b/;
/** A bound, or a time of the day that everybody has at another hour. */
const about =
  /(?:(?:by|before|after|until|at) (?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|noon|midday|midnight|breakfast|lunch(?:time)?|dinner|work|school)|later)(?![\p{L}\d])/u;
const zoneName = /(?:utc|gmt|[pmce][sd]t|ces?t|bst|jst|ae[sd]t)(?!\p{L})/u;

/** Words directly before or after a time that change it. */
const strayBefore = [
  pattern(
    "iu",
  )`(?:^|\s)(on (?:the )?\d{1,2}|(?:on|at) ${namedDay}|${away}.{1,30}|${about}|half|quarter|not|never|maybe|unless|early|late|mid)\s*$`,
];
const strayAfter = [
  /^,? ((?:every|each)\b.{0,30}|(?:[\p{L}]+ )?time\b(?! to)|or so|sharp-ish)/iu,
  /^,? ((?:and (?:a|one) |on the )(?:half|quarter)\b(?: hour)?|on (?:the )?\d{1,2}(?=\s|$))/i,
  pattern("iu")`^,? ((?:on|and|and on) ${namedDay}|${away}|${about}|${zoneName})`,
];

/** A day that is over, but not its things: `yesterday's numbers`. */
const past = pattern()`(?:yesterday|last (?:night|week|month|year)|${lastWeekday})\b(?!['’]s)`;
const [pastBefore, pastAfter] = [pattern("i")`\b(${past}),?\s*$`, pattern("i")`^,? (${past})`];

/** Words next to the time that may belong to it: an unknown `every …`, a number, a zone, a past day. Undefined when there are none. */
function strayWords(used: readonly Phrase[], text: string, isRepeated: boolean): string | undefined {
  const rest = without(used, text);
  const isTimeAlone = used.every(isTimeOfDay);
  const every = (
    isTimeAlone ? /\b(?:every|each)\b.{0,40}/i : /^(?:remind me )?(?:every|each)\b.{0,40}/i
  ).exec(rest.trim());
  if (every !== null) return every[0];
  const day = isTimeAlone ? dayInOtherWords(rest) : undefined;
  if (day !== undefined) return day;
  for (const { start, end, atoms } of used) {
    const [before, after] = [text.slice(0, start), text.slice(end)];
    const isBare = !used.some(hasClock) && !(isRepeated && atoms.every(({ kind }) => kind === "each"));
    const found = [
      isBare ? /(?:^|\s)(\d{1,2})\s*$/.exec(before) : null,
      ...strayAfter.map((each) => each.exec(after)),
      cityTime(after),
      ...strayBefore.map((each) => each.exec(before)),
      ...(isRepeated ? [] : [pastBefore.exec(before), pastAfter.exec(after)]),
    ].find((each) => each !== null && each !== undefined);
    if (found !== undefined) return found[1];
  }
  return undefined;
}

/** ` new york time`: a zone is named by its city only with its region. */
function cityTime(after: string): RegExpExecArray | undefined {
  const found = /^,? ((?:in )?(\p{L}+(?: \p{L}+){1,2}) time)\b/iu.exec(after);
  if (found === null) return undefined;
  const city = `/${found[2]?.replaceAll(" ", "_").toLowerCase()}`;
  const isZone = Intl.supportedValuesOf("timeZone").some((zone) => zone.toLowerCase().endsWith(city));
  return isZone ? found : undefined;
}

/** A number after `at` that is not a time, as in `at 9.5`. */
function numberLeft(phrases: readonly Phrase[], text: string): string | undefined {
  return /\b(?:at (?:minute )?:?\d\S*|(?:\d+|minutes) past\b)/i.exec(without(phrases, text))?.[0];
}

/** The text without the phrases and the words that introduce them. */
function without(used: readonly Phrase[], text: string): string {
  return [...used]
    .sort((a, b) => b.start - a.start)
    .reduce((left, { start, end }) => {
      return `${withoutLeads(left.slice(0, start))} ${left.slice(end).replace(/^ (?:sharp|exactly)\b/i, "")}`;
    }, text);
}

const leads: ReadonlySet<string> = new Set(["on", "at", "in", "by", "the", "@", ",", "starting", "for"]);

function withoutLeads(before: string): string {
  const words = before.trimEnd().split(" ");
  const kept = words.findLastIndex((word) => !leads.has(word.toLowerCase())) + 1;
  return kept === words.length ? before : words.slice(0, kept).join(" ");
}

const asksToRemind =
  /(?:\b(?:can|could|will|would) you )?(?:\bplease )?\b(?:remind (?:me|us)|(?:set|make|create|add)(?: me)?(?: up)? a reminder(?: for me)?|erinnere? mich|rappelle-moi|recuérdame)\b(?:,?\s+(?:to|that|of|about|an|daran|dass|de|que)\b)?/i;

function whatIn(rest: string): { what: "reminder" | "task"; said: string } {
  const isReminder = asksToRemind.test(rest.replace(/\s+/g, " "));
  const said = rest
    .replace(/\s+/g, " ")
    .replace(asksToRemind, " ")
    .replace(/\s+/g, " ")
    .replace(/ (?=[,.;:!?])/g, "")
    .replace(/^[\s,:;.-]+|(?<![\s,:;-])[\s,:;-]+$/g, "")
    .replace(/^(?:please,? )?(?:(?:to|that|of|about)\s)?/i, "")
    .replace(/,? please[.!]?$/i, "");
  const [, quoted] = /^["“„«`]([^"“”„«»`]*)["”“»`]$/.exec(said) ?? [];
  return { what: isReminder ? "reminder" : "task", said: (quoted ?? said).trim() };
}

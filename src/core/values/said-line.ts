/**
 * The first line of a person's message for a model, `[Sun 2026-11-22 14:20 Europe/Amsterdam] "Anna" (U0ANNA):`, and the protection against
 * people who write such a line themselves.
 */
import { invisible } from "../../base/invisible-text.ts";
import { pattern } from "../../base/pattern.ts";
import type { Author } from "./inbound.ts";
import { named, wordsOf } from "./label.ts";

/** Who said something, and when. */
interface Said {
  /** ms since the epoch. */
  at: number;
  /** IANA zone in which the time is shown; UTC if unknown. */
  time_zone: string;
  name: string;
  /** The platform's id of the person. */
  id: string;
}

/** Makes the line. The result is always one line, whatever the name contains. */
export type SaidLine = (said: Said) => string;

/** Maximum cached formats of zones: creating one takes longer than using it a hundred times. */
const keptZones = 64;

/** Replaces an invalid time, or a year without four digits. */
const unknownTime = "time unknown";

/** Bounds within which the year has four digits in every zone. */
const earliest = Date.UTC(1000, 0, 2);
const latest = Date.UTC(9999, 11, 30);

/** The zone in which a person reads times: their own if known, otherwise the channel's, otherwise the server's. */
export function zoneOf(
  author: Pick<Author, "time_zone">,
  channelZone: string | undefined,
  serverZone: string,
): string {
  return author.time_zone ?? channelZone ?? serverZone;
}

export function createSaidLine(): SaidLine {
  const formatOf = createZoneFormats();
  return ({ at, time_zone, name, id }) => {
    const isKnown = at >= earliest && at <= latest;
    return `[${isKnown ? timeIn(formatOf(time_zone), at) : unknownTime}] ${named(name, id)}:`;
  };
}

interface ZoneFormat {
  zone: string;
  format: Intl.DateTimeFormat;
}

function createZoneFormats(): (zone: string) => ZoneFormat {
  const kept = new Map<string, ZoneFormat>();
  return (zone) => {
    const found = kept.get(zone) ?? makeFormat(zone);
    kept.delete(zone);
    kept.set(zone, found);
    const leastUsed = kept.size > keptZones ? kept.keys().next().value : undefined;
    if (leastUsed !== undefined) kept.delete(leastUsed);
    return found;
  };
}

function makeFormat(zone: string): ZoneFormat {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    return { zone, format };
  } catch (error) {
    if (!(error instanceof RangeError) || zone === "UTC") throw error;
    return makeFormat("UTC");
  }
}

/** `Sun 2026-11-22 14:20 Europe/Amsterdam`. */
function timeIn({ zone, format }: ZoneFormat, at: number): string {
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { weekday, year, month, day, hour, minute } = parts;
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute} ${zone}`;
}

/** Square brackets and their lookalikes. */
const bracket = /[\[［【〔〖〘〚⟦⟬❲⁅⦋⦍⦏﹝]/v;

/** Invisible characters, and combining marks. */
const allUnseen = pattern("gv")`[${invisible}\p{M}\p{Z}]+`;

/** Characters that may precede the bracket of a line: spaces, invisible characters, and quote marks. */
const opening = pattern("v")`^[${invisible}\p{M}\p{Z}>＞]*(?=${bracket})`;

/** The text inside a line's bracket in any script: `sun2026-11-2214:20…`, or the replacement for an invalid time. */
const stamp =
  /^[^\p{L}\p{N}]{0,4}(?:\p{L}{2,12}\p{P}?\p{Nd}{4}[\p{Pd}−]\p{Nd}{1,2}[\p{Pd}−]\p{Nd}{1,2},?t?\p{Nd}{1,2}[:∶꞉]\p{Nd}{2}|timeunknown)/u;

/** Maximum visible characters of a line that `stamp` can match. */
const stampLength = 60;

/** All line ends defined by Unicode. */
const lineEnds = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;

/**
 * A person's text in which no line can be mistaken for a line that says who speaks: lines that look like one get a backslash before the
 * bracket. The rest is unchanged. Takes time proportional to the text.
 */
export function withoutSaidLines(text: string): string {
  if (!bracket.test(text)) return text;
  return text.split(lineEnds).map(withoutSaidLine).join("");
}

/** Characters of the shortest line that `stamp` matches, even with ligature characters: `[㎪⑳㉖-⑪-㉒⑭:⑳`. */
const minLine = 10;

function withoutSaidLine(line: string): string {
  if (line.length < minLine) return line;
  const before = opening.exec(line)?.[0];
  if (before === undefined) return line;
  const rest = line.slice(before.length);
  const inside = rest.slice(1).replace(allUnseen, "").slice(0, stampLength);
  const letters = inside.normalize("NFKD").replace(allUnseen, "").toLowerCase();
  return stamp.test(letters) ? `${before}\\${rest}` : line;
}

/**
 * Detects what a person has already said, so that they need not be asked: a name used as a name, and the text of a reminder. People choose
 * their own names, so a person called "What Ever" is not meant by "what is new?", nor Mark by "that costs 5 Mark". In case of doubt the
 * answer is no, and the person is asked.
 */

/** Words that precede a name: "tell Ann", "frag bitte Ben". In German, prepositions precede nouns as well as names. */
const turning = new Set(
  (
    "tell ask ping notify inform remind mention call invite thank cc let hi hey hello dear " +
    "frag frage sag sage schreib schreibe gib erinnere informiere benachrichtige erwähne ruf hallo lieber liebe"
  ).split(" "),
);

/** Words after which a capital letter indicates a name in English, which does not capitalise nouns. */
const leading = new Set("to for with from by".split(" "));

/** Words that may stand between such a word and the name. */
const fillers = new Set("please also bitte mal auch doch and und or oder &".split(" "));

/** Words that take the place of a name; they count as names only if capitalised. */
const never = new Set(
  (
    "me us you him her it them all any anyone anybody someone somebody everyone everybody nobody people folks guys who whom what when " +
    "where why how which whether if that this these those the a an my your our their his its one some will may can " +
    "team support sales customers users colleagues friends mir uns dir euch ihm ihr ihnen alle allen jemand jemandem niemand was wer wen " +
    "wem wann wo wie warum ob dass das die der den dem ein eine einen mich dich sich es bescheid"
  ).split(" "),
);

/** Never names, even if capitalised: German capitalises nouns. */
const nouns = new Set("bescheid dank danke kunden leuten team support".split(" "));

/**
 * The part of a name that a text uses as a name: all of it, or its first word; undefined if neither. This includes a word with `@`, a name
 * of several capitalised words, and a word in the position of a name.
 */
export function saysName(text: string, name: string): string | undefined {
  const words = wordsOf(name).split(" ");
  const [first = ""] = words;
  const said = tokensOf(text);
  if (first.length < 2) return undefined;
  if (said.some((_, at) => startsAt(said, at, words) && isNameAt(said, at, words.length))) return name;
  const isFirst =
    words.length > 1 && said.some((_, at) => startsAt(said, at, [first]) && isNameAt(said, at, 1));
  return isFirst ? first : undefined;
}

/** Words, some with an `@`, and punctuation. */
function tokensOf(text: string): string[] {
  return text.match(/@?[\p{L}\p{N}_-]+|[&.!?;:,\n]/gu) ?? [];
}

function startsAt(said: readonly string[], at: number, words: readonly string[]): boolean {
  return words.every((word, index) => said[at + index]?.toLowerCase().replace(/^@/, "") === word);
}

/** Whether the words from here on are used as a name. */
function isNameAt(said: readonly string[], at: number, length: number): boolean {
  const words = said.slice(at, at + length);
  const small = words.map((word) => word.toLowerCase());
  if (words[0]?.startsWith("@")) return true;
  if (small.some((word) => nouns.has(word))) return false;
  const isCapital = words.every(hasCapital);
  const isOdd = small.some((word) => never.has(word));
  if (length > 1 && isCapital && !isOdd) return true;
  const before = wordBefore(said, at, at + length);
  if (turning.has(before)) return isCapital || (!isOdd && !said.some(hasCapital));
  return leading.has(before) && isCapital && !said.some((word) => germanWords.has(word.toLowerCase()));
}

/** Letters of scripts without lower case count as capitals. */
function hasCapital(word: string): boolean {
  return /^@?[\p{Lu}\p{Lt}\p{Lo}]/u.test(word);
}

/** The word that a name depends on. Skips earlier names and words such as "please": "tell Ann, Ben and Cleo". */
function wordBefore(said: readonly string[], at: number, end: number): string {
  let index = at - 1;
  const isListed = [undefined, ",", ".", "?", "!", "and", "und", "&"].includes(said[end]?.toLowerCase());
  while (index > 0) {
    const [word = "", next = ""] = [said[index], said[index + 1]];
    const isFiller = fillers.has(word.toLowerCase()) || (word === "," && isListed);
    const isName =
      index + 1 < at && (next === "," || fillers.has(next.toLowerCase())) && !turning.has(word.toLowerCase());
    const mayBeName =
      isName && (hasCapital(word) || !said.some(hasCapital)) && !never.has(word.toLowerCase());
    if (!isFiller && !mayBeName) break;
    index -= 1;
  }
  return said[index]?.toLowerCase() ?? "";
}

/** Words that indicate German. */
const germanWords = new Set(
  "der die das den dem des ein eine einen und ist sind nicht mit für auf im zum zur von bis wie wer gibt es ich wir".split(
    " ",
  ),
);

/** Prefixes of words that only introduce a reminder or join other words. */
const reminding = new Set(
  (
    "remi reme forg plea dont toda tomo erin verg denk bitt heut morg with abou from that this your have need must shou befo afte into " +
    "when then eine nach oder auch noch nich über sich"
  ).split(" "),
);

/**
 * Whether all words of a text were said before. Words of up to three letters count as connecting words, and endings are ignored. Names,
 * numbers, addresses and words with a sign have to be equal.
 */
export function isSaidIn(text: string, said: string): boolean {
  const known = new Set(wordsIn(said).flatMap((word) => [word.toLowerCase(), stemOf(word)]));
  return wordsIn(text).every((word, at) => {
    if (/[^\p{L}]/u.test(word)) return known.has(word.toLowerCase());
    if (word.length < stemLength && (at === 0 || !/\p{Lu}/u.test(word))) return true;
    return known.has(stemOf(word)) || reminding.has(stemOf(word));
  });
}

/** Number of initial letters that are compared. */
const stemLength = 4;

function stemOf(word: string): string {
  return word.toLowerCase().slice(0, stemLength);
}

/** Words without surrounding punctuation, and without apostrophes. */
function wordsIn(text: string): string[] {
  return text
    .replace(/['’](?:s\b)?/g, "")
    .split(/[\s"“”„«»()<>[\]{}*]+/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}@#/]+/u, "").replace(/(?<![.,;:!?…])[.,;:!?…]+$/u, ""))
    .filter(Boolean);
}

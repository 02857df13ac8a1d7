/**
 * The first line of a person's message for a model, `[Sun 2026-11-22 14:20 Europe/Amsterdam] "Anna" (U0ANNA):`, and the protection against
 * people who write such a line themselves.
 */

import { pattern } from "../../base/pattern.ts";
import { invisible } from "../../base/text/invisible-text.ts";
import type { Author } from "./inbound.ts";
import { named } from "./label.ts";

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

/** Whether a text has a name after an `@`, in any case. */
export function saysAfterAt(text: string, name: string): boolean {
  return name !== "" && pattern("iu")`@${name}(?![\p{L}\p{M}\p{N}_\-])`.test(text);
}

/**
 * Whether a text uses a name as a name: after an `@`, or with a capital letter. A single word also has to follow another one in its
 * sentence, because the first word of a sentence has a capital anyway, and after a number it is a unit.
 */
export function saysName(text: string, name: string): boolean {
  if (saysAfterAt(text, name)) return true;
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  if (!/^[\p{Lu}\p{Lt}\p{Lo}]/u.test(capital)) return false;
  const before = name.includes(" ") ? /(?<![\p{L}\p{M}\p{N}_-])/u : /(?<=[\p{L}\p{M}],? )/u;
  return pattern("u")`${before}${capital}(?![\p{L}\p{M}\p{N}_\-])`.test(text);
}

/**
 * Whether all words of a text were said before. Words of up to three letters count as connecting words, and endings are ignored. Names,
 * numbers, addresses and words with a sign have to be equal.
 */
export function isSaidIn(text: string, said: string): boolean {
  const known = new Set(wordsIn(said).flatMap((word) => [word.toLowerCase(), stemOf(word)]));
  return wordsIn(text).every((word, at) => {
    if (/[^\p{L}]/u.test(word)) return known.has(word.toLowerCase());
    if (word.length < stemLength && (at === 0 || !/\p{Lu}/u.test(word))) return true;
    return known.has(stemOf(word));
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

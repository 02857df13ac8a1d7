/**
 * The line that a person's message begins with when a model reads it, `[Sun 2026-11-22 14:20 Europe/Amsterdam] Anna (U0ANNA):`,
 * and what keeps people from writing such a line themselves.
 */
import { pattern } from "../../base/pattern.ts";
import type { Author } from "./inbound.ts";

/** Who said something, and when. */
interface Said {
  /** ms since the epoch. */
  at: number;
  /** Shown in this IANA zone; in UTC where it is unknown. */
  time_zone: string;
  name: string;
  /** The platform's id of the person; left out of the line where it is empty or equal to the name. */
  id: string;
}

/** Makes the line. It is always one line, whatever the name holds. */
export type SaidLine = (said: Said) => string;

/** Formats of zones kept at once: making one takes longer than using it a hundred times. */
const keptZones = 64;

const longestName = 80;

/** In place of a time that is none, or in a year that has not four digits. */
const unknownTime = "time unknown";

/** Years of four digits in every zone. */
const earliest = Date.UTC(1000, 0, 2);
const latest = Date.UTC(9999, 11, 30);

/** The zone in which a person reads times: their own if it is known, else the channel's, else the server's. */
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
    return `[${isKnown ? timeIn(formatOf(time_zone), at) : unknownTime}] ${personLabel(name, id)}:`;
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

function personLabel(name: string, id: string): string {
  const [shown, known] = [plainName(name), plainName(id)];
  if (shown === "") return known || "somebody";
  return known === "" || known === shown ? shown : `${shown} (${known})`;
}

/** Spaces, what nobody sees, brackets of any kind, and colons: they could end the line or begin another. */
const notInNames = /[\s\p{Cc}\p{Cf}\p{Z}\p{Ps}\p{Pe}<>＜＞:：︓﹕꞉∶ː]+/gu;

/** A name in which nothing can end a line of ours or begin another. */
export function plainName(name: string): string {
  const plain = name.replace(notInNames, " ").trim();
  return plain
    .slice(0, longestName)
    .toWellFormed()
    .replace(/\ufffd$/, "")
    .trim();
}

/** Square brackets, and those that look like them. */
const bracket = /[[［【〔〖〘〚⟦⟬❲⁅⦋⦍⦏﹝]/u;

/** Characters that are not seen, and marks set on others. */
const allUnseen = /[\p{DI}\p{Cf}\p{Cc}\p{M}\p{Z}\u2800]+/gu;

/** Where a line can hide its bracket: behind spaces, what is not seen, and marks of a quote. */
const opening = pattern("u")`^[\p{DI}\p{Cf}\p{Cc}\p{M}\p{Z}\u2800>＞]*(?=${bracket})`;

/** The inside of a line's bracket in any writing: `sun2026-11-2214:20…`, or the words for no time. */
const stamp =
  /^[^\p{L}\p{N}]{0,4}(?:\p{L}{2,12}\p{P}?\p{Nd}{4}[\p{Pd}−]\p{Nd}{1,2}[\p{Pd}−]\p{Nd}{1,2},?t?\p{Nd}{1,2}[:∶꞉]\p{Nd}{2}|timeunknown)/u;

/** As much of a line as `stamp` can need, after what is not seen. */
const stampLength = 60;

/** Everything that ends a line, in Unicode's sense. */
const lineEnds = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;

/**
 * A person's text in which no line can be taken for one that says who speaks: a backslash is put before the bracket of lines
 * that look like it. Everything else stays as it is. Takes time in proportion to the text.
 */
export function withoutSaidLines(text: string): string {
  if (!bracket.test(text)) return text;
  return text.split(lineEnds).map(withoutSaidLine).join("");
}

/** Characters of the shortest line that `stamp` takes, even in signs that stand for several: `[㎪⑳㉖-⑪-㉒⑭:⑳`. */
const shortestLine = 10;

function withoutSaidLine(line: string): string {
  if (line.length < shortestLine) return line;
  const before = opening.exec(line)?.[0];
  if (before === undefined) return line;
  const rest = line.slice(before.length);
  const inside = rest.slice(1).replace(allUnseen, "").slice(0, stampLength);
  const letters = inside.normalize("NFKD").replace(allUnseen, "").toLowerCase();
  return stamp.test(letters) ? `${before}\\${rest}` : line;
}

/** Reads a phrase that names a single time. */
import { en, type ParsedResult } from "chrono-node";
import { wallClock } from "../times.ts";
import { inPart, partsOf, possible, strangeIn } from "./repetitions.ts";
import { type Atom, type DayPart, monthNames } from "./time-words.ts";

const dayMs = 24 * 3_600_000;

/** The hour of a part of the day without a clock time. */
const usualHour: Readonly<Record<DayPart, number>> = { morning: 9, afternoon: 15, evening: 20, night: 22 };

/**
 * The local time, ISO 8601, of a phrase that does not repeat. A day without a time means its morning. A problem is a sentence for people.
 * @param now ms since the epoch
 */
export function oneTime(
  atoms: readonly Atom[],
  now: number,
  time_zone: string,
): { at: string } | { problem: string } {
  const strange = atoms.find(({ kind }) => kind === "unknown" || kind === "month" || kind === "dayOf");
  if (strange !== undefined) return strangeIn(strange);
  const wall = wallClock(now, time_zone);
  const [exact, ...others] = atoms.filter((atom) => atom.kind === "date" && atom.exact);
  if (exact !== undefined)
    return others.length > 0 || atoms.length > 1 ? unclear(atoms) : exactTime(exact.text, wall);
  const clocks = atoms.flatMap((atom) => (atom.kind === "clock" ? atom.minute : []));
  const [part, ...parts] = partsOf(atoms);
  if (clocks.length > 1 || parts.length > 0) return unclear(atoms);
  const minute = minuteOf(clocks[0], part);
  const day = dayIn(atoms, wall, clocks.length === 0 && part === undefined ? undefined : minute);
  if (typeof day !== "number") return day ?? unclear(atoms);
  const zone = atoms.find(({ kind }) => kind === "zone");
  const local = new Date(day + minute * 60_000).toISOString().slice(0, 19);
  return { at: `${local}${zone === undefined ? "" : offsetNamed(zone.text)}` };
}

function minuteOf(told: number | undefined, part: DayPart | undefined): number {
  if (told === undefined) return usualHour[part ?? "morning"] * 60;
  return part === undefined ? told : inPart(told, part);
}

const unclear = (atoms: readonly Atom[]) => ({
  problem: `I do not understand “${atoms.map(({ text }) => text).join(" ")}” as one time, so nothing was made. For a repetition write “every”. ${possible}`,
});

function exactTime(text: string, wall: number): { at: string } | { problem: string } {
  const [, day, time, second = ":00", offset = ""] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)? ?(.*)$/i.exec(text) ?? [];
  if (day !== undefined) return { at: `${day}T${time}${second}${offset}` };
  const found = whole(text, wall);
  return found === undefined
    ? { problem: `I do not understand “${text}”. Write “in 20 minutes”, or the time itself.` }
    : { at: found.start.date().toISOString().slice(0, 19) };
}

/** Local midnight of the day that the words name, in ms. Undefined when they name no day or several. */
function dayIn(
  atoms: readonly Atom[],
  wall: number,
  minute: number | undefined,
): number | { problem: string } | undefined {
  const today = Math.floor(wall / dayMs) * dayMs;
  const isOver = (minute ?? 1440) * 60_000 <= wall - today;
  const weekdays = atoms.flatMap((atom) => (atom.kind === "weekdays" ? [...atom.days] : []));
  const dates = atoms.flatMap((atom) => (atom.kind === "date" ? atom.text : []));
  const ordinals = atoms.flatMap((atom) => (atom.kind === "ordinal" ? atom.nth : []));
  const spans = atoms.flatMap((atom) => (atom.kind === "span" ? atom : []));
  const [weekday, date, nth, span] = [weekdays[0], dates[0], ordinals[0], spans[0]];
  if (Math.max(weekdays.length, dates.length + ordinals.length, dates.length + spans.length) > 1)
    return undefined;
  if (date !== undefined) return dateOn(date, weekday, wall);
  if (nth !== undefined) return weekday === undefined ? dayOfMonth(nth, span, today, isOver) : undefined;
  if (span !== undefined) return weekday === undefined ? whichDay(span) : inWeek(weekday, span, today);
  return weekday === undefined && minute === undefined ? undefined : nextDay(weekday, today, isOver);
}

/** The next such weekday; without a weekday, today or tomorrow. */
function nextDay(weekday: number | undefined, today: number, isOver: boolean): number {
  if (weekday === undefined) return today + (isOver ? dayMs : 0);
  const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7;
  return today + (ahead === 0 && isOver ? 7 : ahead) * dayMs;
}

/** A date in words. It must be the weekday that is named with it, if any. */
function dateOn(text: string, weekday: number | undefined, wall: number) {
  const plain = inOrder(text)
    .replace(/^on |^the /i, "")
    .replace(/^(?:the )?day after tomorrow$/i, "in 2 days");
  const found = whole(plain, wall);
  if (found === undefined) return undefined;
  const day = Math.floor(found.start.date().getTime() / dayMs) * dayMs;
  if (weekday === undefined || new Date(day).getUTCDay() === weekday) return day;
  return { problem: `${new Date(day).toISOString().slice(0, 10)} is not that weekday, so nothing was made.` };
}

/** `24.12.2026` in the form of other dates: `24 dec 2026`. */
function inOrder(text: string): string {
  const [, day, month, year = ""] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/.exec(text) ?? [];
  return day === undefined ? text : `${day} ${monthNames[Number(month) - 1]} ${year}`.trim();
}

type Span = Extract<Atom, { kind: "span" }>;

const whichDay = ({ text }: Span) => ({
  problem: `On which day? Write “${text} on …” with a day, such as “next week on Monday at 9” or “next month on the 15th at 8”.`,
});

function inWeek(weekday: number, span: Span, today: number) {
  if (span.unit !== "week") return whichDay(span);
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * dayMs;
  return monday + (span.ahead * 7 + ((weekday + 6) % 7)) * dayMs;
}

/** The day in the named month; without a month, the next such day. */
function dayOfMonth(
  nth: number,
  span: Span | undefined,
  today: number,
  isOver: boolean,
): number | { problem: string } {
  if (span !== undefined && span.unit !== "month") return whichDay(span);
  const date = new Date(today);
  const over = nth > 0 && (date.getUTCDate() > nth || (date.getUTCDate() === nth && isOver));
  const ahead = span?.ahead ?? (over ? 1 : 0);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + ahead];
  const day = nth === -1 ? new Date(Date.UTC(year, month + 1, 0)) : new Date(Date.UTC(year, month, nth));
  if (day.getUTCMonth() === month % 12) return day.getTime();
  return { problem: `That month has no day ${nth}, so nothing was made.` };
}

/** The reading of the whole text; undefined when a part is not understood. */
function whole(text: string, wall: number): ParsedResult | undefined {
  const [found] = en.parse(text, { instant: new Date(wall), timezone: 0 }, { forwardDate: true });
  return found !== undefined && found.index === 0 && found.text.length === text.length ? found : undefined;
}

/** `-08:00` of `PST`. */
function offsetNamed(name: string): string {
  const [found] = en.parse(`2026-01-01 12:00 ${name}`);
  return offsetOf(found?.start.get("timezoneOffset") ?? 0);
}

/** `-08:00` of minutes. */
export function offsetOf(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

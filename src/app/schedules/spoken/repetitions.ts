/** Cron patterns of phrases that repeat. */
import { type Atom, type DayPart, monthNames, type Unit } from "./time-words.ts";

type When = { at: string } | { cron: string };
/** `rest`: the text without the time. `time_zone`: the named zone, if any. */
export type Found = { when: When; rest: string; time_zone?: string } | { problem: string };

/** The pattern of a phrase; a problem is a sentence for people. */
export type Repetition = { cron: string } | { problem: string };

export const possible =
  "Possible are: every day at 9, weekdays at 9 and 17:00, mondays and thursdays at 9, the 1st of each month at 9, the last day of the month at 9, the first Monday of the month at 9, every 3 months on the 15th at 9, every 24 December at 18:00, hourly, every 30 minutes.";

/** The refusal of a text with words of time besides those that are understood. */
export function leftOver(understood: string, other: string): { problem: string } {
  return {
    problem: `I understand “${understood}” as the time, but not “${other.trim()}” next to it, so nothing was made. Put words that belong to the text into quotation marks. ${possible}`,
  };
}

type Of<Kind extends Atom["kind"]> = Extract<Atom, { kind: Kind }>;

function all<Kind extends Atom["kind"]>(atoms: readonly Atom[], kind: Kind): Of<Kind>[] {
  return atoms.filter((atom): atom is Of<Kind> => atom.kind === kind);
}

/** Whether a phrase names more than one time: `mondays`, `every …`, `on the 1st of the month`. */
export function repeats(atoms: readonly Atom[]): boolean {
  // "Mon, wed and fri" are days of every week; "Monday and Thursday" may be two single days.
  const named = all(atoms, "weekdays");
  if (named.length > 2 || (named.length === 2 && named.every(({ short }) => short))) return true;
  return atoms.some(
    (atom) =>
      atom.kind === "each" ||
      atom.kind === "every" ||
      atom.kind === "times" ||
      (atom.kind === "weekdays" && atom.plural),
  );
}

/** @param today local month, 1 to 12, and day of the month; every 2 or 3 months are counted from them */
export function repetition(atoms: readonly Atom[], today: { month: number; day: number }): Repetition {
  const eaches = all(atoms, "each");
  const units = new Set<Unit>([...eaches, ...all(atoms, "times")].map(({ unit }) => unit));
  const strange = atoms.find(({ kind }) => kind === "unknown" || kind === "span" || kind === "zone");
  if (strange !== undefined) return strangeIn(strange);
  if (all(atoms, "date").some(({ exact }) => exact) || eaches.filter(({ implied }) => !implied).length > 2)
    return unclear;
  const often = eaches.find(({ unit }) => unit === "minute" || unit === "hour");
  if (often !== undefined) return withinDay(often, atoms);
  const interval = eaches.find(({ count }) => count > 1);
  if (all(atoms, "every").some(({ other }) => other) || (interval !== undefined && !isRound(interval)))
    return {
      problem: `I do not understand this repetition, “${interval?.text ?? "every other"}”: it does not fit the days of a week, a month or a year. Nothing was made. ${possible}`,
    };
  if (isPaired(atoms))
    return {
      problem: `Days with different times need separate plans, so nothing was made. ${possible}`,
    };
  const days = daysOf(atoms, units, today);
  if ("problem" in days) return days;
  const times = timesOf(atoms);
  return "problem" in times ? times : { cron: `${times.minute} ${times.hours} ${days.pattern}` };
}

/** Whether days and times alternate, as in `mondays at 9 and fridays at 10`. */
function isPaired(atoms: readonly Atom[]): boolean {
  const kinds = atoms.filter(
    ({ kind }) => kind === "clock" || kind === "weekdays" || kind === "ordinal" || kind === "date",
  );
  const order = kinds.map(({ kind }) => (kind === "clock" ? "c" : "d")).join("");
  return /cd+c/.test(order);
}

/** Whether an interval of months falls on the same months each year. */
const isRound = ({ unit, count }: Of<"each">) => unit === "month" && 12 % count === 0;

const unclear = { problem: `I do not understand this repetition, so nothing was made. ${possible}` };

/** Says what is wrong with an atom that cannot be used. */
export function strangeIn({ text }: Atom): { problem: string } {
  if (/^\d+$/.test(text)) return { problem: `Write “at ${text}” if that is the time. Nothing was made.` };
  return /^(?:(?:at|@|around) ?)?[\d:.]+(?: ?[ap]\.?m\.?)?$/i.test(text)
    ? { problem: `“${text}” is not a time of day that I know. Write it as 9:00 or 17:30.` }
    : { problem: `I do not understand “${text}” here, so nothing was made. ${possible}` };
}

/** An interval of minutes or hours, on the named weekdays if any. */
function withinDay({ unit, count }: Of<"each">, atoms: readonly Atom[]): Repetition {
  const weekdays = all(atoms, "weekdays").flatMap(({ days }) => days);
  const others = atoms.filter(({ kind }) => kind !== "each" && kind !== "weekdays" && kind !== "every");
  if (others.length > 0 || all(atoms, "each").some((each) => each.unit !== unit && each.unit !== "day"))
    return unclear;
  const whole = unit === "hour" ? 24 : 60;
  if (count === whole || count < 1 || whole % count !== 0)
    return {
      problem:
        "An interval must divide an hour or a day evenly: every 15, 20 or 30 minutes, every hour, every 2, 3, 4, 6, 8 or 12 hours.",
    };
  const step = count === 1 ? "*" : `*/${count}`;
  const on = weekdays.length === 0 ? "*" : listed(weekdays);
  if (unit === "hour") return { cron: `0 ${step} * * ${on}` };
  return { cron: `${step} * * * ${on}` };
}

type Days = { pattern: string } | { problem: string };

function daysOf(atoms: readonly Atom[], units: Set<Unit>, today: { month: number; day: number }): Days {
  const weekdays = [...new Set(all(atoms, "weekdays").flatMap(({ days }) => days))];
  const ordinals = all(atoms, "ordinal");
  const dates = all(atoms, "date");
  const months = all(atoms, "month");
  if (dates.length > 0 || months.length > 0) return yearly(atoms, units);
  if (units.has("year")) return { problem: `On which day of the year? ${possible}` };
  if (ordinals.length > 0 || units.has("month") || units.has("quarter")) {
    const which =
      ordinals.length === 0
        ? { problem: `On which day of the month? ${possible}` }
        : inMonth(atoms, weekdays);
    if ("problem" in which) return which;
    return { pattern: `${which.day} ${monthsOf(atoms, today, which.first)} ${which.weekday}` };
  }
  if (weekdays.length > 0) return { pattern: `* * ${weekdays.length === 7 ? "*" : listed(weekdays)}` };
  if (units.has("week")) return { problem: `On which day of the week? ${possible}` };
  return units.has("day") ? { pattern: "* * *" } : unclear;
}

/**
 * Days of a month as the fields of a pattern. `first` is the first day of the month that may be meant: after it, this month's days count as
 * over.
 */
type InMonth = { day: string; weekday: string; first: number } | { problem: string };

function inMonth(atoms: readonly Atom[], weekdays: readonly number[]): InMonth {
  const nths = all(atoms, "ordinal").map(({ nth }) => nth);
  const units = all(atoms, "each").map(({ unit }) => unit);
  if (units.includes("week")) return unclear;
  const [first = 1] = nths;
  const isWorking = all(atoms, "dayOf").some(({ working }) => working);
  const isEnd = nths.length === 1 && (first === 1 || first === -1);
  if (isWorking || (isEnd && weekdays.length === 5)) return isEnd ? workingDay(first) : unclear;
  const isMonthly = units.includes("month") || units.includes("quarter");
  if (weekdays.length > 0) return nthWeekday(nths, weekdays, isMonthly);
  if (!isMonthly && units.length > 0) return unclear;
  const days = nths.toSorted((a, b) => placeOf(a) - placeOf(b)).map((nth) => (nth === -1 ? "L" : nth));
  return { day: days.join(","), weekday: "*", first: first === -1 ? 31 : first };
}

const workingDay = (nth: number): InMonth =>
  nth === 1 ? { day: "1W", weekday: "*", first: 1 } : { day: "LW", weekday: "*", first: 31 };

/** The last day comes after all others. */
const placeOf = (nth: number) => (nth === -1 ? 32 : nth);

function nthWeekday(nths: readonly number[], weekdays: readonly number[], isMonthly: boolean): InMonth {
  const [first = 1] = nths;
  // "Every second Tuesday" is of the month to some, and every other one to others.
  const isClear = isMonthly || nths.every((nth) => nth === 1 || nth === -1);
  if (!isClear || nths.some((nth) => nth > 5))
    return {
      problem: `Do you mean a week of the month? Write it as “the second Tuesday of the month at 9”. ${possible}`,
    };
  const each = weekdays.flatMap((day) => nths.map((nth) => `${day}#${nth === -1 ? "L" : nth}`));
  return { day: "*", weekday: each.join(","), first: first === -1 ? 31 : (first - 1) * 7 + 1 };
}

/** The months of a quarter, or an interval of months from the month in which the day comes next. */
function monthsOf(
  atoms: readonly Atom[],
  { month, day }: { month: number; day: number },
  first: number,
): string {
  const eaches = all(atoms, "each");
  if (eaches.some(({ unit }) => unit === "quarter"))
    return all(atoms, "ordinal").some(({ nth }) => nth === -1) ? "3,6,9,12" : "1,4,7,10";
  const step = eaches.find(({ unit }) => unit === "month")?.count ?? 1;
  if (step === 1) return "*";
  const start = (day < first ? month : month + 1) % step;
  const months = Array.from({ length: 12 }, (_, at) => at + 1).filter((each) => each % step === start);
  return months.join(",");
}

/** Maximum days of each month. */
const maxDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A day of the year: `every 24 December`, `every December on the 24th`. */
function yearly(atoms: readonly Atom[], units: Set<Unit>): Days {
  const dates = all(atoms, "date");
  const ordinals = all(atoms, "ordinal");
  const others = [...units].some((unit) => unit !== "year") || all(atoms, "weekdays").length > 0;
  if (others || dates.length > 1 || (dates.length === 0 && ordinals.length !== 1)) return unclear;
  const text = dates[0]?.text ?? "";
  const named = monthNames.findIndex((name) => text.toLowerCase().includes(name));
  const months = dates.length > 0 ? [named + 1] : all(atoms, "month").map(({ month }) => month);
  const day = dates.length > 0 ? Number(/\d{1,2}/.exec(text)?.[0]) : (ordinals[0]?.nth ?? 0);
  if (months.includes(0) || /\d{4}/.test(text) || (dates.length > 0 && ordinals.length > 0)) return unclear;
  if (months.some((month) => day > (maxDays[month - 1] ?? 0)))
    return { problem: `“${text}” is not a day of the year.` };
  return { pattern: `${day === -1 ? "L" : day} ${months.join(",")} *` };
}

/** The times of a day. All have the same minute, because a pattern has only one. */
function timesOf(atoms: readonly Atom[]): { minute: number; hours: string } | { problem: string } {
  const parts = partsOf(atoms);
  const clocks = all(atoms, "clock").map(({ minute }) =>
    parts[0] === undefined ? minute : inPart(minute, parts[0]),
  );
  const [times] = all(atoms, "times");
  const [first] = clocks;
  if (times !== undefined && (times.unit !== "day" || times.count !== clocks.length))
    return { problem: `At which times? Name each, as in “at 9 and 17:00 every day”. ${possible}` };
  if (first === undefined) return { problem: `At what time? ${possible}` };
  if (parts.length > 1) return unclear;
  if (clocks.some((each) => each % 60 !== first % 60))
    return {
      problem:
        "Times of one plan share their minute, as 9:30 and 17:30 do. Plan the others separately; nothing was made.",
    };
  const hours = [...new Set(clocks.map((each) => Math.floor(each / 60)))].sort((a, b) => a - b);
  return { minute: first % 60, hours: hours.join(",") };
}

/** The named parts of the day, in `in the evening` as well as `every evening`. */
export function partsOf(atoms: readonly Atom[]): DayPart[] {
  return atoms.flatMap((atom) => {
    if (atom.kind === "part") return atom.part;
    if (atom.kind === "each" && atom.part !== undefined) return atom.part;
    const [, part] =
      atom.kind === "date" ? (/^(?:this |to)(morning|afternoon|evening|night)$/i.exec(atom.text) ?? []) : [];
    return part === undefined ? [] : (part.toLowerCase() as DayPart);
  });
}

/** The minute of the day that a 12-hour clock time means in a part of the day: 8 in the evening is 20:00. */
export function inPart(minute: number, part: DayPart): number {
  const hour = Math.floor(minute / 60);
  if (hour >= 12 && !(part === "night" && hour === 12)) return minute;
  if (part === "night") return hour === 12 ? minute - 720 : hour < 5 ? minute : minute + 720;
  return part === "morning" ? minute : minute + 720;
}

function listed(weekdays: readonly number[]): string {
  const sorted = [...new Set(weekdays)].sort((a, b) => a - b);
  return sorted.join(",") === "1,2,3,4,5" ? "1-5" : sorted.join(",");
}

/** The words of time in what people write: `every`, `mondays`, `the 15th`, `at half past 8`. */
import { pattern } from "../../../base/pattern.ts";
import { timeZoneNamed } from "../../../core/values/inbound.ts";

export type Unit = "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";
export type DayPart = "morning" | "afternoon" | "evening" | "night";

/** The meaning of a word or a few words. */
type Meaning =
  /** `minute`: of the day, from midnight. */
  | { kind: "clock"; minute: number }
  | { kind: "part"; part: DayPart; bare: boolean }
  /** Repeats: `every 2 weeks`, `daily`. `implied`: `of the month`. `adverb`: may belong to a noun, as in `weekly report`. */
  | { kind: "each"; unit: Unit; count: number; implied?: true; adverb?: true; part?: DayPart }
  /** `twice a day`. */
  | { kind: "times"; count: number; unit: Unit }
  /** `every` before a weekday, an ordinal or a date. `other`: every other one. */
  | { kind: "every"; other: boolean }
  /** 0 is Sunday. `plural`: in more than one week, as in `mondays` and `mon-fri`. `short`: could be another word, like `sat`. */
  | { kind: "weekdays"; days: readonly number[]; plural: boolean; short: boolean }
  /** A day of the month, or a position in it; -1 is the last. */
  | { kind: "ordinal"; nth: number; word: boolean }
  /** `day` or `working day` after an ordinal. */
  | { kind: "dayOf"; working: boolean }
  | { kind: "month"; month: number }
  /** A single date. `exact`: with its time. */
  | { kind: "date"; exact?: true }
  /** `next week`, `next month`. */
  | { kind: "span"; unit: Unit; ahead: number }
  | { kind: "zone" }
  /** A bound or something vague that cannot be planned: `until`, `starting`, `biweekly`. */
  | { kind: "unknown" }
  /** Words that only look like a time: `last week`. */
  | { kind: "words" };

/** A meaning with its position in the text. */
export type Atom = Meaning & { start: number; end: number; text: string };

const numbers = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const ordinals = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
export const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

const number = /(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)/;
const nth =
  /(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)/;
const unit =
  /(?:min(?:ute)?|hour|hr|day|week|fortnight|month|quarter|year|morning|afternoon|evening|night|weekday|workday|working day|business day|weekend)s?/;
const weekday =
  /(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)(?![a-z]))/;
const month =
  /(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)/;
const at = /(?:(?:at|@|around)[ ]?(?:about[ ])?)/;

function count(word: string | undefined): number {
  const name = (word ?? "one").toLowerCase();
  if (name === "other") return 2;
  const named = Math.max(numbers.indexOf(name), ordinals.indexOf(name));
  const digits = Number.parseInt(name, 10);
  return named >= 0 ? named + 1 : Number.isNaN(digits) ? 1 : digits;
}

const dayOf = (word: string) => dayNames.indexOf(word.slice(0, 3).toLowerCase());
const unknown: Meaning = { kind: "unknown" };
const words: Meaning = { kind: "words" };
const date: Meaning = { kind: "date" };
const moment: Meaning = { kind: "date", exact: true };
const workingDays: Meaning = { kind: "weekdays", days: [1, 2, 3, 4, 5], plural: true, short: false };
const weekend: Meaning = { kind: "weekdays", days: [6, 0], plural: true, short: false };

/** The repetition of `every` with a unit. */
function each(word: string, times: number): Meaning {
  const name = word.toLowerCase().replace(/s$/, "");
  if (/^(?:weekday|workday|working day|business day)$/.test(name)) return times === 1 ? workingDays : unknown;
  if (name === "weekend") return times === 1 ? weekend : unknown;
  if (name === "fortnight") return { kind: "each", unit: "week", count: 2 * times };
  if (/^(?:morning|afternoon|evening|night)$/.test(name))
    return { kind: "each", unit: "day", count: times, part: name as DayPart };
  const short: Record<string, Unit> = { min: "minute", hr: "hour" };
  return { kind: "each", unit: short[name] ?? (name as Unit), count: times };
}

const adverbs: Readonly<Record<string, [unit: Unit, count: number]>> = {
  hourly: ["hour", 1],
  daily: ["day", 1],
  nightly: ["day", 1],
  weekly: ["week", 1],
  fortnightly: ["week", 2],
  monthly: ["month", 1],
  quarterly: ["quarter", 1],
  yearly: ["year", 1],
  annually: ["year", 1],
};

/** A time of the day; `half` is `a` or `p`. */
function clock(hour: number, minute: number, half?: string): Meaning {
  const maxHour = half === undefined ? 23 : 12;
  if (hour > maxHour || minute > 59 || (half !== undefined && hour === 0)) return unknown;
  const shown = half === undefined ? hour : (hour % 12) + (/p/i.test(half) ? 12 : 0);
  return { kind: "clock", minute: shown * 60 + minute };
}

function phrasedClock(how: string, hour: string): Meaning {
  if (/^(?:an?|half)$/i.test(hour)) return words;
  // "Half 8" is half past seven to some and half past eight to others.
  const minutes = { "half past": 30, "quarter past": 15, "quarter to": -15 }[how.toLowerCase()];
  const hours = count(hour);
  if (minutes === undefined || hours > 24) return unknown;
  return { kind: "clock", minute: (hours * 60 + minutes + 1440) % 1440 };
}

function slashDate(text: string, first: number, second: number): Meaning {
  if (text === "24/7") return words;
  // 3/4 is in March to some and in April to others.
  return first === second || first > 12 !== second > 12 ? date : unknown;
}

function range(from: string, to: string): Meaning {
  const [first, last] = [dayOf(from), dayOf(to)];
  const days = Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, step) => (first + step) % 7);
  return { kind: "weekdays", days, plural: true, short: false };
}

type Make = (groups: readonly (string | undefined)[], text: string) => Meaning | undefined;
type Reader = [RegExp, Meaning | Make];

/** Ends where a word ends, and not within a file name or an address. */
function rule(written: RegExp, meaning: Reader[1]): Reader {
  return [pattern("iuy")`${written}(?![\p{L}\p{N}_]|[\/@-][\p{L}\p{N}])(?![.:][\p{L}\p{N}])`, meaning];
}

/** The groups are the hour, the minute, and `a` or `p`; the last two may be missing. */
function clockRule(written: RegExp): Reader {
  return rule(written, ([hour, minute = "0", half]) => clock(Number(hour), Number(minute), half));
}

const bounds: Reader[] = [
  rule(/(?:until|till|except|excluding|as of|from now on|no later than|not before)/, unknown),
  rule(
    /(?:starting|beginning|effective)(?= (?:on|from|at|in|next|this|the|today|tomorrow|mon|tue|wed|thu|fri|sat|sun|\d))/,
    unknown,
  ),
  rule(
    pattern()`(?:for|over|during|within) (?:the )?(?:next )?(?:few |couple of )?(?:${number} )?${unit}`,
    unknown,
  ),
  rule(pattern()`between(?= (?:\d|${weekday}))`, unknown),
  rule(/(?:eod|cob|bi-?weekly|bi-?monthly|semi-?annually|half-?yearly|bi-?annually)/, unknown),
  rule(/(?:the )?end of (?:the |each |every |this |next )?(?:day|week|month|year|quarter)/, unknown),
  rule(/(?:this|next|on the|at the) weekend/, unknown),
];

const clocks: Reader[] = [
  rule(
    pattern()`${at}?(?:a )?(half past|quarter past|quarter to|half) (${number})(?: ?(am|pm))?`,
    ([how = "", hour = "", half]) => {
      const found = phrasedClock(how, hour);
      return found.kind === "clock" && half !== undefined
        ? clock(Math.floor(found.minute / 60), found.minute % 60, half)
        : found;
    },
  ),
  rule(pattern()`${at}?(noon|midday|midnight)`, ([name = ""]) => clock(/midnight/i.test(name) ? 0 : 12, 0)),
  // "9-17" and "9 to 17:00" are spans of time, as is everything after "between" and "from".
  rule(
    pattern()`(?:from |${at})\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)? ?(?:-|–|to|until) ?\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?`,
    unknown,
  ),
  rule(/\d{1,2}(?::\d\d)?(?: ?[ap]m)? ?[–-] ?\d{1,2}(?::\d\d(?: ?[ap]m)?| ?[ap]m)/, unknown),
  clockRule(pattern()`${at}?(\d{1,2})(?:[:.h](\d\d))? ?([ap])(?:m|\.m\.?)`),
  clockRule(pattern()`${at}?(\d{1,2}):(\d\d)(?::\d\d)?(?: ?h(?:rs?|ours?)?| o['’]clock)?`),
  clockRule(pattern()`${at}?(?<!\ba )(\d{1,2}) ?(?:o['’]?clock|h(\d\d)|h)`),
  clockRule(pattern()`${at}(\d{1,2})(?:\.(\d\d))?`),
  clockRule(pattern()`${at}([01]\d|2[0-3])([0-5]\d)(?: ?h(?:rs|ours)?)?`),
  rule(pattern()`${at}(${number})(?: o['’]?clock)?`, ([hour = ""]) =>
    /^(?:an?|\d+)$/i.test(hour) ? undefined : clock(count(hour), 0),
  ),
  rule(/(in the |at )?(morning|afternoon|evening|night)s?/, ([lead, part = ""]) => ({
    kind: "part",
    part: part.toLowerCase() as DayPart,
    bare: lead === undefined,
  })),
];

const repetitions: Reader[] = [
  rule(
    pattern()`(?:(once)|(twice)|thrice|(${number}) times) (?:an?|per|every|each) (${unit})`,
    ([once, twice, times, name = ""]) => {
      const found = each(name, 1);
      if (found.kind !== "each") return unknown;
      const often = once !== undefined ? 1 : twice !== undefined ? 2 : times === undefined ? 3 : count(times);
      return often === 1 ? found : { kind: "times", count: often, unit: found.unit };
    },
  ),
  rule(/twice (daily|weekly|monthly)/, ([name = ""]) => ({
    kind: "times",
    count: 2,
    unit: adverbs[name.toLowerCase()]?.[0] ?? "day",
  })),
  rule(
    /(?:once )?(hourly|daily|nightly|weekly|fortnightly|monthly|quarterly|yearly|annually)/,
    ([name = ""], text) => {
      const [unitName, often] = adverbs[name.toLowerCase()] ?? ["day", 1];
      const part = /nightly/i.test(text) ? { part: "night" as const } : {};
      return { kind: "each", unit: unitName, count: often, adverb: true, ...part };
    },
  ),
  rule(/(?:every|each) (half|quarter)(?: of)?(?: an)?[ -]hour/, ([size = ""]) =>
    each("minute", /half/i.test(size) ? 30 : 15),
  ),
  rule(
    /(?:every|each)(?: single| \d+)? seconds?(?! (?:day|week|month|hour|mon|tue|wed|thu|fri|sat|sun))/,
    unknown,
  ),
  rule(
    pattern()`(?:once )?(?:every|each|of (?:each|every)|in (?:each|every))(?: single)? (?:(other|${nth}|${number}) )?(${unit})`,
    ([times, name = ""]) =>
      /^(?:last|first|1st)$/i.test(times ?? "") ? undefined : each(name, count(times)),
  ),
  rule(/(?:of|in) the (month|quarter)/, ([name = ""]) => ({
    kind: "each",
    unit: name.toLowerCase() as Unit,
    count: 1,
    implied: true,
  })),
  rule(pattern()`(?:(?:every|each) (?:other|2nd|second|alternate)|alternat(?:e|ing))(?= ${weekday})`, {
    kind: "every",
    other: true,
  }),
  rule(/(?:(?:every|each) )?alternat(?:e|ing) (days?|weeks?|months?)/, ([name = ""]) => each(name, 2)),
  rule(/(?:every|each)/, { kind: "every", other: false }),
];

const days: Reader[] = [
  rule(pattern()`(${weekday}) ?(?:-|–|to|through|thru) ?(${weekday})`, ([from = "", to = ""]) =>
    range(from, to),
  ),
  rule(pattern()`(?:this coming|this|next|coming) ${weekday}`, date),
  rule(
    pattern()`(?:last|past|previous) (?:${weekday}(?! (?:of|in|each|every)\b)|(?:week|month|quarter|year|night)(?:'s|’s)?)`,
    words,
  ),
  rule(pattern()`${weekday}(?:\/${weekday})+`, (_, text) => ({
    kind: "weekdays",
    plural: /days\b/i.test(text),
    short: false,
    days: text.split("/").map(dayOf),
  })),
  rule(pattern()`${weekday} week`, unknown),
  rule(
    pattern()`in (?:${number}|a few|a couple of) (?:${weekday}|(?:week|work|working |business )days?)`,
    unknown,
  ),
  rule(/m-f|mo-fr/, workingDays),
  rule(/(?:weekdays|workdays|working days|business days)/, workingDays),
  rule(/weekends/, weekend),
  rule(weekday, (_, text) => ({
    kind: "weekdays",
    days: [dayOf(text)],
    plural: /days$/i.test(text),
    short: !/day/i.test(text),
  })),
  rule(
    /(?:today|tonight|tomorrow|(?:on )?(?:the )?day after tomorrow|this (?:morning|afternoon|evening))/,
    date,
  ),
  rule(
    pattern()`in (?:${number}|half an) ?(?:min(?:ute)?s?|hours?|hrs?|h|m)(?:,? (?:and )?(?:${number}|a half) ?(?:min(?:ute)?s?|m))?`,
    moment,
  ),
  rule(pattern()`(?:${number}|half an) (?:minutes?|mins?|hours?|hrs?) from now`, moment),
  rule(pattern()`in ${number} (?:days?|weeks?|months?|years?)`, date),
  rule(pattern()`${number} (?:days?|weeks?|months?|years?) from now`, date),
  rule(/(next|this|the coming) (week|month|quarter|year)/, ([which = "", name = ""]) => ({
    kind: "span",
    unit: name.toLowerCase() as Unit,
    ahead: /this/i.test(which) ? 0 : 1,
  })),
];

const isoDate = rule(/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/, (_, text) =>
  text.length > 10 ? moment : date,
);

const dates: Reader[] = [
  rule(pattern()`(?:the )?\d{1,2}(?:st|nd|rd|th|\.)?(?: of)? ${month}(?:,? \d{4})?`, date),
  rule(pattern()`${month}\.? (?:the )?\d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?(?! ?(?:[ap]m\b|:\d))`, date),
  rule(/\d{1,2}\.\d{1,2}\.(?:\d{4})?/, date),
  rule(/(\d{1,2})\/(\d{1,2})(?:\/(?:\d{4}|\d\d))?/, ([first, second], text) =>
    slashDate(text, Number(first), Number(second)),
  ),
  rule(nth, (_, text) => {
    const nthDay = /^last$/i.test(text) ? -1 : count(text);
    return nthDay > 31 || nthDay === 0 ? unknown : { kind: "ordinal", nth: nthDay, word: !/^\d/.test(text) };
  }),
  rule(/(working |business |week)?day/, ([working]) => ({ kind: "dayOf", working: working !== undefined })),
  rule(month, (_, text) => ({
    kind: "month",
    month: monthNames.indexOf(text.slice(0, 3).toLowerCase()) + 1,
  })),
  rule(/(?:(?<![a-z])[a-z]+\/[a-z_]+(?:\/[a-z_]+)?|[a-z]{3,4})/, (_, text) => {
    const isName = /^(?:UTC|GMT)$/.test(text) || (text.includes("/") && timeZoneNamed(text) !== undefined);
    return isName || abbreviation.test(text) ? { kind: "zone" } : undefined;
  }),
];

/** Named offsets. They fit a single time; a repeated one needs the name of a zone, because of daylight saving time. */
const abbreviation = /^(?:[PMCE][SD]T|CES?T|EES?T|WES?T|BST|IST|JST|MSK|AE[SD]T)$/;

/** All readers. The first match counts, so longer forms come before shorter ones. */
const readers: readonly Reader[] = [isoDate, ...bounds, ...clocks, ...repetitions, ...days, ...dates];

/** The atom at a place in a text; undefined where no word of time begins. */
export function atomAt(text: string, start: number): Atom | undefined {
  for (const [written, meaning] of readers) {
    written.lastIndex = start;
    const [whole, ...groups] = written.exec(text) ?? [];
    if (whole === undefined) continue;
    const found = typeof meaning === "function" ? meaning(groups, whole) : meaning;
    if (found !== undefined) return { ...found, start, end: start + whole.length, text: whole };
  }
  return undefined;
}

/** Times in the words of other languages. Single times in German, French and Spanish are read; all other words are refused. */
import { de, en, es, fr, type ParsedResult } from "chrono-node";
import { once } from "../../../base/made-once.ts";
import { wallClock } from "../times.ts";
import { offsetOf } from "./one-time.ts";
import { type Found, leftOver, possible } from "./repetitions.ts";
import { phrasesIn, roleOf } from "./time-phrases.ts";

const foreign =
  /(?<!\p{L})(?:heute|morgen|übermorgen|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|jede[nrsm]?|täglich|wöchentlich|monatlich|jährlich|werktags|uhr|nächste[nrs]?|demain|aujourd['’]hui|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|chaque|tou(?:s|tes) les|midi|minuit|prochaine?|mañana|hoy|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|cada|todos los|todas las|próxim[oa]|stunden?|tagen|wochen?|heures?|horas?|(?:um|à|ab|a las?) \d{1,2}|\d{1,2}\.? (?:de )?(?:januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre))(?![\p{L}\d])/iu;

const bounds = /(?<!\p{L})(?:ab|bis|jusqu|hasta|desde|übernächste[nrs]?)(?!\p{L})/iu;

/** Repetitions in these languages. */
const repetitions =
  /(?<!\p{L})(?:jede[nrsm]?|\p{L}*täglich|wöchentlich|monatlich|jährlich|stündlich|werktags|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|(?:an|am) (?:werktagen|wochenenden?)|alle (?:\d+|zwei|drei|vier|sechs|acht|zehn) \p{L}+|(?:mo|di|mi|do|lu|ma)\.? ?[-–] ?(?:mi|do|fr|sa|so|ve|vi)|chaque|tou(?:s|tes) les|quotidien\p{L}*|hebdomadaire\p{L}*|en semaine|le week-?end|cada|todos los|todas las|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)|diariamente|semanalmente|(?:entre|fines? de) semana)(?!\p{L})/iu;

/** Days and repetitions in languages in which no time is read. */
const unread = [
  /(?<!\p{L})(?:todos os|todas as|ogni|tutti i|elke|iedere|dagelijks|wekelijks|każd\p{L}+|codziennie|každ\p{L}+|denně|minden|fiecare|zilnic|varje|varannan|hver|hvert|joka|кажд\p{L}+|ежедневно|кожн\p{L}+|щодня|κάθε|setiap|כל|كل|हर)(?!\p{L})/iu,
  /[每毎]|曜日|[周週][一二三四五六日]|星期|[今明后後]天|[今明]日|요일|매[일주월]|내일/u,
];

/** Languages by whether the names of days have cases. */
const languages = { plain: "pt it nl hu ro sv da nb fi tr el id", cases: "pl cs sk ru uk bg" };

const dayMs = 24 * 3_600_000;

/** The names of the weekdays, today and tomorrow, without words of the languages above; of languages with cases, their stems. */
const dayNames = once(() => {
  const namesIn = (codes: string) =>
    codes.split(" ").flatMap((language) => {
      const weekday = new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" });
      const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
      const weekdays = [0, 1, 2, 3, 4, 5, 6].map((day) => weekday.format(day * dayMs).split("-")[0] ?? "");
      const near = [0, 1, 2].map((days) => relative.format(days, "day")).filter((name) => !/\s/.test(name));
      return [...weekdays, ...near]
        .map((name) => name.toLocaleLowerCase(language))
        .filter((name) => name.length > 3 && !foreign.test(name));
    });
  return {
    plain: new Set(namesIn(languages.plain)),
    stems: new Set(namesIn(languages.cases).map((name) => name.slice(0, -1))),
  };
});

/** A word for a day or a repetition that is not English, beside a time of day; undefined if there is none. */
export function dayInOtherWords(text: string): string | undefined {
  const found = [repetitions, ...unread].flatMap((words) => words.exec(text)?.[0] ?? [])[0];
  if (found !== undefined) return found;
  const { plain, stems } = dayNames();
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.find(
    (word) =>
      plain.has(word) ||
      plain.has(word.replace(/s$/, "")) ||
      [0, 1, 2, 3].some((ending) => stems.has(word.slice(0, word.length - ending))),
  );
}

export const hasForeignTime = (text: string): boolean => foreign.test(text);

/** Reads a single time. The language that understands most of the text is taken. */
export function foreignTime(
  text: string,
  unquoted: string,
  now: number,
  time_zone: string,
): Found | undefined {
  if (repetitions.test(unquoted) || bounds.test(unquoted))
    return { problem: `I do not understand this repetition, so nothing was made. ${possible}` };
  const reference = { instant: new Date(wallClock(now, time_zone)), timezone: 0 };
  const found = [en, de, fr, es]
    .flatMap((language) => language.parse(unquoted, reference, { forwardDate: true })[0] ?? [])
    .sort((a, b) => b.text.length - a.text.length)[0];
  if (found === undefined) return undefined;
  const end = found.index + found.text.length;
  const outside = `${unquoted.slice(0, found.index)} . ${unquoted.slice(end).replace(/^\s*(?:uhr|h)(?!\p{L})/iu, "")}`;
  const left =
    foreign.exec(outside)?.[0] ??
    phrasesIn(outside).find((phrase) => roleOf(phrase, outside) === "time")?.atoms[0]?.text;
  if (left !== undefined) return leftOver(found.text, left);
  const rest = `${text.slice(0, found.index).replace(/(?:^|\s)(?:el|le|la|am|den)\s*$/i, "")} ${text.slice(end).replace(/^\s*(?:uhr|h)(?!\p{L})/iu, "")}`;
  return { when: { at: localTime(found) }, rest };
}

/** The local time of a reading. A day without a time means its morning; a named zone becomes an offset. */
function localTime(found: ParsedResult): string {
  const { start } = found;
  const two = (part: "month" | "day" | "hour" | "minute" | "second", unless = 0) =>
    String(start.get(part) ?? unless).padStart(2, "0");
  const tags = [...found.tags()];
  const isTold = start.isCertain("hour") || tags.some((tag) => /\/(?:afternoon|evening|tonight)$/.test(tag));
  const isRelative = tags.some((tag) => tag.startsWith("result/relative"));
  const clock = isTold ? `${two("hour")}:${two("minute")}` : "09:00";
  // “In a minute” is not the beginning of the next one.
  const second = isRelative && start.isCertain("hour") ? two("second") : "00";
  const isZoned = !isRelative && start.isCertain("timezoneOffset");
  const offset = isZoned ? offsetOf(start.get("timezoneOffset") ?? 0) : "";
  return `${start.get("year")}-${two("month", 1)}-${two("day", 1)}T${clock}:${second}${offset}`;
}

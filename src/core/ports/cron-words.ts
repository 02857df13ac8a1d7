/** Cron patterns in plain words, for the common ones: `0 9 * * 1-5` is “every weekday at 09:00”. */

const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** The pattern in words; the pattern itself where there are no short ones. */
export function cronInWords(cron: string): string {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.trim().split(/\s+/);
  const days = daysInWords(day, month, weekday);
  const time = timeInWords(minute, hour);
  if (days === undefined || time === undefined) return `cron ${cron.trim()}`;
  return days === "every day" && time.startsWith("every") ? time : `${days} ${time}`;
}

function timeInWords(minute: string, hour: string): string | undefined {
  const every = /^\*\/(\d+)$/;
  if (hour === "*" && every.test(minute)) return `every ${every.exec(minute)?.[1]} minutes`;
  if (!/^\d{1,2}$/.test(minute)) return undefined;
  const at = minute.padStart(2, "0");
  if (hour === "*") return `every hour at minute ${at}`;
  if (!/^\d{1,2}(,\d{1,2})*$/.test(hour)) return undefined;
  const times = hour.split(",").map((each) => `${each.padStart(2, "0")}:${at}`);
  return `at ${times.join(" and ")}`;
}

function daysInWords(day: string, month: string, weekday: string): string | undefined {
  if (month !== "*") return undefined;
  if (day !== "*") {
    if (weekday !== "*") return undefined;
    if (day === "L") return "on the last day of every month";
    return /^\d{1,2}$/.test(day) ? `on day ${day} of every month` : undefined;
  }
  if (weekday === "*") return "every day";
  if (/^(1-5|MON-FRI)$/i.test(weekday)) return "every weekday";
  const names = weekday.split(",").map(dayName);
  return names.includes(undefined) ? undefined : `every ${names.join(" and ")}`;
}

function dayName(text: string): string | undefined {
  if (/^[0-7]$/.test(text)) return dayNames[Number(text)];
  return dayNames.find((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase());
}

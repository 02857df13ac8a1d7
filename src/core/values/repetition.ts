/** How often a form repeats what it plans. */
export const repetitions = ["once", "every day", "every weekday", "every week", "every month"] as const;

/**
 * When something runs, from the fields of a form: a first date (`2026-12-24`), a time (`09:00`) and one of `repetitions`. A repetition is the
 * cron pattern of its first time; every week is on its weekday, every month on its day.
 */
export function timesOf(
  date: string,
  time: string,
  repeat: string,
): { at: string } | { cron: string[]; from: string } {
  const at = `${date}T${time}`;
  const [hour, minute] = time.split(":").map(Number);
  const first = new Date(`${date}T00:00Z`);
  const days: Readonly<Record<string, string>> = {
    "every day": "* * *",
    "every weekday": "* * 1-5",
    "every week": `* * ${first.getUTCDay()}`,
    "every month": `${first.getUTCDate()} * *`,
  };
  const pattern = days[repeat];
  return pattern === undefined ? { at } : { cron: [`${minute} ${hour} ${pattern}`], from: at };
}

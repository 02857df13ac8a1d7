const minute = 60_000;
const day = 24 * 60 * minute;

/** A time in short form, for lists: `now`, `5 min`, `14:05`, `Mon`, `12 Mar`. */
export function relativeTime(at: number, now: number): string {
  const age = now - at;
  if (age < minute) return "now";
  if (age < 60 * minute) return `${Math.floor(age / minute)} min`;
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return clockTime(at);
  if (age < 6 * day) return date.toLocaleDateString(undefined, { weekday: "short" });
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

/** `14:05`, in the reader's locale. */
export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

/** For tooltips: date and time. */
export function fullTime(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

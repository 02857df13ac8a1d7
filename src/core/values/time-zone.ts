import { z } from "zod";

/** The longest name that is looked up; the longest in the IANA database has 32 characters. */
const longestName = 64;

/**
 * The IANA name of the time zone a text names, in any case and with spaces or underscores; undefined when it names none.
 * Aliases without an area (`GB`, `EST`) become the zone they stand for. Offsets (`+02:00`) are no names: they know no summer
 * time.
 */
export function timeZoneNamed(text: string): string | undefined {
  const name = text.trim().replaceAll(" ", "_");
  if (name.length > longestName || !/^[a-z][a-z0-9_+/-]+$/i.test(name)) return undefined;
  const known = knownAs(name);
  // Intl answers older names for some zones, such as Asia/Calcutta for Asia/Kolkata; people keep the one they wrote.
  const isAlias = known?.toLowerCase() !== name.toLowerCase();
  return known !== undefined && isAlias && /^[A-Z].*\//.test(name) ? name : known;
}

function knownAs(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A time zone as it comes in from outside: what is not the name of one counts as not given, and is no error. */
export const givenTimeZone = z
  .string()
  .transform((text) => timeZoneNamed(text))
  .optional()
  .catch(undefined);

/** What the clock on the wall shows in a zone (IANA name; UTC where there is no such) at a time in ms since the epoch: `2026-11-22 14:20`. */
export function clockIn(time_zone: string, at: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: knownAs(time_zone) === undefined ? "UTC" : time_zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return format.format(at);
}

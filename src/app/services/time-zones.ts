import { nearest } from "../../core/skill-identifier.ts";

/** The time zones people can choose from, without aliases. */
export function timeZones(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}

/** Up to three zones whose names, or whose cities, look like the text, best first. */
export function nearestTimeZones(text: string): string[] {
  const wanted = text.trim().replaceAll(" ", "_");
  const zones = timeZones();
  const byCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf("/") + 1), zone]));
  const cities = nearest(wanted, byCity.keys()).flatMap((city) => byCity.get(city) ?? []);
  return [...new Set([...nearest(wanted, zones), ...cities])].slice(0, 3);
}

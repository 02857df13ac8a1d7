import { unfoundNumbers } from "../../src/core/values/quotation.ts";
import type { Section } from "./sections.ts";

/** References to numbered places: `page 3`, `slides 3–5`. */
const reference = /\b(page|slide)s? (\d+)(?:\s*[-–]\s*(\d+))?/gi;

/** What a summary claims and the sections do not have: numbers, and pages and slides it refers to. */
export function unfoundIn(summary: string, sections: readonly Section[]): string[] {
  const known = sections.flatMap(({ place, text }) => [place, text]);
  const named = new Set(known.flatMap(placesIn));
  const places = placesIn(summary).filter((place) => !named.has(place));
  const numbers = unfoundNumbers(summary.replace(reference, " "), known);
  return [...new Set(places), ...numbers.map((number) => `the number ${number}`)];
}

function placesIn(text: string): string[] {
  return [...text.matchAll(reference)].flatMap(([, kind = "", from, to]) =>
    [from, to].flatMap((number) => (number === undefined ? [] : `${kind.toLowerCase()} ${Number(number)}`)),
  );
}

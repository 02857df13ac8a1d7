/** A piece of text that stays together where it fits into one part. */
export interface Unit {
  text: string;
  /** Splits it: the first piece has at most `room` characters (empty when nothing fits), the others at most `limit`. */
  split(room: number, limit: number): string[];
}

/** A part that is filled less than this does not end before a unit that would fit into the next part whole. */
const leastFilled = 1 / 4;

/**
 * Joins units to parts of at most `limit` characters, the first of at most `room`. Breaks between units where it can. White space
 * at the end of a part does not count. The first part is empty when nothing fits into its room.
 */
export function packUnits(units: readonly Unit[], room: number, limit: number): string[] {
  const parts: string[] = [];
  let current = "";
  let space = room;
  const next = (text: string) => {
    parts.push(current);
    current = text;
    space = limit;
  };
  for (const unit of units) {
    if (fits(current, unit.text, space)) {
      current += unit.text;
      continue;
    }
    const used = limit - space + current.length;
    if (used >= limit * leastFilled && fits("", unit.text, limit)) {
      next(unit.text);
      continue;
    }
    const left = space - current.length;
    const [first = "", ...rest] = unit.split(left < limit * leastFilled ? 0 : left, limit);
    current += first;
    for (const piece of rest) next(piece);
  }
  parts.push(current);
  return parts;
}

function fits(before: string, text: string, space: number): boolean {
  const length = before.length + text.length;
  return length <= space || (before + text).trimEnd().length <= space;
}

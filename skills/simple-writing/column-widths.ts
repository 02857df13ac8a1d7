/** What a column needs, in any unit of length. */
export interface ColumnNeed {
  /** For its longest word to stay whole. */
  word: number;
  /** For its longest cell to stay on one line. */
  all: number;
}

/** As wide as the words need, where there is room; else the longest words whole, and the rest by how much there is to say. */
export function columnWidths(needs: readonly ColumnNeed[], room: number): number[] {
  const isShort = shortOnes(
    needs.map(({ all }) => all),
    room,
  );
  const least = needs.map(({ word, all }, at) => (isShort[at] ? all : word));
  const words = capped(least, room);
  const wishes = needs.map(({ all }, at) =>
    isShort[at] ? 0 : Math.sqrt(Math.max(0, all - (words[at] ?? 0))),
  );
  const rest = room - sum(words);
  return words.map((word, at) => word + (sum(wishes) === 0 ? 0 : ((wishes[at] ?? 0) / sum(wishes)) * rest));
}

/** Which columns need no more than their share of the room, that others leave included: they are not broken. */
function shortOnes(widths: readonly number[], room: number): boolean[] {
  const short = widths.map(() => false);
  for (;;) {
    const others = widths.filter((_, at) => !short[at]);
    const taken = sum(widths.filter((_, at) => short[at]));
    const share = (room - taken) / Math.max(1, others.length);
    const next = widths.findIndex((width, at) => !short[at] && width <= share);
    if (next < 0) return short;
    short[next] = true;
  }
}

/** The widest made narrower, until all have room. */
function capped(widths: readonly number[], room: number): number[] {
  let low = 0;
  let high = Math.max(...widths);
  if (sum(widths) <= room) return [...widths];
  for (let round = 0; round < 30; round += 1) {
    const cap = (low + high) / 2;
    if (sum(widths.map((width) => Math.min(width, cap))) > room) high = cap;
    else low = cap;
  }
  return widths.map((width) => Math.min(width, low));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

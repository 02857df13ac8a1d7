/** Widths that a column needs, in any unit of length. */
export interface ColumnNeed {
  /** Keeps its longest word on one line. */
  word: number;
  /** Keeps its longest cell on one line. */
  all: number;
}

/** Widths that keep words whole if there is room; the remaining room is distributed by the length of the cells. */
export function columnWidths(needs: readonly ColumnNeed[], room: number): number[] {
  const isShort = shortOnes(
    needs.map(({ all }) => all),
    room,
  );
  const minimums = needs.map(({ word, all }, at) => (isShort[at] ? all : word));
  const words = capped(minimums, room);
  const wishes = needs.map(({ all }, at) =>
    isShort[at] ? 0 : Math.sqrt(Math.max(0, all - (words[at] ?? 0))),
  );
  const rest = room - sum(words);
  return words.map((word, at) => word + (sum(wishes) === 0 ? 0 : ((wishes[at] ?? 0) / sum(wishes)) * rest));
}

/** Columns that fit into their share of the room, including room that other columns leave: their cells are not wrapped. */
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

/** Narrows the widest columns until all fit. */
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

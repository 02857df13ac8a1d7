/** Maximum characters of a name that are compared. */
const maxCompared = 64;

/**
 * The candidate that a person most likely meant: one in which at most a third of the letters (at least two) differ, or else one that
 * begins with the name. Ignores case, and treats `-` as `_`.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = normalise(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, normalise(candidate));
    if (best === undefined || distance < best.distance) best = { name: candidate, distance };
  }
  if (best !== undefined && best.distance <= maxDistance(wanted) && best.distance < wanted.length)
    return best.name;
  return wanted.length < 3
    ? undefined
    : candidates.find((candidate) => normalise(candidate).startsWith(wanted));
}

/**
 * Up to three names that a text may mean, nearest first: names that contain it or are contained in it, and names in which at most a
 * third of the letters (at least two) differ. Ignores case, and compares only the first 64 characters.
 */
export function nearestNames(text: string, names: Iterable<string>): string[] {
  const wanted = text.slice(0, maxCompared);
  if (wanted === "") return [];
  return ranked(wanted, names)
    .filter(({ distance }) => distance <= maxDistance(wanted))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** All names, nearest first, by the same measure. */
export function byNearness(text: string, names: Iterable<string>): string[] {
  return ranked(text.slice(0, maxCompared), names).map(({ name }) => name);
}

function ranked(text: string, names: Iterable<string>): { name: string; distance: number }[] {
  const wanted = text.toLowerCase();
  return [...names]
    .map((name) => ({ name, distance: likeness(wanted, name.toLowerCase().slice(0, maxCompared)) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const choices = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      ];
      if (isSwapped) choices.push((beforeLast[column - 2] ?? 0) + 1);
      current.push(Math.min(...choices));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

function maxDistance(wanted: string): number {
  return Math.max(2, Math.floor(wanted.length / 3));
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** Edit distance. A text that contains the other (`research` in `web-research`) counts as near. */
function likeness(wanted: string, name: string): number {
  const isContained =
    Math.min(wanted.length, name.length) >= 4 && (name.includes(wanted) || wanted.includes(name));
  return isContained ? 1 : editDistance(wanted, name);
}

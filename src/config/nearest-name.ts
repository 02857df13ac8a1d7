/**
 * The candidate a person most likely meant: at most a third of the letters (two at least) differ, or else the one that
 * begins with the name.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = normalise(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, normalise(candidate));
    if (best === undefined || distance < best.distance) best = { name: candidate, distance };
  }
  const allowed = Math.max(2, Math.floor(wanted.length / 3));
  if (best !== undefined && best.distance <= allowed && best.distance < wanted.length) return best.name;
  return wanted.length < 3
    ? undefined
    : candidates.find((candidate) => normalise(candidate).startsWith(wanted));
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const choices = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1)];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) choices.push((beforeLast[j - 2] ?? 0) + 1);
      row.push(Math.min(...choices));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

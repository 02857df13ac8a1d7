import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";

export interface DirectoryEntry {
  name: string;
  kind: "file" | "directory" | "link" | "other";
}

type Listing = { ok: true; entries: readonly DirectoryEntry[] } | { ok: false; error: unknown };

/**
 * Milliseconds. The resolution of file times is limited, so something written shortly before it was checked may change again without a new
 * time. Anything younger than this is not trusted yet.
 */
const youngerThan = 100;

/** Whether a file or directory changed so recently that a second change might not show in its times. */
export function isYoung(stats: Pick<Stats, "mtimeMs" | "ctimeMs">, lookedAt: number): boolean {
  return Math.max(stats.mtimeMs, stats.ctimeMs) > lookedAt - youngerThan;
}

/** Lists directories, in rounds: in a new round an unchanged one is not read again. */
export class DirectoryListings {
  readonly #known = new Map<string, { listing: Listing; stats: Stats; young: boolean; round: number }>();
  #round = 0;

  /** Entries by name. Checks the directory once in a round. Never throws. */
  list(directory: string): Listing {
    try {
      return this.#read(directory);
    } catch (error) {
      this.#known.delete(directory);
      return { ok: false, error };
    }
  }

  /** Begins a new round, and drops directories that were not listed in the last one. */
  beginRound(): void {
    for (const [directory, { round }] of this.#known)
      if (round !== this.#round) this.#known.delete(directory);
    this.#round += 1;
  }

  #read(directory: string): Listing {
    const before = this.#known.get(directory);
    if (before?.round === this.#round) return before.listing;
    const lookedAt = Date.now();
    const stats = statSync(directory);
    if (before !== undefined && !before.young && isUnchanged(before.stats, stats)) {
      before.round = this.#round;
      return before.listing;
    }
    const listing: Listing = { ok: true, entries: entriesOf(directory) };
    this.#known.set(directory, { listing, stats, young: isYoung(stats, lookedAt), round: this.#round });
    return listing;
  }
}

function isUnchanged(before: Stats, now: Stats): boolean {
  return before.mtimeMs === now.mtimeMs && before.ctimeMs === now.ctimeMs && before.ino === now.ino;
}

function entriesOf(directory: string): DirectoryEntry[] {
  return readdirSync(directory, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: Dirent): DirectoryEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

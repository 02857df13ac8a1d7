import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";

export interface DirectoryEntry {
  name: string;
  kind: "file" | "directory" | "link" | "other";
}

type Listing = { ok: true; entries: readonly DirectoryEntry[] } | { ok: false; error: unknown };

export type DirectoryListings = ReturnType<typeof createDirectoryListings>;

/**
 * Milliseconds. The resolution of file times is limited, so something written shortly before it was checked may change again without a new
 * time. Anything younger than this is not trusted yet.
 */
const youngerThan = 100;

/** Whether a file or directory changed so recently that a second change might not show in its times. */
export function isYoung(stats: Pick<Stats, "mtimeMs" | "ctimeMs">, lookedAt: number): boolean {
  return Math.max(stats.mtimeMs, stats.ctimeMs) > lookedAt - youngerThan;
}

interface Remembered {
  listing: Listing;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  young: boolean;
  round: number;
}

/** Lists directories, in rounds: in a new round an unchanged one is not read again. */
export function createDirectoryListings() {
  const known = new Map<string, Remembered>();
  let round = 0;

  function read(directory: string): Listing {
    const before = known.get(directory);
    if (before?.round === round) return before.listing;
    const lookedAt = Date.now();
    const stats = statSync(directory);
    if (before !== undefined && !before.young && isUnchanged(before, stats)) {
      before.round = round;
      return before.listing;
    }
    const listing: Listing = { ok: true, entries: entriesOf(directory) };
    const { mtimeMs, ctimeMs, ino } = stats;
    known.set(directory, { listing, mtimeMs, ctimeMs, ino, young: isYoung(stats, lookedAt), round });
    return listing;
  }

  return {
    /** Entries by name. Checks the directory once in a round. Never throws. */
    list(directory: string): Listing {
      try {
        return read(directory);
      } catch (error) {
        known.delete(directory);
        return { ok: false, error };
      }
    },
    /** Begins a new round, and drops directories that were not listed in the last one. */
    beginRound(): void {
      for (const [directory, { round: usedIn }] of known) if (usedIn !== round) known.delete(directory);
      round += 1;
    },
  };
}

function isUnchanged(before: Remembered, now: Stats): boolean {
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

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { plainText } from "../base/decode-text.ts";
import { errorText } from "../base/error-text.ts";
import { growingTo } from "../base/growing-cache.ts";
import type { FolderFormat, SkillOrigin, ToolPackages } from "../core/skill/skill.ts";
import { defect } from "./diagnose.ts";
import type { DirectoryListings } from "./directory-listings.ts";
import type { FoundFolder } from "./discover.ts";
import { type LoadedFolder, loadFolder } from "./folder-loader.ts";
import type { Pace } from "./pace.ts";
import { type FolderContents, readContents } from "./read-contents.ts";
import { type FolderScan, isSameScan, scanFolder } from "./scan-folder.ts";
import { createSkillFiles } from "./skill-files.ts";

/** After this time contents are read again although no file seems changed, ms. */
const oldest = 5 * 60_000;
const maxFolders = 2000;

/** The present state of a folder: `loaded` is the same object as before if nothing in it changed. */
export interface CurrentFolder {
  scan: FolderScan;
  loaded: LoadedFolder;
}

interface Known extends CurrentFolder {
  key: string;
}

export interface FolderCacheOptions {
  source: string;
  precedence: number;
  importModules: boolean;
  listings: DirectoryListings;
  maxFiles?: number | undefined;
  formats?: readonly FolderFormat[];
  toolPackages?: ToolPackages;
  /** Milliseconds; for tests. */
  now?: (() => number) | undefined;
}

/** Caches loaded folders by the state of their files, and loads those that changed. */
export function createFolderCache(options: FolderCacheOptions) {
  const parsed = new LRUCache<string, LoadedFolder>({
    ...growingTo(maxFolders),
    ttl: oldest,
    ttlResolution: 0,
    ...(options.now === undefined ? {} : { perf: { now: options.now } }),
  });
  const known = new Map<string, Known>();

  async function load(
    folder: FoundFolder,
    scan: FolderScan,
    root: string,
    pace: Pace,
  ): Promise<LoadedFolder> {
    const { source, precedence, importModules, toolPackages } = options;
    const origin = { source, precedence, path: folder.path };
    if (scan.tooLarge) return { hash: "", skills: [], diagnostics: [] };
    const contents = await readContents(scan.files, folder.document, pace);
    const before = known.get(folder.path);
    const isKnown = before?.loaded.hash === contents.hash && isSamePlace(before.scan, scan);
    if (isKnown && before.loaded.complete !== false) return before.loaded;
    try {
      const format = options.formats?.find(({ manifest }) => manifest === folder.document);
      if (format !== undefined) return loadFormatted(format, contents, origin, root);
      return await loadFolder({ folder, scan, contents, origin, root, importModules, toolPackages });
    } catch (error) {
      const reason = errorText(error);
      const diagnostics = [defect(folder.path, "load_failed", `The skill cannot be loaded: ${reason}`)];
      return { hash: contents.hash, skills: [], diagnostics };
    }
  }

  return {
    async current(folder: FoundFolder, root: string, pace: Pace): Promise<CurrentFolder> {
      const scan = scanFolder(folder.path, root, options);
      const before = known.get(folder.path);
      const trusted = before?.scan.young === false && !scan.young;
      const same = trusted && isSameScan(before.scan, scan);
      const isComplete = before?.loaded.complete !== false;
      if (same && isComplete && parsed.get(before.key) === before.loaded) return before;
      const key = same ? before.key : keyOf(folder, scan);
      const loaded =
        (trusted && isComplete ? parsed.get(key) : undefined) ?? (await load(folder, scan, root, pace));
      if (!scan.young) parsed.set(key, loaded);
      const now = { scan, loaded, key };
      known.set(folder.path, now);
      return now;
    },
    /** Drops all folders except these. */
    keep(folders: readonly FoundFolder[]): void {
      if (known.size === folders.length) return;
      const paths = new Set(folders.map(({ path }) => path));
      for (const path of known.keys()) if (!paths.has(path)) known.delete(path);
    },
  };
}

function loadFormatted(
  format: FolderFormat,
  { document, files, hash, diagnostics }: FolderContents,
  origin: SkillOrigin,
  root: string,
): LoadedFolder {
  const text = document && plainText(document);
  const loaded = format.load({ origin, hash, text, files: createSkillFiles(files, root) });
  return { hash, skills: loaded.skills, diagnostics: [...diagnostics, ...loaded.diagnostics] };
}

/** Folder and signature: the paths, sizes and times of its files. */
function keyOf(folder: FoundFolder, { files, tooLarge }: FolderScan): string {
  const state = files.map((file) => [
    file.path,
    file.absolute,
    file.bytes,
    file.mtimeMs,
    file.ctimeMs,
    file.ino,
  ]);
  return `${folder.path}\0${hash("sha256", JSON.stringify([folder.document, tooLarge, state]), "hex")}`;
}

/** Whether links lead to the same files as before; equal contents alone do not prove that. */
function isSamePlace(a: FolderScan, b: FolderScan): boolean {
  return (
    a.files.length === b.files.length && a.files.every((file, at) => file.absolute === b.files[at]?.absolute)
  );
}

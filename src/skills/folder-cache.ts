import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { plainText } from "../base/decode-text.ts";
import { errorText } from "../base/error-text.ts";
import { growingTo } from "../base/growing-cache.ts";
import { defect, type FolderFormat, type SkillOrigin, type ToolPackages } from "../core/skill/skill.ts";
import type { DirectoryListings } from "./directory-listings.ts";
import type { FoundFolder } from "./discover.ts";
import { type LoadedFolder, loadFolder } from "./folder-loader.ts";
import type { Pace } from "./pace.ts";
import { type FolderContents, readContents } from "./read-contents.ts";
import { type FolderScan, fileState, isSameScan, scanFolder } from "./scan-folder.ts";
import { createSkillFiles } from "./skill-files.ts";

/** After this time contents are read again although no file seems changed, ms. */
const oldest = 5 * 60_000;
const maxFolders = 2000;

/** A folder that is searched for skills, and what may be in it. */
export interface SearchedFolder {
  /** `bundled`, `extra`, `managed`, `workspace`. */
  source: string;
  precedence: number;
  /** The folder that is searched; it may be missing. */
  root: string;
  /** Whether `skill.ts` next to a SKILL.md is imported: only for the folder that ships with the bot. */
  importModules: boolean;
  /** Further formats of skills, in addition to a folder with a SKILL.md. */
  formats?: readonly FolderFormat[];
  /** Runs packages whose SKILL.md declares tools; without it they are guides. */
  toolPackages?: ToolPackages;
  /** Folders that links to skills may lead to, in addition to the root. */
  linkFolders?: readonly string[];
  /** A missing root is then reported. For folders that a person named. */
  mustExist?: boolean;
  /** Maximum files and folders of a skill; default 2,000. */
  maxFiles?: number;
  /** Milliseconds, for the age of cached folders; default: the process's own clock. */
  now?: () => number;
}

/** The present state of a folder: `loaded` is the same object as before if nothing in it changed. */
export interface CurrentFolder {
  scan: FolderScan;
  loaded: LoadedFolder;
}

interface Known extends CurrentFolder {
  key: string;
}

/** Caches loaded folders by the state of their files, and loads those that changed. */
export class FolderCache {
  readonly #source: SearchedFolder;
  readonly #listings: DirectoryListings;
  readonly #parsed: LRUCache<string, LoadedFolder>;
  readonly #known = new Map<string, Known>();

  constructor(source: SearchedFolder, listings: DirectoryListings) {
    this.#source = source;
    this.#listings = listings;
    const { now = () => performance.now() } = source;
    const age = { ttl: oldest, ttlResolution: 0, perf: { now } };
    this.#parsed = new LRUCache({ ...growingTo(maxFolders), ...age });
  }

  async current(folder: FoundFolder, root: string, pace: Pace): Promise<CurrentFolder> {
    const scan = scanFolder(folder.path, root, this.#listings, this.#source.maxFiles);
    const before = this.#known.get(folder.path);
    const trusted = before?.scan.young === false && !scan.young;
    const same = trusted && isSameScan(before.scan, scan);
    const isComplete = before?.loaded.complete !== false;
    if (same && isComplete && this.#parsed.get(before.key) === before.loaded) return before;
    const key = same ? before.key : keyOf(folder, scan);
    const kept = trusted && isComplete ? this.#parsed.get(key) : undefined;
    const loaded = kept ?? (await this.#load(folder, scan, root, pace));
    if (!scan.young) this.#parsed.set(key, loaded);
    const now = { scan, loaded, key };
    this.#known.set(folder.path, now);
    return now;
  }

  /** Drops all folders except these. */
  keep(folders: readonly FoundFolder[]): void {
    if (this.#known.size === folders.length) return;
    const paths = new Set(folders.map(({ path }) => path));
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
  }

  async #load(folder: FoundFolder, scan: FolderScan, root: string, pace: Pace): Promise<LoadedFolder> {
    const { source, precedence, importModules, toolPackages, formats } = this.#source;
    const origin = { source, precedence, path: folder.path };
    if (scan.tooLarge) return { hash: "", skills: [], diagnostics: [] };
    const contents = await readContents(scan.files, folder.document, pace);
    const before = this.#known.get(folder.path);
    const isKnown = before?.loaded.hash === contents.hash && isSamePlace(before.scan, scan);
    if (isKnown && before.loaded.complete !== false) return before.loaded;
    try {
      const format = formats?.find(({ manifest }) => manifest === folder.document);
      if (format !== undefined) return loadFormatted(format, contents, origin, root);
      return await loadFolder({ folder, scan, contents, origin, root, importModules, toolPackages });
    } catch (error) {
      const reason = errorText(error);
      const diagnostics = [defect(folder.path, "load_failed", `The skill cannot be loaded: ${reason}`)];
      return { hash: contents.hash, skills: [], diagnostics };
    }
  }
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
  const state = files.map((file) => fileState.map((member) => file[member]));
  return `${folder.path}\0${hash("sha256", JSON.stringify([folder.document, tooLarge, state]), "hex")}`;
}

/** Whether links lead to the same files as before; equal contents alone do not prove that. */
function isSamePlace(a: FolderScan, b: FolderScan): boolean {
  return (
    a.files.length === b.files.length && a.files.every((file, at) => file.absolute === b.files[at]?.absolute)
  );
}

import { type EntryDefect, type ListedEntry, leavesPackage, type PackageContents } from "../package-tree.ts";

/** A file as a folder of the package shows it, perhaps through links. */
export interface ShownFile {
  /** Relative to the folder. */
  path: string;
  /** Its place in the package. */
  from: string;
  bytes: number | undefined;
}

/** The files that a folder of the package shows, and the entries that it cannot show. */
export interface ShownFolder {
  files: ShownFile[];
  /** Names of links that lead to nothing. */
  brokenLinks: string[];
  defects: EntryDefect[];
}

type Target = { kind: "file" | "folder"; path: string } | { kind: "nothing" };

/** The list of a package, with its links resolved: a link to a file or folder of the package stands for that one. */
export class ListedPackage {
  readonly #sorted: readonly ListedEntry[];
  readonly #defects: readonly EntryDefect[];
  readonly #byPath: ReadonlyMap<string, ListedEntry>;
  readonly #folders: ReadonlySet<string>;
  /** Of links, by their paths. */
  readonly #targets: ReadonlyMap<string, Target>;

  /** @throws PackageRefusal when a link leads out of the package. */
  constructor({ entries, defects }: Pick<PackageContents, "entries" | "defects">) {
    this.#sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    this.#defects = defects;
    this.#byPath = new Map(entries.map((entry) => [entry.path, entry]));
    this.#folders = foldersOf(entries);
    const links = entries.filter(({ link }) => link !== undefined);
    this.#targets = new Map(links.map(({ path }) => [path, this.#targetOf(path)]));
  }

  /** Paths of all files and of links to files, sorted. */
  get paths(): string[] {
    return this.#sorted.flatMap(({ path }) => (this.#target(path).kind === "file" ? path : []));
  }

  /** The place of a file that is perhaps a link. */
  sourceOf(path: string): string {
    const target = this.#target(path);
    return target.kind === "file" ? target.path : path;
  }

  /** The file at a path, or the files below the folder there, by their places in the package. */
  files(path: string): ShownFile[] {
    const at = this.#byPath.has(path) ? [path] : below(this.#sorted, path).map((entry) => entry.path);
    return at.flatMap((each) => {
      const target = this.#target(each);
      if (target.kind !== "file") return [];
      return [{ path: each, from: target.path, bytes: this.#byPath.get(target.path)?.bytes }];
    });
  }

  /** The files that a folder shows, also through links. With more entries than `most`, one more is shown. */
  folder(path: string, most: number): ShownFolder {
    const defects = this.#defects.filter((each) => isWithin(each.path, path));
    const shown: ShownFolder = { files: [], brokenLinks: [], defects };
    this.#show(path, shown, "", false, most);
    return shown;
  }

  /** Folders are not followed within a linked one, so that circles end. */
  #show(folder: string, into: ShownFolder, prefix: string, isLinked: boolean, most: number): void {
    for (const { path } of below(this.#sorted, folder)) {
      if (into.files.length + into.brokenLinks.length > most) return;
      const shown = `${prefix}${pathIn(folder, path)}`;
      const target = this.#target(path);
      if (target.kind === "file") {
        into.files.push({ path: shown, from: target.path, bytes: this.#byPath.get(target.path)?.bytes });
      } else if (target.kind === "folder" && !isLinked && !isWithin(path, target.path)) {
        this.#show(target.path, into, `${shown}/`, true, most);
      } else into.brokenLinks.push(shown);
    }
  }

  /** What an entry stands for: itself, unless it is a link. */
  #target(path: string): Target {
    return this.#targets.get(path) ?? { kind: "file", path };
  }

  #targetOf(path: string): Target {
    const end = followed(path, this.#byPath);
    if (this.#folders.has(end)) return { kind: "folder", path: end };
    const entry = this.#byPath.get(end);
    return entry === undefined || entry.link !== undefined
      ? { kind: "nothing" }
      : { kind: "file", path: end };
  }
}

function foldersOf(entries: readonly ListedEntry[]): Set<string> {
  const folders = new Set<string>([""]);
  for (const { path } of entries) {
    let folder = parentOf(path);
    for (; !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
  }
  return folders;
}

/** The folder of a path; empty for the package itself. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** A path relative to a folder that it lies in. */
export function pathIn(folder: string, path: string): string {
  return folder === "" ? path : path.slice(folder.length + 1);
}

/** Whether a path is a folder or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** The entries in a folder, of a sorted list. */
function below(sorted: readonly ListedEntry[], folder: string): readonly ListedEntry[] {
  if (folder === "") return sorted;
  const first = (bound: string) => {
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle]?.path ?? "") < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  // "0" is the character after "/".
  return sorted.slice(first(`${folder}/`), first(`${folder}0`));
}

/** Links on the way to a path; more are a circle. */
const maxLinks = 40;

/** The path at which a path ends when its links are followed. @throws PackageRefusal when one leads out of the package. */
function followed(path: string, byPath: ReadonlyMap<string, ListedEntry>): string {
  const parts: string[] = [];
  const waiting = path.split("/").toReversed();
  for (let hops = 0; waiting.length > 0; ) {
    const part = waiting.pop();
    if (part === undefined || part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.pop() === undefined) throw leavesPackage(path, byPath.get(path)?.link ?? path);
      continue;
    }
    parts.push(part);
    const here = parts.join("/");
    const link = byPath.get(here)?.link;
    if (link === undefined) continue;
    hops += 1;
    if (hops > maxLinks) return here;
    parts.length = 0;
    waiting.push(...link.split("/").toReversed());
  }
  return parts.join("/");
}

import { invisible } from "../base/text/invisible-text.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal, refusedEntry, refusedSkill, shownName } from "./package-refusal.ts";

/** A file of a package, read and checked, not yet written anywhere. */
export interface PackageFile {
  /** Relative, with forward slashes. */
  path: string;
  data: Buffer;
  executable: boolean;
}

/** A file or link of a package, perhaps not read. */
export interface ListedEntry {
  path: string;
  /** Undefined if only reading tells. */
  bytes?: number | undefined;
  /** The path that a link leads to, relative to the package; it may lead out with `..`. */
  link?: string;
}

/** An entry that cannot be installed, and why. It keeps out the skill it belongs to, not the others. */
export interface EntryDefect {
  path: string;
  refusal: PackageRefusal;
}

/** Everything a package lists, and the files of it that were asked for. */
export interface PackageContents {
  entries: readonly ListedEntry[];
  defects: readonly EntryDefect[];
  files: readonly PackageFile[];
}

/** Reads a package; each call reads it anew. Files for which `isWanted` is false are listed only. @throws PackageRefusal */
export type ReadPackage = (isWanted: (path: string) => boolean) => Promise<PackageContents>;

export type PackageTree = ReturnType<typeof createPackageTree>;

export interface ClaimedFile {
  /** Counts bytes as they arrive, so that reading can stop in time. @throws PackageRefusal */
  grow(bytes: number): void;
  finish(data: Buffer, executable: boolean): void;
}

/** Codes of entries that no honest package has: they refuse the whole package, wherever they are. */
const hostile: ReadonlySet<string> = new Set([
  "path_leaves_package",
  "absolute_path",
  "drive_letter",
  "backslash",
  "nul_in_name",
]);

/**
 * Collects the entries of a package. Paths are claimed before any data is read.
 * @param packedBytes size of the archive; undefined if there is none
 */
export function createPackageTree(
  limits: PackageLimits,
  isWanted: (path: string) => boolean,
  packedBytes?: number,
) {
  const entries: ListedEntry[] = [];
  const defects: EntryDefect[] = [];
  const files: PackageFile[] = [];
  const places = createPlaces(limits);
  let bytes = 0;

  /** Runs a check of an entry; undefined if it fails in a way that concerns this entry alone. */
  function checked<T>(path: string, check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof PackageRefusal) || hostile.has(error.code) || error.code === tooManyCode)
        throw error;
      defects.push({ path: plainPath(path), refusal: error });
      return undefined;
    }
  }

  /** The path of a claimed place; undefined for an entry that is left out. */
  function place(path: string, kind: "file" | "folder"): string | undefined {
    return checked(path, () => {
      const parts = packagePath(path, limits);
      if (parts === undefined || parts.length === 0) return undefined;
      places.claim(parts, kind);
      return parts.join("/");
    });
  }

  const tree = {
    contents: (): PackageContents => ({ entries, defects, files }),
    /** Adds a file that is read already. @throws PackageRefusal */
    add(path: string, data: Uint8Array): void {
      const file = tree.claim(path, data.length);
      file?.grow(data.length);
      file?.finish(Buffer.from(data), false);
    },
    /** Claims the place of a folder. @throws PackageRefusal */
    addFolder(path: string): void {
      place(path, "folder");
    },
    /** Claims the place of a link. `target` is relative to `from`, by default the folder of the link. @throws PackageRefusal */
    addLink(path: string, target: string, from = path.split("/").slice(0, -1).join("/")): void {
      if (/^(?:[/\\]|[A-Za-z]:)/.test(target)) throw leavesPackage(path, target);
      const name = place(path, "file");
      if (name !== undefined) entries.push({ path: name, link: `${from}/${target}` });
    },
    /** Leaves out an entry, and the skill it belongs to. */
    leaveOut(path: string, refusal: PackageRefusal): void {
      const name = place(path, "file");
      if (name !== undefined) defects.push({ path: name, refusal });
    },
    /** Claims the place of a file; undefined if it is not to be read. `size` is its declared size. @throws PackageRefusal */
    claim(path: string, size?: number): ClaimedFile | undefined {
      const name = place(path, "file");
      if (name === undefined) return undefined;
      entries.push({ path: name, bytes: size });
      if (!isWanted(name)) return undefined;
      return {
        grow(more) {
          bytes += more;
          if (bytes > limits.unpacked_bytes) throw tooMuchAtOnce(limits, name);
          if (packedBytes !== undefined && bytes > packedBytes * limits.expansion)
            throw expandsTooMuch(limits, name);
        },
        finish: (data, executable) => files.push({ path: name, data, executable }),
      };
    },
  };
  return tree;
}

function plainPath(written: string): string {
  return written
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** The refusal of a link that leads out of its package. */
export function leavesPackage(path: string, target: string): PackageRefusal {
  return refusedEntry("link", path, `is a link that leads out of the package, to ${shownName(target)}`);
}

/** The refusal of skills whose files are too large together. */
export function tooMuchAtOnce({ unpacked_bytes }: PackageLimits, name?: string): PackageRefusal {
  const where = name === undefined ? "" : ` (at ${shownName(name)})`;
  const message = `Its files are over ${unpacked_bytes / 1_000_000} MB together${where}. Nothing was installed; choose some of its skills (--only NAME,NAME), or remove what they do not need.`;
  return new PackageRefusal("too_large", message);
}

/** The refusal of an archive that unpacks to far more than honest ones do. */
export function expandsTooMuch({ expansion }: PackageLimits, name?: string): PackageRefusal {
  const where = name === undefined ? "" : ` (at ${shownName(name)})`;
  const message = `It grows to more than ${expansion} times its packed size${where}, as archives do that are made to cause harm. Nothing was installed.`;
  return new PackageRefusal("expands_too_much", message);
}

/** The places taken so far, for a file system that ignores case and Unicode forms. */
function createPlaces(limits: PackageLimits) {
  const taken = new Map<string, { exact: string; kind: "file" | "folder" }>();
  const counts = { file: 0, folder: 0 };

  function take(exact: string, kind: "file" | "folder", isParent: boolean): void {
    const key = exact.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
    const before = taken.get(key);
    if (before === undefined) {
      counts[kind] += 1;
      if (counts[kind] > limits.entries) throw tooMany(limits.entries, kind);
      taken.set(key, { exact, kind });
      return;
    }
    if (before.exact !== exact) throw nearlyEqualNames(before.exact, exact);
    if (before.kind !== kind || (kind === "file" && !isParent)) throw twice(exact);
  }

  return {
    claim(parts: readonly string[], kind: "file" | "folder"): void {
      for (let length = 1; length < parts.length; length += 1) {
        take(parts.slice(0, length).join("/"), "folder", true);
      }
      if (parts.length > 0) take(parts.join("/"), kind, false);
    },
  };
}

const tooManyCode = "too_many_files";

/** The refusal of a package or skill with too many files. */
export function tooMany(most: number, kind: "file" | "folder"): PackageRefusal {
  return refusedSkill(
    tooManyCode,
    `It holds more than ${most} ${kind}s.`,
    "remove what the skill does not need.",
  );
}

function twice(name: string): PackageRefusal {
  const fact = `The entry ${shownName(name)} occurs twice, so the reviewed one might not be the one that runs.`;
  return refusedSkill("duplicate_name", fact);
}

function nearlyEqualNames(first: string, second: string): PackageRefusal {
  const fact = `The entries ${shownName(first)} and ${shownName(second)} differ only by case or by how a letter is written, and are one file on some systems.`;
  return refusedSkill("names_differ_by_case", fact, "rename one.");
}

/** Names that Windows treats as devices, whatever their extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;
/** Files that no package needs: repository data and what macOS adds to archives. */
const leftOut = new Set([".git", "__macosx", ".ds_store"]);
/** Bytes; file systems take 255. */
const maxSegment = 200;

/**
 * The parts of an entry's path, or undefined if every package leaves it out.
 * @throws PackageRefusal for a path that is not plainly below the package's folder on every system.
 */
export function packagePath(
  written: string,
  limits: Pick<PackageLimits, "depth" | "path_bytes">,
): string[] | undefined {
  const wrong = forms.find(([form]) => form.test(written));
  if (wrong !== undefined) throw refusedEntry(wrong[1], written, wrong[2]);
  const parts = written.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes(".."))
    throw refusedEntry("path_leaves_package", written, "leads out of the package (by ..)");
  if (parts.some((part) => leftOut.has(part.toLowerCase()))) return undefined;
  for (const part of parts) refuseName(written, part);
  if (parts.length - 1 > limits.depth) {
    throw refusedEntry("too_deep", written, `lies more than ${limits.depth} folders deep`);
  }
  if (Buffer.byteLength(parts.join("/")) > limits.path_bytes) {
    throw refusedEntry("path_too_long", written, `has a path longer than ${limits.path_bytes} bytes`);
  }
  return parts;
}

const forms: readonly [RegExp, code: string, why: string][] = [
  [/\0/, "nul_in_name", "has a NUL character in its name"],
  [invisible, "invisible_name", "has invisible or control characters in its name"],
  [/\ufffd/, "unreadable_name", "has a name that is not UTF-8"],
  [/\\/, "backslash", "has a backslash in its name"],
  [/^\//, "absolute_path", "has an absolute path"],
  [/^[A-Za-z]:/, "drive_letter", "names a drive"],
];

function refuseName(written: string, part: string): void {
  if (deviceName.test(part) || /[<>:"|?*]/.test(part) || /[. ]$/.test(part)) {
    const why = `has a name that not every system can store (${shownName(part)})`;
    throw refusedEntry("reserved_name", written, why);
  }
  if (Buffer.byteLength(part) > maxSegment) {
    throw refusedEntry("path_too_long", written, "has a name that is too long");
  }
}

import { contentKind } from "./archive-kind.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal, refusedEntry, shownName } from "./package-refusal.ts";

/** A file of a package, read and checked, not yet written anywhere. */
export interface PackageFile {
  /** Relative, with forward slashes. */
  path: string;
  data: Buffer;
  executable: boolean;
}

export type PackageTree = ReturnType<typeof createPackageTree>;

export interface ClaimedFile {
  /** Counts bytes as they arrive, so that reading can stop in time. @throws PackageRefusal */
  grow(bytes: number): void;
  /** @throws PackageRefusal when the content is an archive. */
  finish(data: Buffer, executable: boolean): void;
}

/**
 * Collects the entries of a package and refuses forbidden ones. Paths are claimed before any data is read. `packedBytes` is the size of the
 * archive; undefined if there is none.
 */
export function createPackageTree(limits: PackageLimits, packedBytes?: number) {
  const files: PackageFile[] = [];
  const places = createPlaces(limits);
  let bytes = 0;
  return {
    files: files as readonly PackageFile[],
    /** Claims the place of a folder. @throws PackageRefusal */
    addFolder(path: string): void {
      const parts = packagePath(path, limits);
      if (parts !== undefined) places.claim(parts, "folder");
    },
    /** Claims the place of a file; undefined for a file that every package leaves out. @throws PackageRefusal */
    claim(path: string): ClaimedFile | undefined {
      const parts = packagePath(path, limits);
      if (parts === undefined) return undefined;
      places.claim(parts, "file");
      const name = parts.join("/");
      return {
        grow(more) {
          bytes += more;
          checkSize(name, bytes, packedBytes, limits);
        },
        finish(data, executable) {
          refuseArchive(name, data);
          files.push({ path: name, data, executable });
        },
      };
    },
  };
}

function checkSize(
  name: string,
  bytes: number,
  packedBytes: number | undefined,
  limits: PackageLimits,
): void {
  if (bytes > limits.unpacked_bytes) {
    const most = limits.unpacked_bytes / 1_000_000;
    const message = `Unpacked it is over ${most} MB (at ${shownName(name)}). Nothing was installed; remove what the skill does not need.`;
    throw new PackageRefusal("too_large", message);
  }
  if (packedBytes !== undefined && bytes > packedBytes * limits.expansion) {
    const message = `It grows to more than ${limits.expansion} times its packed size (at ${shownName(name)}), as archives do that are made to cause harm. Nothing was installed.`;
    throw new PackageRefusal("expands_too_much", message);
  }
}

/** Documents that are ZIP files inside; the review names them. */
const packedDocuments = /\.(?:docx|xlsx|pptx|dotx|xltx|potx|odt|ods|odp|odg|epub)$/i;

function refuseArchive(name: string, data: Buffer): void {
  const kind = contentKind(data);
  if (kind === "zip" && packedDocuments.test(name)) return;
  if (kind !== "zip" && kind !== "gzip" && kind !== "tar" && kind !== "other_archive") return;
  const message = `The entry ${shownName(name)} is an archive inside the package, which a review cannot see into. Nothing was installed; unpack it first.`;
  throw new PackageRefusal("nested_archive", message);
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
      if (counts[kind] > limits.files) throw tooMany(limits.files, kind);
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

function tooMany(most: number, kind: "file" | "folder"): PackageRefusal {
  const message = `It holds more than ${most} ${kind}s. Nothing was installed; remove what the skill does not need.`;
  return new PackageRefusal("too_many_files", message);
}

function twice(name: string): PackageRefusal {
  const message = `The entry ${shownName(name)} occurs twice, so the reviewed one might not be the one that runs. Nothing was installed.`;
  return new PackageRefusal("duplicate_name", message);
}

function nearlyEqualNames(first: string, second: string): PackageRefusal {
  const message = `The entries ${shownName(first)} and ${shownName(second)} differ only by case or by how a letter is written, and are one file on some systems. Nothing was installed; rename one.`;
  return new PackageRefusal("names_differ_by_case", message);
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
  refuseCharacters(written);
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
  [/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, "invisible_name", "has invisible or control characters in its name"],
  [/\ufffd/, "unreadable_name", "has a name that is not UTF-8"],
  [/\\/, "backslash", "has a backslash in its name"],
  [/^\//, "absolute_path", "has an absolute path"],
  [/^[A-Za-z]:/, "drive_letter", "names a drive"],
];

function refuseCharacters(written: string): void {
  const found = forms.find(([form]) => form.test(written));
  if (found !== undefined) throw refusedEntry(found[1], written, found[2]);
}

function refuseName(written: string, part: string): void {
  if (deviceName.test(part) || /[<>:"|?*]/.test(part) || /[. ]$/.test(part)) {
    const why = `has a name that not every system can store (${shownName(part)})`;
    throw refusedEntry("reserved_name", written, why);
  }
  if (Buffer.byteLength(part) > maxSegment) {
    throw refusedEntry("path_too_long", written, "has a name that is too long");
  }
}

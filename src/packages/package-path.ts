import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal, shownName } from "./package-refusal.ts";

/** Names that Windows takes for devices, whatever their extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;
/** What no package needs: repository data and what macOS adds to archives. */
const leftOut = new Set([".git", "__macosx", ".ds_store"]);
/** Bytes; file systems take 255. */
const maxSegment = 200;

/**
 * The parts of the path of an entry, or undefined for what is left out of every package.
 * @throws PackageRefusal for a path that is not plainly below the package's folder on every system.
 */
export function packagePath(
  written: string,
  limits: Pick<PackageLimits, "depth" | "path_bytes">,
): string[] | undefined {
  refuseCharacters(written);
  const parts = written.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw refused(written, "path_leaves_package", "leads out of the package (by ..)");
  if (parts.some((part) => leftOut.has(part.toLowerCase()))) return undefined;
  for (const part of parts) refuseName(written, part);
  if (parts.length - 1 > limits.depth) {
    throw refused(written, "too_deep", `lies more than ${limits.depth} folders deep`);
  }
  if (Buffer.byteLength(parts.join("/")) > limits.path_bytes) {
    throw refused(written, "path_too_long", `has a path longer than ${limits.path_bytes} bytes`);
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
  if (found !== undefined) throw refused(written, found[1], found[2]);
}

function refuseName(written: string, part: string): void {
  if (deviceName.test(part) || /[<>:"|?*]/.test(part) || /[. ]$/.test(part)) {
    const why = `has a name that not every system can store (${shownName(part)})`;
    throw refused(written, "reserved_name", why);
  }
  if (Buffer.byteLength(part) > maxSegment) {
    throw refused(written, "path_too_long", "has a name that is too long");
  }
}

function refused(written: string, code: string, why: string): PackageRefusal {
  return new PackageRefusal(code, `The entry ${shownName(written)} ${why}. Nothing was installed.`);
}

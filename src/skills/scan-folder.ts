import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { errorCode } from "../base/error-text.ts";
import { caution, type Diagnostic, defect } from "../core/skill/skill.ts";
import { type DirectoryListings, isYoung } from "./directory-listings.ts";
import { badLink } from "./discover.ts";
import { isWithin, linkTarget } from "./link-target.ts";

/** Limits of one skill's folder: files and folders by default, and bytes. */
const defaultMaxFiles = 2000;
const maxBytes = 10 * 1024 * 1024;

export interface ScannedFile {
  /** Relative to the skill's folder, with forward slashes. */
  path: string;
  /** The real path. */
  absolute: string;
  bytes: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
}

/** The content of a skill's folder, without having read its files. */
export interface FolderScan {
  files: ScannedFile[];
  diagnostics: Diagnostic[];
  /** Set if the folder is over a limit: it is not loaded. */
  tooLarge: boolean;
  /** Something changed so recently that a second change might not show: the contents decide. */
  young: boolean;
  /** Folders called node_modules that were not read, because with them the folder is over a limit. Code of the skill must not see them. */
  leftOut: string[];
}

interface Search {
  root: string;
  folder: string;
  listings: DirectoryListings;
  maxFiles: number;
  /** Whether folders called node_modules are left out. */
  withoutModules: boolean;
}

interface Scanning extends Search, FolderScan {
  lookedAt: number;
  bytes: number;
  entries: number;
}

/** Lists all files of a skill, including hidden ones (scripts may use them), without `.git`. Links may lead within `root`. */
export function scanFolder(
  folder: string,
  root: string,
  listings: DirectoryListings,
  maxFiles = defaultMaxFiles,
): FolderScan {
  const limits = { root, folder, listings, maxFiles };
  const whole = scanAll({ ...limits, withoutModules: false });
  if (!whole.tooLarge) return whole;
  // The result of `npm install` does not make a skill too large. It is not read, so none of it may run.
  const rest = scanAll({ ...limits, withoutModules: true });
  return rest.tooLarge || rest.leftOut.length === 0 ? whole : rest;
}

function scanAll(search: Search): FolderScan {
  const { folder, maxFiles } = search;
  const found = { files: [], diagnostics: [], tooLarge: false, young: false, leftOut: [] };
  const scan: Scanning = { ...search, ...found, lookedAt: Date.now(), bytes: 0, entries: 0 };
  scanDirectory(scan, folder, "");
  for (const left of scan.leftOut) {
    const message = `It is left out, because it makes the folder larger than ${maxFiles} files or ${maxBytes / 1024 / 1024} MB. Code of the skill does not see it. Remove it, list the packages in package.json, and let an operator run \`knack sandbox prepare\` for the skill.`;
    scan.diagnostics.push(caution(`${folder}${path.sep}${left}`, "node_modules_left_out", message));
  }
  if (scan.tooLarge) {
    const message = `The folder holds more than ${maxFiles} files or ${maxBytes / 1024 / 1024} MB. Remove what the skill does not need.`;
    scan.diagnostics.push(defect(folder, "folder_too_large", message));
  }
  const { files, diagnostics, tooLarge, young, leftOut } = scan;
  return { files, diagnostics, tooLarge, young, leftOut };
}

function scanDirectory(scan: Scanning, directory: string, prefix: string): void {
  const listing = scan.listings.list(directory);
  if (!listing.ok) {
    const message = `The folder cannot be read (${errorCode(listing.error) ?? "unknown error"}) and is left out. Check its permissions.`;
    scan.diagnostics.push(caution(directory, "unreadable", message));
    return;
  }
  for (const { name, kind } of listing.entries) {
    if (scan.tooLarge) return;
    scan.entries += 1;
    if (scan.entries > scan.maxFiles) scan.tooLarge = true;
    const absolute = `${directory}${path.sep}${name}`;
    const relative = `${prefix}${name}`;
    if (kind === "file") addFile(scan, absolute, relative);
    else if (kind === "link") followLink(scan, absolute, relative);
    else if (kind === "other") scan.diagnostics.push(notAFile(absolute));
    else scanFolderWithin(scan, absolute, relative);
  }
}

function scanFolderWithin(scan: Scanning, absolute: string, relative: string): void {
  const name = path.basename(absolute);
  if (name === ".git") return;
  if (name === "node_modules" && scan.withoutModules) scan.leftOut.push(relative);
  else scanDirectory(scan, absolute, `${relative}/`);
}

function followLink(scan: Scanning, absolute: string, relative: string): void {
  const target = linkTarget(absolute, scan.root);
  if (target.kind === "file") {
    addFile(scan, target.path, relative);
    return;
  }
  if (target.kind !== "directory") {
    scan.diagnostics.push(target.kind === "other" ? notAFile(absolute) : badLink(absolute, target.kind));
    return;
  }
  const leadsUp = isWithin(target.path, path.dirname(absolute)) || isWithin(target.path, scan.folder);
  if (!leadsUp) scanDirectory(scan, target.path, `${relative}/`);
}

function addFile(scan: Scanning, absolute: string, relative: string): void {
  const stats = statOf(absolute);
  if (stats === undefined) return;
  const { size: bytes, mtimeMs, ctimeMs, ino } = stats;
  scan.bytes += bytes;
  if (scan.bytes > maxBytes) scan.tooLarge = true;
  if (isYoung(stats, scan.lookedAt)) scan.young = true;
  scan.files.push({ path: relative, absolute, bytes, mtimeMs, ctimeMs, ino });
}

/** Undefined if it is gone, or unreadable, since the directory was listed. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function notAFile(file: string): Diagnostic {
  return caution(file, "not_a_file", "It is neither a file nor a folder and is left out.");
}

/** Whether two scans saw the same files in the same state, and the same problems. */
export function isSameScan(a: FolderScan, b: FolderScan): boolean {
  if (a.files.length !== b.files.length || a.tooLarge !== b.tooLarge) return false;
  const isSame = (file: ScannedFile, at: number) =>
    fileState.every((member) => file[member] === b.files[at]?.[member]);
  return a.files.every(isSame) && isSameProblems(a.diagnostics, b.diagnostics);
}

/** Members of a file that change with its place or its content. */
export const fileState = ["path", "absolute", "bytes", "mtimeMs", "ctimeMs", "ino"] as const;

/** Whether two lists report the same things of the same paths. */
export function isSameProblems(a: readonly Diagnostic[], b: readonly Diagnostic[]): boolean {
  return (
    a.length === b.length &&
    a.every((each, at) => each.path === b[at]?.path && each.message === b[at]?.message)
  );
}

import path from "node:path";
import { errorCode } from "../base/error-text.ts";
import { mayHoldSkills, skillDocument } from "../base/skill-places.ts";
import { caution, type Diagnostic, defect, type FolderFormat } from "../core/skill/skill.ts";
import type { DirectoryEntry, DirectoryListings } from "./directory-listings.ts";
import { linkTarget } from "./link-target.ts";
import type { Pace } from "./pace.ts";

/** The Agent Skills client guide advises a depth of 4 to 6 and about 2,000 directories. */
const maxDepth = 6;
const maxSkills = 2000;
const maxDirectories = 20_000;

export interface FoundFolder {
  /** Absolute. */
  path: string;
  /** The real path that its links must stay in, if that is not the searched root. */
  root?: string;
  /** `SKILL.md` in any case, or else the manifest of another format. */
  document: string;
}

export interface Discovery {
  /** By path. */
  folders: FoundFolder[];
  diagnostics: Diagnostic[];
}

/**
 * Finds the folders below `root` (a real path) with a SKILL.md or in another format; their subfolders are not searched. `node_modules`,
 * hidden folders other than those in which agents keep skills, and links to directories are skipped: the target of a link within the root
 * is found at its own place. A link to a skill in one of the `linkFolders` (real paths) is that skill.
 */
export async function discoverSkills(where: SearchedTree, pace: Pace): Promise<Discovery> {
  const { root } = where;
  const found: Discovery = { folders: [], diagnostics: [] };
  const waiting = [{ directory: root, depth: 0 }];
  let visited = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await pace.keep();
    visited += 1;
    if (visited > maxDirectories || found.folders.length >= maxSkills) {
      found.diagnostics.push(tooMany(root));
      break;
    }
    const { directory, depth } = next;
    const below = look(directory, { ...where, found });
    if (depth < maxDepth)
      for (const name of below) waiting.push({ directory: path.join(directory, name), depth: depth + 1 });
    else if (below.length > 0) found.diagnostics.push(tooDeep(directory));
  }
  return found;
}

interface SearchedTree {
  root: string;
  listings: DirectoryListings;
  formats: readonly FolderFormat[];
  linkFolders: readonly string[];
}

interface Search extends SearchedTree {
  found: Discovery;
}

/** Processes one directory: it is a skill, or the names of the directories to search next are returned, last first. */
function look(directory: string, search: Search): string[] {
  const { root, listings, formats, found } = search;
  const listing = listings.list(directory);
  if (!listing.ok) {
    const reason = errorCode(listing.error) ?? "unknown error";
    if (reason !== "ENOENT") {
      found.diagnostics.push(
        defect(directory, "unreadable", `The folder cannot be read (${reason}). Check its permissions.`),
      );
    }
    return [];
  }
  const document = documentOf(listing.entries) ?? manifestOf(listing.entries, formats);
  if (document !== undefined) {
    take(path.join(directory, document.name), document.kind === "link", root, found);
    return [];
  }
  found.diagnostics.push(...incomplete(directory, listing.entries, formats));
  found.diagnostics.push(...ofOtherPrograms(directory, listing.entries, directory === root));
  for (const { name, kind } of listing.entries) {
    if (kind === "link") followLink(path.join(directory, name), search);
  }
  const folders = listing.entries.filter(({ kind }) => kind === "directory").map(({ name }) => name);
  for (const name of folders) {
    if (!mayHoldSkills(name)) found.diagnostics.push(...unsearched(path.join(directory, name), listings));
  }
  return folders.filter(mayHoldSkills).reverse();
}

/** What people put among their skills and expect to work, by its name, and the way that leads on. Files count in the root alone. */
const otherPrograms: readonly { form: RegExp; isFile: boolean; says: string }[] = [
  {
    form: /^(?:\.claude-plugin|gemini-extension\.json|\.mcp\.json)$/,
    isFile: false,
    says: 'This folder is a package for another agent, of which only the skills are used here. `knack skills install FOLDER` takes over its commands, agents and rules; for its tool servers, add { "from": "FOLDER" } to config/mcp.json.',
  },
  {
    form: /\.(?:mcpb|dxt)$/i,
    isFile: true,
    says: 'An MCP bundle is a tool server, not a skill. Unpack it elsewhere, and add { "from": "ITS FOLDER" } to config/mcp.json.',
  },
  {
    form: /\.(?:skill|zip|tgz|tar\.gz|mdc)$/i,
    isFile: true,
    says: "This file is not looked into. `knack skills install FILE` installs it.",
  },
];

function ofOtherPrograms(
  directory: string,
  entries: readonly DirectoryEntry[],
  isRoot: boolean,
): Diagnostic[] {
  return otherPrograms.flatMap(({ form, isFile, says }) => {
    const found = isFile && !isRoot ? [] : entries.filter(({ name }) => form.test(name));
    const paths = isFile
      ? found.map(({ name }) => path.join(directory, name))
      : found.slice(0, 1).map(() => directory);
    return paths.map((each) => caution(each, "other_format", says));
  });
}

/** Folders that are looked through for skills that are not loaded. */
const maxGlances = 200;

/** A line about a folder that is not searched, if there is a skill in it. */
function unsearched(directory: string, listings: DirectoryListings): Diagnostic[] {
  if (path.basename(directory) === ".git") return [];
  const waiting = [directory];
  for (let glances = 0; glances < maxGlances; glances += 1) {
    const next = waiting.shift();
    const listing = next === undefined ? undefined : listings.list(next);
    if (next === undefined || listing === undefined) return [];
    if (!listing.ok) continue;
    if (documentOf(listing.entries) !== undefined) {
      const message = `A folder of this name is not searched, but there is a skill in ${path.relative(directory, next) || "it"}. Move it out, or rename the folder.`;
      return [caution(directory, "not_searched", message)];
    }
    const below = listing.entries.filter(({ kind }) => kind === "directory");
    waiting.push(...below.map(({ name }) => path.join(next, name)));
  }
  return [];
}

function take(document: string, isLink: boolean, root: string, found: Discovery): void {
  const target = isLink ? linkTarget(document, root) : { kind: "file" as const };
  if (target.kind !== "file") found.diagnostics.push(badLink(document, target.kind));
  else found.folders.push({ path: path.dirname(document), document: path.basename(document) });
}

function documentOf(entries: readonly DirectoryEntry[]): DirectoryEntry | undefined {
  const name = skillDocument(entries.flatMap((entry) => (entry.kind === "directory" ? [] : entry.name)));
  return entries.find((entry) => entry.name === name && (entry.kind === "file" || entry.kind === "link"));
}

function hasFile(entries: readonly DirectoryEntry[], wanted: string): boolean {
  return entries.some(({ name, kind }) => name === wanted && (kind === "file" || kind === "link"));
}

function manifestOf(
  entries: readonly DirectoryEntry[],
  formats: readonly FolderFormat[],
): DirectoryEntry | undefined {
  const format = formats.find(({ manifest, code }) => hasFile(entries, manifest) && hasFile(entries, code));
  return format && entries.find(({ name }) => name === format.manifest);
}

function incomplete(
  directory: string,
  entries: readonly DirectoryEntry[],
  formats: readonly FolderFormat[],
): Diagnostic[] {
  return formats
    .filter(({ manifest }) => hasFile(entries, manifest))
    .map(({ manifest, code }) => {
      const message = `There is no ${code} beside ${manifest}, so it is no skill. Copy the whole folder of the skill here.`;
      return caution(path.join(directory, manifest), "missing_code", message);
    });
}

/** The defect of a link, as a diagnostic. */
export function badLink(file: string, kind: "outside" | "broken" | "other" | "directory"): Diagnostic {
  if (kind === "outside") {
    return defect(
      file,
      "link_leaves_root",
      "The link leads out of the skill folder and is not followed. Copy the file here instead; the folder of a skill may also lie in a folder that an operator names in skills.link_folders.",
    );
  }
  return defect(file, "broken_link", "The link leads to nothing that can be read.");
}

/** A link to the folder of a skill in one of the allowed folders is that skill; its own links must stay in it. */
function followLink(file: string, { root, listings, formats, linkFolders, found }: Search): void {
  const { kind } = linkTarget(file, root);
  if (kind !== "outside" && kind !== "broken") return;
  for (const folder of kind === "outside" ? linkFolders : []) {
    const target = linkTarget(file, folder);
    if (target.kind !== "directory") continue;
    const listing = listings.list(target.path);
    const entries = listing.ok ? listing.entries : [];
    const document = documentOf(entries) ?? manifestOf(entries, formats);
    if (document?.kind !== "file") continue;
    if (found.folders.some(({ path: known }) => known === target.path)) return;
    found.folders.push({ path: target.path, document: document.name, root: target.path });
    return;
  }
  found.diagnostics.push(badLink(file, kind));
}

function tooDeep(directory: string): Diagnostic {
  return caution(
    directory,
    "too_deep",
    `Folders below this one are not searched: skills are found down to ${maxDepth} levels.`,
  );
}

function tooMany(root: string): Diagnostic {
  const message = `There are more than ${maxSkills} skills or ${maxDirectories} folders here; the rest is left out. Split the folder.`;
  return defect(root, "too_many", message);
}

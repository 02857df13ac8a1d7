import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import type { LeftOut } from "../../core/skill/packages.ts";
import type { FetchedPackage } from "../fetch/fetch-package.ts";
import type { PackageContents, PackageFile, ReadPackage } from "../package-tree.ts";
import { type ForeignFormat, type FormatRoots, foreignFormats, formatOf } from "./foreign-formats.ts";

/** A file of another format. */
interface ForeignFile {
  path: string;
  format: ForeignFormat;
  name: string;
}

/** What was found out about the files of one format. */
interface Found {
  files: ForeignFile[];
  names: Set<string>;
  lost: Set<string>;
  broken: LeftOut[];
}

export interface AdaptedPackage extends FetchedPackage {
  /** What files of other formats are, and what of them is lost. Complete once the documents of all skills were read. */
  foreign(): LeftOut[];
}

/**
 * A package in which a command, agent or rule of another program is a folder of the file's name with a SKILL.md. Other files are as they
 * are. Nothing is changed where the files are.
 */
export async function adaptPackage(fetched: FetchedPackage): Promise<AdaptedPackage> {
  const { entries } = await fetched.read(() => false);
  const paths = entries.flatMap(({ path, link }) => (link === undefined ? path : []));
  const files = fetched.isFlow ? [] : foreignFiles(paths, await rootsOf(fetched, paths));
  if (files.length === 0) return { ...fetched, foreign: () => [] };
  const found = new Map<ForeignFormat, Found>();
  for (const file of files) {
    const known = found.get(file.format) ?? { files: [], names: new Set(), lost: new Set(), broken: [] };
    known.files.push(file);
    found.set(file.format, known);
  }
  await readNames(fetched, found);
  const documents = new Map(
    files.flatMap((file) => (file.format.toSkill === undefined ? [] : [[file.path, file] as const])),
  );
  const read: ReadPackage = async (isWanted) => {
    const contents = await fetched.read((path) => isWanted(documents.has(path) ? documentOf(path) : path));
    return adapted(contents, documents, found);
  };
  return {
    ...fetched,
    read,
    foreign: () => foreignFormats.flatMap((format) => described(format, found.get(format))),
  };
}

const documentOf = (path: string) => `${path}/SKILL.md`;

function foreignFiles(paths: readonly string[], roots: FormatRoots): ForeignFile[] {
  const skills = new Set(paths.flatMap((path) => (/(?:^|\/)SKILL\.md$/i.test(path) ? [folder(path)] : [])));
  const taken = new Set(paths);
  return paths.flatMap((path) => {
    const is = formatOf(path, roots);
    if (is === undefined || taken.has(documentOf(path)) || isInSkill(path, skills)) return [];
    return [{ path, ...is }];
  });
}

const manifests = [".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "gemini-extension.json"];
const marketplace = ".claude-plugin/marketplace.json";

/** Finds the folders of plugins, by their manifests and those of marketplaces. */
async function rootsOf(fetched: FetchedPackage, paths: readonly string[]): Promise<FormatRoots> {
  const plugins = new Set<string>();
  for (const path of paths) {
    const manifest = manifests.find((each) => path === each || path.endsWith(`/${each}`));
    if (manifest !== undefined) plugins.add(path.slice(0, Math.max(0, path.length - manifest.length - 1)));
  }
  const isMarketplace = (path: string) => path === marketplace || path.endsWith(`/${marketplace}`);
  if (paths.some(isMarketplace))
    for (const { path, data } of (await fetched.read(isMarketplace)).files)
      for (const source of sourcesIn(data.toString("utf8")))
        plugins.add([folder(folder(path)), source].filter(Boolean).join("/"));
  const [top = ""] = paths[0]?.split("/") ?? [];
  const project = paths.every((path) => path.startsWith(`${top}/`)) ? top : "";
  return { plugins, all: new Set([...plugins, project]) };
}

/** The folders of the plugins that a marketplace has itself: `./plugins/one`. */
function sourcesIn(text: string): string[] {
  const json = parsedJson(text);
  const plugins = isRecord(json) && Array.isArray(json.plugins) ? (json.plugins as unknown[]) : [];
  return plugins.flatMap((plugin) => {
    const source = isRecord(plugin) ? plugin.source : undefined;
    return typeof source === "string" && source.startsWith("./") ? source.slice(2).replace(/\/$/, "") : [];
  });
}

const folder = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Agents and commands in the folder of a skill are its files. A skill that is the whole package does not hide them. */
function isInSkill(path: string, skills: ReadonlySet<string>): boolean {
  for (let at = folder(path); at !== ""; at = folder(at)) if (skills.has(at)) return true;
  return false;
}

/** Reads the files that are only named: which of them hold something, and what. */
async function readNames(fetched: FetchedPackage, found: Map<ForeignFormat, Found>): Promise<void> {
  const named = [...found].filter(([format]) => format.names !== undefined);
  const wanted = new Set(named.flatMap(([, { files }]) => files.map(({ path }) => path)));
  if (wanted.size === 0) return;
  const { files } = await fetched.read((path) => wanted.has(path));
  const texts = new Map(files.map(({ path, data }) => [path, data.toString("utf8")]));
  for (const [format, each] of named) {
    each.files = each.files.filter(({ path }) => {
      const names = format.names?.(texts.get(path) ?? "") ?? [];
      for (const name of names) each.names.add(name);
      return names.length > 0;
    });
    if (each.files.length === 0) found.delete(format);
  }
}

function adapted(
  { entries, defects, files }: PackageContents,
  documents: ReadonlyMap<string, ForeignFile>,
  found: ReadonlyMap<ForeignFormat, Found>,
): PackageContents {
  return {
    // How large a document is, only reading tells.
    entries: entries.map((entry) =>
      documents.has(entry.path) ? { path: documentOf(entry.path), bytes: undefined } : entry,
    ),
    defects,
    files: files.flatMap((file) => {
      const is = documents.get(file.path);
      return is === undefined ? [file] : translated(file, is, found.get(is.format));
    }),
  };
}

function translated(
  file: PackageFile,
  { path, format, name }: ForeignFile,
  found: Found | undefined,
): PackageFile[] {
  const skill = format.toSkill?.(file.data.toString("utf8"), name);
  if (skill?.ok === true) {
    for (const key of skill.lost) found?.lost.add(key);
    return [{ path: documentOf(path), data: Buffer.from(skill.text), executable: false }];
  }
  if (found?.broken.every((each) => each.path !== path) === true)
    found.broken.push({ path, code: `broken_${format.id}`, message: skill?.message ?? "" });
  return [];
}

/** Maximum names in a message. */
const maxNamed = 8;

function described(format: ForeignFormat, found: Found | undefined): LeftOut[] {
  if (found === undefined) return [];
  const { files, names, lost, broken } = found;
  const [one, several] = format.title;
  const what = names.size > 0 ? [...names] : files.map(({ name }) => name);
  const more = what.length > maxNamed ? ` and ${what.length - maxNamed} more` : "";
  const list = what.slice(0, maxNamed).join(", ") + more;
  const title =
    files.length === 1 ? one : format.names === undefined ? `${files.length} ${several}` : several;
  const gone = lost.size === 0 ? "" : ` Not taken over: ${[...lost].join(", ")}.`;
  const message = `${title[0]?.toUpperCase()}${title.slice(1)}: ${list}. ${format.note}${gone}`;
  return [{ path: commonFolder(files), code: format.id, message }, ...broken];
}

function commonFolder(files: readonly ForeignFile[]): string {
  const [first = "", ...others] = files.map(({ path }) => path);
  let common = others.length === 0 ? first : folder(first);
  while (common !== "" && !others.every((path) => path.startsWith(`${common}/`))) common = folder(common);
  return common;
}

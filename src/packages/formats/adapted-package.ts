import { looseText } from "../../base/decode-text.ts";
import { few } from "../../base/markdown-text.ts";
import type { LeftOut } from "../../core/skill/packages.ts";
import type { FetchedPackage } from "../fetch/fetch-package.ts";
import { isWithin, parentOf } from "../fetch/listed-package.ts";
import type { PackageContents, PackageFile, ReadPackage } from "../package-tree.ts";
import type { SkillFromFile } from "./as-skill.ts";
import {
  type ForeignFormat,
  type FormatRoots,
  foreignFormats,
  formatOf,
  marketplaceOf,
} from "./foreign-formats.ts";

/** A file of another format. */
interface ForeignFile {
  path: string;
  format: ForeignFormat;
  name: string;
}

export interface AdaptedPackage extends FetchedPackage {
  /** What it lists, without any content. */
  listing: PackageContents;
  /** Files of other formats that become no skill, and what to do with them. Complete once the documents of all skills were read. */
  leftOut(): LeftOut[];
  /** The plugin that a folder belongs to, by its folder; undefined if to none. */
  pluginOf(folder: string): string | undefined;
  /** Whether a folder stands for a file of another format, so that its name is the file's. */
  isFile(folder: string): boolean;
  /** What the file in a folder was, if it is installed only by its name. */
  byName(folder: string): ForeignFormat | undefined;
  /** What the file in a folder was before it became a skill, and what of it is lost; undefined for all other skills. */
  remarkOf(folder: string): { code: string; message: string } | undefined;
}

/**
 * A package in which a command, agent or rule of another program is a folder of the file's name with a SKILL.md. Other files are as they
 * are. Nothing is changed where the files are.
 */
export async function adaptPackage(fetched: FetchedPackage): Promise<AdaptedPackage> {
  const listing = await fetched.read(() => false);
  const paths = listing.entries.flatMap(({ path, link }) => (link === undefined ? path : []));
  const roots = await rootsOf(fetched, fetched.isFlow ? [] : paths);
  const files = fetched.isFlow ? [] : foreignFiles(paths, roots, fetched.name);
  const documents = new Map(
    files.flatMap((file) => (file.format.toSkill === undefined ? [] : [[file.path, file] as const])),
  );
  const named = await readNames(
    fetched,
    files.filter(({ path }) => !documents.has(path)),
  );
  const made = new Map<string, SkillFromFile>();
  const read: ReadPackage = async (isWanted) => {
    const contents = await fetched.read((path) => isWanted(documents.has(path) ? documentOf(path) : path));
    return adapted(contents, documents, made);
  };
  return {
    ...fetched,
    listing: adapted(listing, documents, made),
    read,
    pluginOf(folder) {
      const around = [...roots.plugins].filter((plugin) => isWithin(folder, plugin));
      return around.toSorted((a, b) => b.length - a.length)[0];
    },
    isFile: (folder) => documents.has(folder),
    byName(folder) {
      const format = documents.get(folder)?.format;
      return format?.byName === true ? format : undefined;
    },
    leftOut: () => [
      ...named,
      ...[...made].flatMap(([path, skill]) =>
        skill.ok ? [] : { path, code: "other_format", message: skill.message },
      ),
    ],
    remarkOf(path) {
      const [format, skill] = [documents.get(path)?.format, made.get(path)];
      if (format === undefined || skill?.ok !== true) return undefined;
      const gone = skill.lost.length === 0 ? "" : ` Not taken over: ${skill.lost.join(", ")}.`;
      return { code: format.id, message: `It was ${format.title[0]}. ${format.note}${gone}` };
    },
  };
}

const documentOf = (path: string) => `${path}/SKILL.md`;

function foreignFiles(paths: readonly string[], roots: FormatRoots, packageName: string): ForeignFile[] {
  const skills = new Set(paths.flatMap((path) => (/(?:^|\/)SKILL\.md$/i.test(path) ? [parentOf(path)] : [])));
  const taken = new Set(paths);
  return paths.flatMap((path) => {
    const is = formatOf(path, roots);
    if (is === undefined || taken.has(documentOf(path)) || isInSkill(path, skills)) return [];
    const project =
      parentOf(path)
        .replace(/^\.[^/]*$|\/\.[^/]*$/, "")
        .split("/")
        .at(-1) || packageName;
    const own = is.name.split("/").at(-1) ?? "";
    // `.cursorrules` and its like are older names of AGENTS.md.
    const file = own.startsWith(".") && !taken.has(path.replace(own, "AGENTS.md")) ? "AGENTS.md" : own;
    const isAlone = file.startsWith(`${project}.`);
    const name = is.format.byName ? `${isAlone ? "" : `${project}-`}${file}` : is.name;
    return [{ path, format: is.format, name }];
  });
}

const marketplace = ".claude-plugin/marketplace.json";
const manifests = [".claude-plugin/plugin.json", marketplace, "gemini-extension.json"];

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
      for (const source of sourcesIn(looseText(data)))
        plugins.add([parentOf(parentOf(path)), source].filter(Boolean).join("/"));
  const [top = ""] = paths[0]?.split("/") ?? [];
  const project = paths.every((path) => path.startsWith(`${top}/`)) ? top : "";
  return { plugins, all: new Set([...plugins, project]) };
}

/** The folders in which a marketplace may have its own plugins: `./plugins/one`, `one` in its `pluginRoot`. */
function sourcesIn(text: string): string[] {
  const { root, plugins } = marketplaceOf(text);
  const plain = (path: string) => path.replace(/^\.\//, "").replace(/\/$/, "");
  return plugins.flatMap(({ source }) =>
    typeof source === "string" ? [plain(source), [plain(root), plain(source)].filter(Boolean).join("/")] : [],
  );
}

/** Agents and commands in the folder of a skill are its files. A skill that is the whole package does not hide them. */
function isInSkill(path: string, skills: ReadonlySet<string>): boolean {
  for (let at = parentOf(path); at !== ""; at = parentOf(at)) if (skills.has(at)) return true;
  return false;
}

/** Reads the files that are only named: which of them hold something, and what. */
async function readNames(fetched: FetchedPackage, files: readonly ForeignFile[]): Promise<LeftOut[]> {
  const wanted = new Set(files.flatMap(({ path, format }) => (format.names === undefined ? [] : path)));
  const read = wanted.size === 0 ? [] : (await fetched.read((path) => wanted.has(path))).files;
  const texts = new Map(read.map(({ path, data }) => [path, looseText(data)]));
  return foreignFormats.flatMap((format) => {
    const own = files.flatMap((file) => {
      const names = file.format === format ? (format.names?.(texts.get(file.path) ?? "") ?? [file.name]) : [];
      return names.length === 0 ? [] : [{ path: file.path, names }];
    });
    if (own.length === 0) return [];
    const details = own.map(({ path }) => format.details?.(texts.get(path) ?? "") ?? "");
    return described(format, own, details);
  });
}

function adapted(
  { entries, defects, files }: PackageContents,
  documents: ReadonlyMap<string, ForeignFile>,
  made: Map<string, SkillFromFile>,
): PackageContents {
  return {
    // How large a document is, only reading tells.
    entries: entries.map((entry) =>
      documents.has(entry.path) ? { path: documentOf(entry.path), bytes: undefined } : entry,
    ),
    defects,
    files: files.flatMap((file): PackageFile[] => {
      const { format, name } = documents.get(file.path) ?? {};
      if (format?.toSkill === undefined || name === undefined) return [file];
      const skill = format.toSkill(looseText(file.data), name);
      made.set(file.path, skill);
      if (!skill.ok) return [];
      return [{ path: documentOf(file.path), data: Buffer.from(skill.text), executable: false }];
    }),
  };
}

/** Maximum names in a message. */
const maxNamed = 8;

function described(
  { id, title: [one, several], note }: ForeignFormat,
  files: readonly { path: string; names: readonly string[] }[],
  details: readonly string[],
): LeftOut {
  const names = [...new Set(files.flatMap((file) => file.names))];
  const title = files.length === 1 ? one : several;
  const message = `${title[0]?.toUpperCase()}${title.slice(1)}: ${few(names, maxNamed)}. ${[note, ...details].filter(Boolean).join(" ")}`;
  return { path: files.length === 1 ? (files[0]?.path ?? "") : "", code: id, message };
}

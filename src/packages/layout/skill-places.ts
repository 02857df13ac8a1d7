import { few } from "../../base/markdown-text.ts";
import { isOwnSkill, mayHoldSkills, skillDocument } from "../../base/skill-places.ts";
import type { LeftOut } from "../../core/skill/packages.ts";
import type { FetchedPackage } from "../fetch/fetch-package.ts";
import { isWithin, type ListedPackage, parentOf, pathIn } from "../fetch/listed-package.ts";
import type { AdaptedPackage } from "../formats/adapted-package.ts";

/** A folder of a package that is a skill by the names of its files. */
export interface SkillPlace {
  /** Relative to the package; empty for the package itself. */
  folder: string;
  /** The files that tell its id, relative to the folder. */
  documents: readonly string[];
}

/** Where the skills of a package are, those first that win over others of the same id. */
export interface SkillPlaces {
  places: SkillPlace[];
  /** Folders with a SKILL.md that are not searched. */
  unsearched: LeftOut[];
}

/**
 * Finds the skills in a list of files. A skill inside another one is one of its own, unless it lies among the material of the outer one.
 */
export function findSkillPlaces(
  { paths }: ListedPackage,
  { within = "", isFlow, isFile }: Pick<AdaptedPackage, "within" | "isFlow" | "isFile">,
): SkillPlaces {
  if (isFlow) return { places: [{ folder: "", documents: paths }], unsearched: [] };
  const names = Map.groupBy(
    paths.filter((path) => isWithin(path, within)),
    parentOf,
  );
  const found: SkillPlace[] = [];
  const hidden = new Map<string, number>();
  for (const [folder, files] of names) {
    const documents = documentsOf(new Set(files.map((path) => path.slice(path.lastIndexOf("/") + 1))));
    if (documents === undefined) continue;
    const way = pathIn(within, isFile(folder) ? parentOf(folder) : folder).split("/");
    const closed = folder === within || way[0] === "" ? -1 : way.findIndex((name) => !mayHoldSkills(name));
    if (closed === -1) found.push({ folder, documents });
    else count(hidden, [...(within === "" ? [] : [within]), ...way.slice(0, closed + 1)].join("/"));
  }
  const folders = new Set(found.map(({ folder }) => folder));
  const places = found
    .filter(({ folder }) => !isMaterial(folder, folders))
    .toSorted((a, b) => rankOf(a, isFile) - rankOf(b, isFile) || (a.folder < b.folder ? -1 : 1));
  return { places, unsearched: [...hidden].map(unsearched) };
}

function documentsOf(names: ReadonlySet<string>): string[] | undefined {
  const document = skillDocument([...names]);
  if (document !== undefined) return [document];
  return names.has("plugin.json") && names.has("handler.js") ? ["plugin.json", "handler.js"] : undefined;
}

/** Whether a folder lies among the material of a skill around it. */
function isMaterial(folder: string, skills: ReadonlySet<string>): boolean {
  for (let outer = folder; outer !== ""; ) {
    outer = parentOf(outer);
    if (skills.has(outer) && !isOwnSkill(pathIn(outer, folder))) return true;
  }
  return false;
}

/** Copies for single agents come after the original, and files of other formats after skills. */
function rankOf({ folder }: SkillPlace, isFile: AdaptedPackage["isFile"]): number {
  const parts = folder.split("/");
  return parts.length + (parts.some((part) => part.startsWith(".")) ? 100 : 0) + (isFile(folder) ? 1_000 : 0);
}

function count(numbers: Map<string, number>, key: string): void {
  numbers.set(key, (numbers.get(key) ?? 0) + 1);
}

function unsearched([path, number]: [string, number]): LeftOut {
  const skills = number === 1 ? "a skill" : `${number} skills`;
  const message = `There ${number === 1 ? "is" : "are"} ${skills} below this folder, which is not searched. Install this folder by itself to get ${number === 1 ? "it" : "them"}.`;
  return { path, code: "not_searched", message };
}

/** Maximum names of folders and files in a message. */
const maxNamed = 8;

/** The files that belong to no skill; `called`: those of plugins that skills call. */
export function unusedFiles(
  { paths }: ListedPackage,
  { within = topFolder(paths) }: Pick<FetchedPackage, "within">,
  places: readonly SkillPlace[],
  called: ReadonlySet<string>,
): LeftOut[] {
  const folders = new Set(places.map(({ folder }) => folder));
  const tops = new Map<string, number>();
  let number = 0;
  for (const path of paths) {
    if (!isWithin(path, within) || called.has(path) || isIn(path, folders)) continue;
    const [top = "", ...rest] = pathIn(within, path).split("/");
    count(tops, rest.length === 0 ? top : `${top}/`);
    number += 1;
  }
  if (number === 0) return [];
  const named = [...tops].map(([name, files]) => (files === 1 ? name : `${name} (${files})`));
  const message = `${number} ${number === 1 ? "file belongs" : "files belong"} to no skill: ${few(named, maxNamed)}.`;
  return [{ path: within, code: "unused_files", message }];
}

/** The folder in which an archive has everything; empty if there is none. */
function topFolder(paths: readonly string[]): string {
  const [top = ""] = (paths[0] ?? "").split("/");
  return paths.every((path) => path.startsWith(`${top}/`)) ? top : "";
}

/** Whether a file lies in one of the folders, at any depth. */
function isIn(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.has("")) return true;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    if (folders.has(path.slice(0, at))) return true;
  }
  return false;
}

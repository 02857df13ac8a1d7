import { hash } from "node:crypto";
import { mkdir, rename, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { Diagnostic, LoadedSkills, Skill } from "../core/skill/skill.ts";
import type { FetchedPackage } from "./fetch-package.ts";
import { PackageRefusal } from "./package-refusal.ts";
import { writeFiles } from "./staging.ts";
import { treeHash } from "./tree-hash.ts";

/** Loads the skills below a folder as the catalogue does, without importing or running any of their code. */
export type InspectFolder = (folder: string) => Promise<LoadedSkills>;

/** A folder or file of a package that becomes an installed one. */
export interface PackageUnit {
  place: "skills" | "flows";
  /** The name it is installed under. */
  name: string;
  /** Its present location, ready to be moved. */
  path: string;
  tree: string;
  skills: Skill[];
}

export interface PackageSkills {
  units: PackageUnit[];
  /** What the loaders report about the package. */
  diagnostics: readonly Diagnostic[];
  /** Files of the package that belong to no skill and are not installed. */
  unused: number;
}

/**
 * Writes a package below `change`, finds the skills in it, and lays each out in `change/ready` as it would be installed. The result was
 * loaded from there: id and hash are those the catalogue will see.
 * @throws PackageRefusal
 */
export async function layOutSkills(
  fetched: FetchedPackage,
  change: string,
  inspect: InspectFolder,
): Promise<PackageSkills> {
  const tree = join(change, "tree");
  const root = fetched.isFlow ? tree : join(tree, fetched.name);
  await writeFiles(root, fetched.files);
  const found = await inspect(tree);
  const roots = rootSkills(found);
  if (roots.length === 0) throw noSkill(found);
  const paths = [...new Set(roots.map((skill) => skill.origin.path))];
  refuseNested(paths, tree);
  const ready = join(change, "ready");
  for (const path of paths) {
    const isFolder = (await stat(path)).isDirectory();
    const first = roots.find((skill) => skill.origin.path === path);
    const name = isFolder ? folderName(first?.id ?? basename(path)) : basename(path);
    const target = join(ready, isFolder ? "skills" : "flows", name);
    await mkdir(join(target, ".."), { recursive: true });
    await rename(path, target);
  }
  const units = [...(await unitsIn(ready, "skills", inspect)), ...(await unitsIn(ready, "flows", inspect))];
  refuseDifference(roots, units);
  const inside = (path: string) => paths.some((each) => isInside(path, each));
  const unused = fetched.files.filter((file) => !inside(join(root, file.path))).length;
  return { units, diagnostics: found.diagnostics, unused };
}

async function unitsIn(
  ready: string,
  place: PackageUnit["place"],
  inspect: InspectFolder,
): Promise<PackageUnit[]> {
  const loaded = await inspect(join(ready, place));
  const byPath = Map.groupBy(rootSkills(loaded), (skill) => skill.origin.path);
  return await Promise.all(
    [...byPath].map(async ([path, skills]) => ({
      place,
      name: basename(path),
      path,
      skills,
      tree: await treeHash(path),
    })),
  );
}

function rootSkills({ skills }: LoadedSkills): Skill[] {
  return skills.filter((skill) => skill.parent === undefined);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}

function noSkill({ diagnostics }: LoadedSkills): PackageRefusal {
  const reasons = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const why =
    reasons.length === 0 ? "It holds no SKILL.md, plugin.json or flow." : reasons.slice(0, 3).join(" ");
  const message = `There is no skill in it that can be loaded. ${why} Nothing was installed.`;
  return new PackageRefusal("no_skill", message);
}

function refuseNested(paths: readonly string[], tree: string): void {
  for (const path of paths) {
    if (!isInside(path, tree)) {
      throw new PackageRefusal("path_leaves_package", "A skill of it lies outside the package.");
    }
    const outer = paths.find((other) => other !== path && isInside(path, other));
    if (outer === undefined) continue;
    const message = `The skill in ${relative(tree, path)} lies inside the one in ${relative(tree, outer)}. Nothing was installed; put them side by side.`;
    throw new PackageRefusal("nested_skill", message);
  }
}

/** Laid out by id, a package must still have the same skills: otherwise something depends on folder names that will change. */
function refuseDifference(roots: readonly Skill[], units: readonly PackageUnit[]): void {
  const before = roots.map(({ id }) => id).toSorted();
  const after = units.flatMap(({ skills }) => skills.map(({ id }) => id)).toSorted();
  if (before.length === after.length && before.every((id, at) => id === after[at])) return;
  const message = `Its skills (${before.join(", ")}) have other names once they are installed (${after.join(", ")}). Nothing was installed; give each a name of its own in its file.`;
  throw new PackageRefusal("unclear_name", message);
}

/** A folder name for an id: the id itself if every file system can store it. */
function folderName(id: string): string {
  if (/^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,60}[\p{L}\p{N}_-])?$/u.test(id)) return id;
  const readable = id.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return `${readable}-${hash("sha256", id, "hex").slice(0, 8)}`;
}

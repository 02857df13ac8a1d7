import { lchown, lstat, mkdir, readdir, readlink, rmdir, stat, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../base/error-text.ts";
import { folderRoot, type MountedFolder, skillFolder } from "../core/ports/working-folder.ts";
import { outputFolder, type ShownSkill } from "./isolation.ts";

/** Where a run sees files of skills. `from` is on the machine, the other paths are inside. */
export interface PackageView {
  mounts: { from: string; to: string }[];
  links: { at: string; target: string }[];
}

/** Folders inside: of the skills, and of a link for each file at the top of one. */
export const [placesInside, linksInside] = ["/opt/skills", "/opt/shown"];

/** Names that a working folder needs itself, and repository data. */
const never: readonly string[] = ["input", outputFolder, "skills", ".git"];

/** The sticky bit marks the folders that the bot makes for a mount: code makes its own ones without it. */
const mountPointMode = 0o1755;

/** Where the whole folder of a skill lies inside. */
export function placeOf({ id }: Pick<ShownSkill, "id">): string {
  return `${placesInside}/${basename(skillFolder(id))}`;
}

/**
 * Lets code find the files of skills in its working folder, read-only, as guides name them: `python3 scripts/x.py`, `cd templates`. Each
 * folder at the top of a skill is mounted there under its name, and each file is a link, unless the thread or an earlier skill has an entry
 * of that name. Mount points and links that nothing needs any more are removed; neither counts as a file of the thread.
 */
export async function viewPackages(
  shown: readonly ShownSkill[],
  { mounts, working }: Pick<MountedFolder, "mounts" | "working"> = { mounts: [], working: "" },
): Promise<PackageView> {
  const view: PackageView = {
    mounts: shown.map((skill) => ({ from: skill.folder, to: placeOf(skill) })),
    links: [],
  };
  const own = mounts.find(({ to, writable }) => writable && `${working}/`.startsWith(`${to}/`));
  if (own === undefined) return view;
  const at = join(own.from, working.slice(own.to.length));
  const taken = new Set(never);
  for (const { name, isFolder, from, target } of (await Promise.all(shown.map(topOf))).flat()) {
    const path = join(at, name);
    if (taken.has(name) || !(await (isFolder ? isMountPoint(path) : isOwnLink(path)))) continue;
    taken.add(name);
    if (isFolder) view.mounts.push({ from, to: `${working}/${name}` });
    else view.links.push({ at: `${linksInside}/${name}`, target });
  }
  await removeUnused(at, taken);
  const all = mounts.find(({ to }) => to === `${folderRoot}/skills`);
  if (all !== undefined) for (const skill of shown) await addBelow(view, skill, all.from);
  return view;
}

/** The entries at the top of a skill. A link stays one, so that it leads nowhere but inside. */
async function topOf(skill: ShownSkill) {
  const entries = await readdir(skill.folder, { withFileTypes: true });
  return entries
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .filter(({ name }) => !skill.leftOut.includes(name))
    .map((top) => ({ ...top, from: join(skill.folder, top.name), target: `${placeOf(skill)}/${top.name}` }));
}

/** The whole skill below `skills`. */
async function addBelow({ mounts }: PackageView, { id, folder }: ShownSkill, skills: string): Promise<void> {
  await mkdir(join(skills, basename(skillFolder(id))), { recursive: true, mode: 0o755 });
  mounts.push({ from: folder, to: skillFolder(id) });
}

/** Whether a folder can be mounted here. Makes the mount point, owned as the folder it lies in, unless something has the name. */
async function isMountPoint(path: string): Promise<boolean> {
  if (!(await isMade(mkdir(path, { mode: mountPointMode })))) return await isMarked(path);
  const { uid, gid } = await stat(dirname(path));
  if (uid !== process.geteuid?.()) await lchown(path, uid, gid);
  return true;
}

async function isMarked(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && (found.mode & 0o1000) !== 0 && (await readdir(path)).length === 0;
}

/** Whether a path is the link to a skill's file of its name. Makes it, unless something has the name. */
async function isOwnLink(path: string): Promise<boolean> {
  return (await isMade(symlink(`${linksInside}/${basename(path)}`, path))) || (await isLinked(path));
}

async function isLinked(path: string): Promise<boolean> {
  return (await readlink(path).catch(() => undefined)) === `${linksInside}/${basename(path)}`;
}

async function removeUnused(at: string, used: ReadonlySet<string>): Promise<void> {
  for (const name of (await readdir(at)).filter((each) => !used.has(each))) {
    const path = join(at, name);
    // Another run may do the same now.
    if (await isLinked(path)) await unlink(path).catch(() => undefined);
    else if (await isMarked(path)) await rmdir(path).catch(() => undefined);
  }
}

/** False if something has the name. */
async function isMade(making: Promise<unknown>): Promise<boolean> {
  try {
    await making;
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
}

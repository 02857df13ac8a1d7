import { existsSync } from "node:fs";
import { lchown, lstat, mkdir, readdir, readlink, rmdir, stat, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { folderRoot, type MountedFolder, skillFolder } from "../core/ports/working-folder.ts";
import { type LaunchRequest, outputFolder, type ShownSkill } from "./isolation.ts";

/** What a run sees of skills beside their own places. All paths but `from` are inside. */
export interface PackageView {
  mounts: { from: string; to: string }[];
  links: { at: string; target: string }[];
  /** Folders that appear empty: no review covered their content. */
  empty: string[];
}

/** A skill and where code sees its whole folder. */
export interface PlacedSkill extends Omit<ShownSkill, "id"> {
  place: string;
}

/** Folders inside: of the skills, and of a link for each file at the top of one. */
export const [placesInside, linksInside] = ["/opt/skills", "/opt/shown"];

/** Names that a working folder needs itself, and repository data. */
const never: ReadonlySet<string> = new Set(["input", outputFolder, "skills", ".git"]);

/** The sticky bit marks the folders that the bot makes for a mount: code makes its own ones without it. */
const mountPointMode = 0o1755;

/** The skills of a run, the one that it belongs to first. */
export function placedSkills(
  { folder, leftOut = [], shown = [] }: LaunchRequest,
  own: string,
): PlacedSkill[] {
  if (shown.length === 0) return folder === undefined ? [] : [{ folder, leftOut, place: own }];
  return shown.map((skill) => ({ ...skill, place: skill.folder === folder ? own : placeOf(skill) }));
}

/** Where a skill that is not the run's own lies inside. */
export function placeOf({ id }: Pick<ShownSkill, "id">): string {
  return `${placesInside}/${basename(skillFolder(id))}`;
}

/**
 * Lets code find the files of skills in its working folder, read-only, as guides name them: `python3 scripts/x.py`, `cd templates`. Each
 * folder at the top of a skill is mounted there under its name, and each file is a link, unless the thread or an earlier skill has an entry
 * of that name. Mount points and links that nothing needs any more are removed; neither counts as a file of the thread.
 */
export async function viewPackages(
  skills: readonly PlacedSkill[],
  shown: readonly ShownSkill[],
  working: MountedFolder,
): Promise<PackageView> {
  const own = working.mounts.find(
    ({ to, writable }) => writable && `${working.working}/`.startsWith(`${to}/`),
  );
  const view: PackageView = { mounts: [], links: [], empty: [] };
  if (own === undefined) return view;
  const at = join(own.from, working.working.slice(own.to.length));
  const taken = new Set(never);
  for (const skill of skills) await viewTop(skill, { at, inside: working.working, taken, view });
  await removeUnused(at, taken);
  const all = working.mounts.find(({ to }) => to === `${folderRoot}/skills`);
  for (const skill of all === undefined ? [] : shown) {
    const to = skillFolder(skill.id);
    const point = join(all?.from ?? "", basename(to));
    await mkdir(point, { recursive: true, mode: 0o755 });
    // Files that an earlier version let the skill write there stay visible.
    const entries = await readdir(point, { recursive: true, withFileTypes: true });
    if (entries.some((entry) => entry.isFile())) continue;
    view.mounts.push({ from: skill.folder, to });
    view.empty.push(...emptyIn(skill, to));
  }
  return view;
}

interface Top {
  /** The working folder on this machine, and where code sees it. */
  at: string;
  inside: string;
  /** Names that skills have there. */
  taken: Set<string>;
  view: PackageView;
}

/** Adds the folders and files at the top of a skill, apart from names that are in use. */
async function viewTop(skill: PlacedSkill, { at, inside, taken, view }: Top): Promise<void> {
  for (const entry of await readdir(skill.folder, { withFileTypes: true })) {
    const { name } = entry;
    if (taken.has(name) || skill.leftOut.includes(name)) continue;
    const path = join(at, name);
    if (!(await (entry.isDirectory() ? isMountPoint(path) : isOwnLink(path)))) continue;
    taken.add(name);
    if (entry.isDirectory()) {
      view.mounts.push({ from: join(skill.folder, name), to: `${inside}/${name}` });
      view.empty.push(...emptyIn(skill, inside, `${name}/`));
    } else view.links.push({ at: `${linksInside}/${name}`, target: `${skill.place}/${name}` });
  }
}

/** The folders of a skill that appear empty, below a place where it is mounted. */
export function emptyIn(
  { folder, leftOut }: Pick<ShownSkill, "folder" | "leftOut">,
  to: string,
  within = "",
): string[] {
  return leftOut
    .filter((path) => path.startsWith(within) && existsSync(join(folder, path)))
    .map((path) => `${to}/${path}`);
}

/** Whether a folder can be mounted here. Makes the mount point, owned as the folder it lies in, unless something has the name. */
async function isMountPoint(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: mountPointMode });
    const { uid, gid } = await stat(dirname(path));
    if (uid !== process.geteuid?.()) await lchown(path, uid, gid);
    return true;
  } catch (error) {
    unlessThere(error);
    return await isMarked(path);
  }
}

async function isMarked(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && (found.mode & 0o1000) !== 0 && (await readdir(path)).length === 0;
}

/** Whether a path is the link to a skill's file of its name. Makes it, unless something has the name. */
async function isOwnLink(path: string): Promise<boolean> {
  try {
    await symlink(linkTarget(path), path);
    return true;
  } catch (error) {
    unlessThere(error);
    return await isLinked(path);
  }
}

function linkTarget(path: string): string {
  return `${linksInside}/${basename(path)}`;
}

async function isLinked(path: string): Promise<boolean> {
  return (await readlink(path).catch(() => undefined)) === linkTarget(path);
}

async function removeUnused(at: string, used: ReadonlySet<string>): Promise<void> {
  for (const name of (await readdir(at)).filter((each) => !used.has(each))) {
    const path = join(at, name);
    // Another run may do the same now.
    if (await isLinked(path)) await unlink(path).catch(() => undefined);
    else if (await isMarked(path)) await rmdir(path).catch(() => undefined);
  }
}

function unlessThere(error: unknown): void {
  if ((error as { code?: unknown }).code !== "EEXIST") throw error;
}

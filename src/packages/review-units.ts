import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { errorCode } from "../base/error-text.ts";
import type { GuideReader, PackageFinding, PackageReview } from "../core/skill/packages.ts";
import type { Diagnostic, Skill } from "../core/skill/skill.ts";
import type { PackageSkills } from "./layout/package-skills.ts";
import type { PackageLimits } from "./package-limits.ts";
import { PackageRefusal } from "./package-refusal.ts";
import { type PackageFile, packagePath } from "./package-tree.ts";
import { readFolder, readOneFile } from "./read-folder.ts";
import { reviewSkillFiles } from "./review.ts";

export interface UnitReviewContext {
  shipped: readonly Skill[];
  isolation(skill: Skill): string | Promise<string>;
  limits: PackageLimits;
  /** Reads the guides of the first skills as well. */
  reader?: GuideReader | undefined;
  signal: AbortSignal;
}

/** Maximum guides of one package that a second judge reads. */
const maxRead = 5;

/** Reviews a laid-out package, from the very files that would be installed. */
export async function reviewUnits(
  found: PackageSkills,
  context: UnitReviewContext,
): Promise<PackageReview[]> {
  const reviews: PackageReview[] = [];
  for (const { path, skills } of found.units) {
    const files = await filesOf(path, context);
    for (const skill of skills) {
      const diagnostics = found.diagnostics.filter((each) => isAbout(each, skill));
      const isolation = await context.isolation(skill);
      const reader = reviews.length < maxRead ? context.reader : undefined;
      reviews.push(await reviewSkillFiles({ ...context, reader, skill, files, isolation, diagnostics }));
    }
  }
  return reviews;
}

/** Paths of diagnostics are those of the unpacked package, where folders may have other names. */
function isAbout({ path }: Diagnostic, { origin }: Skill): boolean {
  return path.split(/[\\/]/).includes(basename(origin.path));
}

/**
 * Reviews a skill at its place, wherever it came from: a reason that would prevent an installation is a finding here.
 * @throws PackageRefusal when it has no files that can be read.
 */
export async function reviewInstalled(skill: Skill, context: UnitReviewContext): Promise<PackageReview> {
  const real = await placeOf(skill.origin.path);
  const { files, findings } = await readForReview(real, context.limits, context.signal);
  const isolation = await context.isolation(skill);
  return await reviewSkillFiles({ ...context, skill, files, isolation, further: findings });
}

async function filesOf(path: string, { limits, signal }: UnitReviewContext): Promise<PackageFile[]> {
  if ((await lstat(path)).isDirectory()) return await readFolder(path, limits, signal);
  const data = await readOneFile(path, limits.archive_bytes);
  return [{ path: basename(path), data, executable: false }];
}

async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new PackageRefusal("no_files", `It has no files that could be reviewed (${path}).`, error);
  }
}

/** The readable files of a folder or file, and findings on skipped ones: links, special files, files over the limits. */
async function readForReview(
  root: string,
  limits: PackageLimits,
  signal: AbortSignal,
): Promise<{ files: PackageFile[]; findings: PackageFinding[] }> {
  const files: PackageFile[] = [];
  const findings: PackageFinding[] = [];
  let bytes = 0;
  for (const name of await namesBelow(root)) {
    signal.throwIfAborted();
    const path = name || basename(root);
    const found = await lstat(join(root, name));
    if (found.isDirectory()) continue;
    const add = (code: string, message: string) =>
      findings.push({ severity: "warning", code, message, path });
    const isOver = files.length >= limits.files || bytes + found.size > limits.unpacked_bytes;
    if (isOver) {
      const most = `${limits.files} files or ${limits.unpacked_bytes / 1_000_000} MB`;
      add("partly_reviewed", `There is more in it than ${most}; the rest was not reviewed.`);
      break;
    }
    if (!found.isFile()) {
      const what = found.isSymbolicLink() ? "a link" : "a device, a pipe or another special file";
      add("not_reviewed", `It is ${what}, and was not reviewed.`);
      continue;
    }
    const odd = oddName(path, limits);
    if (odd !== undefined) add(odd, "Its name would keep it out of a package: others read it differently.");
    const data = await readOneFile(join(root, name), limits.unpacked_bytes);
    bytes += data.length;
    files.push({ path, data, executable: (found.mode & 0o111) !== 0 });
  }
  return { files, findings };
}

/** All that is in a folder, relative to it; of a file, its empty name. */
async function namesBelow(root: string): Promise<string[]> {
  if (!(await lstat(root)).isDirectory()) return [""];
  const names = (await readdir(root, { recursive: true })).map((name) => name.split(sep).join("/"));
  return names.filter((name) => !/(?:^|\/)\.git(?:\/|$)/.test(name)).toSorted();
}

/** The reason why no package may have a name. */
function oddName(path: string, limits: PackageLimits): string | undefined {
  try {
    packagePath(path, limits);
    return undefined;
  } catch (error) {
    if (!(error instanceof PackageRefusal)) throw error;
    return error.code;
  }
}

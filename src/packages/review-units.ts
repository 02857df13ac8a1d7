import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
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

interface Reading {
  files: PackageFile[];
  findings: PackageFinding[];
  bytes: number;
}

/** The readable files of a folder or file, and findings on skipped ones: links, special files, files over the limits. */
async function readForReview(
  path: string,
  limits: PackageLimits,
  signal: AbortSignal,
): Promise<Pick<Reading, "files" | "findings">> {
  const reading: Reading = { files: [], findings: [], bytes: 0 };
  const waiting: Waiting[] = [{ absolute: path, name: "" }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal.throwIfAborted();
    const { absolute, name } = next;
    const found = await lstat(absolute);
    if (found.isDirectory()) waiting.push(...(await below(absolute, name)));
    else if (found.isFile()) await take(reading, absolute, name || basename(path), found, limits);
    else
      leaveOut(reading, name, found.isSymbolicLink() ? "a link" : "a device, a pipe or another special file");
  }
  return reading;
}

interface Waiting {
  absolute: string;
  /** Relative to the skill's folder; empty for the folder itself. */
  name: string;
}

/** The entries of a folder, last first. */
async function below(folder: string, prefix: string): Promise<Waiting[]> {
  const names = (await readdir(folder))
    .filter((name) => name !== ".git")
    .toSorted()
    .toReversed();
  return names.map((name) => ({
    absolute: join(folder, name),
    name: prefix === "" ? name : `${prefix}/${name}`,
  }));
}

async function take(
  reading: Reading,
  absolute: string,
  path: string,
  { size, mode }: { size: number; mode: number },
  limits: PackageLimits,
): Promise<void> {
  const isOver = reading.files.length >= limits.files || reading.bytes + size > limits.unpacked_bytes;
  if (isOver) {
    const message = `There is more in it than ${limits.files} files or ${limits.unpacked_bytes / 1_000_000} MB; the rest was not reviewed.`;
    if (reading.findings.every(({ code }) => code !== "partly_reviewed")) {
      reading.findings.push({ severity: "warning", code: "partly_reviewed", message });
    }
    return;
  }
  const odd = oddName(path, limits);
  if (odd !== undefined) reading.findings.push(odd);
  const data = await readOneFile(absolute, limits.unpacked_bytes);
  reading.bytes += data.length;
  reading.files.push({ path, data, executable: (mode & 0o111) !== 0 });
}

/** A name that no package may have. */
function oddName(path: string, limits: PackageLimits): PackageFinding | undefined {
  try {
    packagePath(path, limits);
    return undefined;
  } catch (error) {
    if (!(error instanceof PackageRefusal)) throw error;
    const message =
      "Its name would keep it out of a package: it is read differently by other systems or by people.";
    return { severity: "warning", code: error.code, message, path };
  }
}

function leaveOut(reading: Reading, path: string, what: string): void {
  const message = `It is ${what}, and was not reviewed.`;
  reading.findings.push({ severity: "warning", code: "not_reviewed", message, path });
}

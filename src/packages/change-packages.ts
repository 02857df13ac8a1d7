/** Everything that changes or reviews installed skills. A bot that nobody asks for it never loads this. */
import { join } from "node:path";
import type { InstalledPackage, PackageReview, PackageSource } from "../core/skill/packages.ts";
import { applyChange } from "./change-journal.ts";
import { fetchPackage } from "./fetch-package.ts";
import { installSkills } from "./install-skills.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { KnownSource } from "./package-register.ts";
import { layOutSkills, type PackageSkills } from "./package-skills.ts";
import type { PackagesContext } from "./packages-options.ts";
import { refuseNames, refuseTakenIds, refuseTwins } from "./refuse-names.ts";
import { reviewInstalled, reviewUnits } from "./review-units.ts";
import { withStaging } from "./staging.ts";

interface Prepared extends PackageSkills {
  change: string;
  reviews: PackageReview[];
}

/** Fetches, lays out and reviews a package in a temporary folder, and does `work` with it there. */
async function prepared<T>(
  context: PackagesContext,
  source: PackageSource,
  signal: AbortSignal,
  work: (prepared: Prepared) => Promise<T>,
): Promise<T> {
  return await withStaging(context.folders.staging, async (change) => {
    signal.throwIfAborted();
    const fetched = await fetchPackage(source, context, join(change, "clone"), signal);
    const found = await layOutSkills(fetched, change, context.inspect);
    const skills = found.units.flatMap((unit) => unit.skills);
    const shipped = await context.shipped();
    refuseTwins(skills);
    refuseNames(skills, shipped, await context.register.index());
    await refuseTakenIds(skills, context.find);
    const reviews = await reviewUnits(found, { ...context, shipped, signal });
    signal.throwIfAborted();
    return await work({ ...found, change, reviews });
  });
}

interface InstallOptions {
  by: string;
  signal: AbortSignal;
  expected?: readonly string[] | undefined;
}

/** Fetches a package and says what is in it; nothing stays. @throws PackageRefusal, like all in here */
export async function reviewPackage(
  context: PackagesContext,
  source: PackageSource,
  signal: AbortSignal,
): Promise<PackageReview[]> {
  return await prepared(context, source, signal, async ({ reviews }) => reviews);
}

/** Fetches, reviews and installs a package. */
export async function installPackage(
  context: PackagesContext,
  source: PackageSource,
  options: InstallOptions,
): Promise<InstalledPackage[]> {
  return await installFrom(context, source, knownSource(source), options);
}

async function installFrom(
  context: PackagesContext,
  source: PackageSource,
  known: KnownSource,
  { by, signal, expected }: InstallOptions,
  mustHold?: string,
): Promise<InstalledPackage[]> {
  return await prepared(context, source, signal, async ({ units, reviews, change }) => {
    if (expected !== undefined) refuseUnexpected(reviews, expected);
    if (mustHold !== undefined && !reviews.some(({ skill_id }) => skill_id === mustHold)) {
      const message = `Where ${mustHold} came from there is no skill of that name any more. The installed one was kept.`;
      throw new PackageRefusal("skill_gone", message);
    }
    const at = context.clock.now();
    const from = fromOf(source);
    const request = { units, reviews, source: known, from, by, at, change };
    return await installSkills(request, context.folders, context.register);
  });
}

function refuseUnexpected(reviews: readonly PackageReview[], expected: readonly string[]): void {
  const other = reviews.find(({ hash }) => !expected.includes(hash));
  if (other === undefined) return;
  throw new PackageRefusal(
    "changed_since_review",
    `The skill ${other.skill_id} is not what was reviewed: its files changed meanwhile. Nothing was installed; look at the new review first.`,
  );
}

function fromOf(source: PackageSource): string {
  if (source.kind === "path") return source.path;
  return source.kind === "url" ? source.url : source.name;
}

function knownSource(source: PackageSource): KnownSource {
  return source.kind === "upload" ? { kind: "upload" } : source;
}

/** Fetches the package of a skill again. */
export async function updatePackage(
  context: PackagesContext,
  skillId: string,
  options: Omit<InstallOptions, "expected">,
): Promise<InstalledPackage[]> {
  const { source, installed } = await registered(context, skillId);
  if (source.kind === "upload") {
    throw new PackageRefusal(
      "cannot_update",
      `${skillId} was uploaded (${installed.from}) and cannot be fetched again. The installed one was kept; upload the new one.`,
    );
  }
  return await installFrom(context, source, source, options, skillId);
}

/** Removes a skill and what was installed together with it. */
export async function removePackage(context: PackagesContext, skillId: string): Promise<InstalledPackage> {
  const { folders, register } = context;
  const { installed } = await registered(context, skillId);
  const index = await register.index();
  const entry = index[skillId];
  if (entry === undefined) throw notInstalled(skillId);
  const { place, name } = entry;
  const together = Object.keys(index).filter((id) => index[id]?.place === place && index[id]?.name === name);
  await withStaging(folders.staging, (change) =>
    applyChange(folders, change, [{ place, name, skill_ids: together }], () => register.remove(together)),
  );
  return installed;
}

async function registered(context: PackagesContext, skillId: string) {
  const found = await context.register.find(skillId);
  if (found === undefined) throw notInstalled(skillId);
  return found;
}

function notInstalled(skillId: string): PackageRefusal {
  const message = `No skill ${skillId} was installed. \`knack skills list\` shows all skills and where they come from.`;
  return new PackageRefusal("not_installed", message);
}

/** Reviews a skill of the catalogue where it is. */
export async function reviewFound(context: PackagesContext, skillId: string): Promise<PackageReview> {
  const skill = await context.find(skillId);
  if (skill === undefined) {
    throw new PackageRefusal(
      "unknown_skill",
      `There is no skill ${skillId}. \`knack skills list\` shows all.`,
    );
  }
  const request = { ...context, shipped: await context.shipped(), signal: new AbortController().signal };
  return await reviewInstalled(skill, request);
}

/** Everything that changes or reviews installed skills. Loaded only when somebody asks for it. */
import { join } from "node:path";
import type {
  InstalledPackage,
  LeftOut,
  PackageInstallation,
  PackageReading,
  PackageReview,
  PackageSource,
} from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import { applyChange } from "./change-journal.ts";
import { fetchPackage } from "./fetch/fetch-package.ts";
import { packageAddress } from "./fetch/package-address.ts";
import { installSkills } from "./install-skills.ts";
import { layOutSkills, type PackageSkills } from "./layout/package-skills.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { KnownSource } from "./package-register.ts";
import type { PackagesContext } from "./packages-options.ts";
import { reviewInstalled, reviewSkillFiles, reviewUnits } from "./review.ts";
import { withStaging, withTemporaryFolder } from "./staging.ts";

interface Prepared extends PackageSkills {
  change: string;
  reviews: PackageReview[];
}

interface PrepareRequest extends PackageReading {
  source: PackageSource;
  /** Where it is recorded to come from. */
  known: KnownSource;
  /** Skills of `only` that are no longer there are left out. */
  tolerant?: boolean;
}

/** Fetches, lays out and reviews a package in a temporary folder, and runs `work` with it there. */
async function prepared<T>(
  context: Omit<PackagesContext, "ensureHeld">,
  { source, known, tolerant, ...reading }: PrepareRequest,
  inFolder: (work: (folder: string) => Promise<T>) => Promise<T>,
  work: (prepared: Prepared) => Promise<T>,
): Promise<T> {
  const { signal, onReviewed } = reading;
  return await inFolder(async (change) => {
    signal.throwIfAborted();
    const fetched = await fetchPackage(source, context, join(change, "clone"), signal);
    const shipped = await context.shipped();
    const names = { ...context, shipped, index: await context.register.index(), source: known };
    const found = await layOutSkills({ ...context, fetched, change, names, choice: reading, tolerant });
    const reviews = await reviewUnits(found, { ...context, shipped, signal, onReviewed });
    signal.throwIfAborted();
    return await work({ ...found, change, reviews });
  });
}

type Staged = (folder: string) => Promise<WithLeftOut<InstalledPackage[]>>;

/** A result, with what of the package is not in it. */
export interface WithLeftOut<T> {
  value: T;
  leftOut: readonly LeftOut[];
}

/**
 * Fetches a package and describes its content; nothing is kept. Several reviews may run at once, and beside a change.
 * @throws PackageRefusal, like all functions here
 */
export async function reviewPackage(
  context: Omit<PackagesContext, "ensureHeld">,
  source: PackageSource,
  reading: PackageReading,
): Promise<WithLeftOut<PackageReview[]>> {
  const request = { ...reading, only: chosen(source, reading.only), source, known: knownSource(source) };
  return await prepared(context, request, withTemporaryFolder, async ({ reviews, leftOut }) => ({
    value: reviews,
    leftOut,
  }));
}

/** Fetches, reviews and installs a package. */
export async function installPackage(
  context: PackagesContext,
  source: PackageSource,
  options: PackageInstallation,
): Promise<WithLeftOut<InstalledPackage[]>> {
  const request = { ...options, only: chosen(source, options.only), source, known: knownSource(source) };
  const staged = (work: Staged) => withStaging(context, work);
  return await prepared(context, request, staged, (ready) =>
    installPrepared(context, request, ready, options),
  );
}

async function installPrepared(
  context: PackagesContext,
  { source, known }: PrepareRequest,
  { units, reviews, change, leftOut }: Prepared,
  { by, expected }: Pick<PackageInstallation, "by" | "expected">,
): Promise<WithLeftOut<InstalledPackage[]>> {
  if (expected !== undefined) refuseUnexpected(reviews, expected);
  const at = context.clock.now();
  const request = { units, reviews, source: known, from: fromOf(source, known), by, at, change };
  return { value: await installSkills(request, context), leftOut };
}

function refuseUnexpected(reviews: readonly PackageReview[], expected: readonly string[]): void {
  const other = reviews.find(({ hash }) => !expected.includes(hash));
  if (other === undefined) return;
  const message = `The skill ${other.skill_id} is not what was reviewed: its files changed meanwhile. Nothing was installed; look at the new review first.`;
  throw new PackageRefusal("changed_since_review", message);
}

function fromOf(source: PackageSource, known: KnownSource): string {
  if (known.kind === "url") return known.url;
  return source.kind === "upload" ? source.name : known.kind === "path" ? known.path : "";
}

/** Where a package comes from, in one form for all ways to write it. @throws PackageRefusal */
function knownSource(source: PackageSource): KnownSource {
  if (source.kind === "upload") return { kind: "upload" };
  if (source.kind === "path") return source;
  return { kind: "url", url: URL.canParse(source.url) ? source.url : packageAddress(source.url).canonical };
}

/** The skills that a person chose, if not separately, then by the address. */
function chosen(source: PackageSource, only: PackageReading["only"]): PackageReading["only"] {
  return only ?? (source.kind === "url" ? packageAddress(source.url).only : undefined);
}

/** Fetches the package of a skill again, and the other skills that were installed from there. */
export async function updatePackage(
  context: PackagesContext,
  skillId: string,
  { by, signal, onReviewed }: Pick<PackageInstallation, "by" | "signal" | "onReviewed">,
): Promise<WithLeftOut<InstalledPackage[]>> {
  const { source, installed } = await registered(context, skillId);
  if (source.kind === "upload") {
    const message = `${skillId} was uploaded (${installed.from}) and cannot be fetched again. The installed one was kept; upload the new one.`;
    throw new PackageRefusal("cannot_update", message);
  }
  const only = await context.register.from(source);
  const request = { source, known: source, only, tolerant: true, signal, onReviewed };
  const staged = (work: Staged) => withStaging(context, work);
  return await prepared(context, request, staged, async (ready) => {
    if (ready.reviews.every(({ skill_id }) => skill_id !== skillId)) {
      const message = `Where ${skillId} came from there is no skill of that name any more. The installed one was kept.`;
      throw new PackageRefusal("skill_gone", message);
    }
    return await installPrepared(context, request, ready, { by });
  });
}

/** Removes a skill and everything installed together with it. */
export async function removePackage(context: PackagesContext, skillId: string): Promise<InstalledPackage> {
  const { register, ensureHeld } = context;
  const { installed } = await registered(context, skillId);
  const index = await register.index();
  const entry = index[skillId];
  if (entry === undefined) throw notInstalled(skillId);
  const { place, name } = entry;
  const together = Object.keys(index).filter((id) => index[id]?.place === place && index[id]?.name === name);
  const units = [{ place, name, skill_ids: together }];
  await withStaging(context, (change) =>
    applyChange(context, change, units, () => register.remove(together, ensureHeld)),
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

/** Reviews a skill of the catalogue at its place. */
export async function reviewFound(
  context: Omit<PackagesContext, "ensureHeld">,
  skillId: string,
): Promise<PackageReview> {
  const skill = await context.find(skillId);
  if (skill === undefined) {
    const message = `There is no skill ${skillId}. \`knack skills list\` shows all.`;
    throw new PackageRefusal("unknown_skill", message);
  }
  const request = { ...context, shipped: await context.shipped(), signal: new AbortController().signal };
  return await reviewInstalled(skill, request);
}

/** Reviews a skill that is one text, stored elsewhere. */
export async function reviewText(
  context: Omit<PackagesContext, "ensureHeld">,
  skill: Skill,
  text: string,
): Promise<PackageReview> {
  const path = skill.kind === "flow" ? `${skill.id}.json` : "SKILL.md";
  const files = [{ path, data: Buffer.from(text), executable: false }];
  const isolation = await context.isolation(skill);
  const { signal } = new AbortController();
  return await reviewSkillFiles({ skill, files, shipped: await context.shipped(), isolation, signal });
}

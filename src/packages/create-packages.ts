import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { KeyValue } from "../core/key-value.ts";
import type {
  InstalledPackage,
  PackageOutcome,
  PackageReview,
  PackageSource,
  Packages,
} from "../core/packages.ts";
import type { Skill } from "../core/skill.ts";
import { applyChange, type PackageFolders, recoverChange } from "./change-journal.ts";
import { type FetchAccess, fetchPackage } from "./fetch-package.ts";
import { installSkills } from "./install-skills.ts";
import { createIntegrity, type Integrity } from "./integrity.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { defaultPackageLimits, type PackageLimits } from "./package-limits.ts";
import { PackageRefusal } from "./package-refusal.ts";
import { createPackageRegister, type KnownSource, type PackageRegister } from "./package-register.ts";
import { type InspectFolder, layOutSkills, type PackageSkills } from "./package-skills.ts";
import { refuseNames, refuseTwins } from "./refuse-names.ts";
import { reviewInstalled, reviewUnits } from "./review-units.ts";
import { leftovers, withStaging } from "./staging.ts";

export interface PackagesOptions extends Omit<FetchAccess, "limits"> {
  /** Absolute; made when missing; `skills`, `flows` and `staging` on one file system, and nobody else's. */
  folders: PackageFolders;
  /** Where the register is kept. */
  store: KeyValue;
  clock: Pick<Clock, "now">;
  /**
   * Loads what is below a folder as skills of the source `managed`, with the same loaders as the catalogue, importing and running
   * nothing: documents and imported skills down to the depth the catalogue searches, and flow files directly in it.
   */
  inspect: InspectFolder;
  /** The skills that ship with the bot. */
  shipped(): Promise<readonly Skill[]>;
  /** A skill of the catalogue. */
  find(skillId: string): Promise<Skill | undefined>;
  /** In words for a person: what code of an installed skill of this kind runs in here, or why it would not run. */
  isolation(skill: Skill): string | Promise<string>;
  limits?: Partial<PackageLimits>;
}

/** Installed skills, and whether they are still what was installed. */
export interface ManagedPackages extends Packages, Integrity {}

interface Context extends Omit<PackagesOptions, "limits"> {
  limits: PackageLimits;
  register: PackageRegister;
}

/**
 * Opens the installed skills: what a killed bot had begun to change is undone or cleared away first. One process at a time may
 * work on the folders.
 */
export async function createPackages(options: PackagesOptions): Promise<ManagedPackages> {
  const register = createPackageRegister(options.store);
  const context: Context = { ...options, register, limits: { ...defaultPackageLimits, ...options.limits } };
  const { folders } = options;
  for (const folder of [folders.skills, folders.flows]) await mkdir(folder, { recursive: true });
  for (const change of await leftovers(folders.staging)) await recoverChange(folders, change, register);
  const inTurn = oneAtATime();
  const run = <T>(work: () => Promise<T>) => inTurn(() => outcome(work));
  return {
    ...createIntegrity(register),
    review: (source, signal) => run(() => prepared(context, source, signal, async ({ reviews }) => reviews)),
    install: (source, request) => run(() => install(context, source, knownSource(source), request)),
    update: (skillId, request) => run(() => update(context, skillId, request)),
    remove: (skillId) => run(() => remove(context, skillId)),
    get: async (skillId) => (await register.find(skillId))?.installed,
    async list() {
      const ids = Object.keys(await register.index()).toSorted();
      const found = await Promise.all(ids.map((id) => register.find(id)));
      return found.flatMap((each) => each?.installed ?? []);
    },
    reviewSkill: (skillId) => outcome(() => reviewFound(context, skillId)),
  };
}

/** The border where refusals become values. Anything else is a bug or a broken disk. */
async function outcome<T>(work: () => Promise<T>): Promise<PackageOutcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof PackageRefusal) return { ok: false, code: error.code, reason: error.message };
    throw error;
  }
}

interface Prepared extends PackageSkills {
  change: string;
  reviews: PackageReview[];
}

/** Fetches, lays out and reviews a package in a temporary folder, and does `work` with it there. */
async function prepared<T>(
  context: Context,
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
    const reviews = await reviewUnits(found, { ...context, shipped, signal });
    signal.throwIfAborted();
    return await work({ ...found, change, reviews });
  });
}

interface InstallOptions {
  by: string;
  signal: AbortSignal;
  expected?: readonly string[];
}

async function install(
  context: Context,
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

async function update(
  context: Context,
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
  return await install(context, source, source, options, skillId);
}

async function remove(context: Context, skillId: string): Promise<InstalledPackage> {
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

async function registered(context: Context, skillId: string) {
  const found = await context.register.find(skillId);
  if (found === undefined) throw notInstalled(skillId);
  return found;
}

function notInstalled(skillId: string): PackageRefusal {
  const message = `No skill ${skillId} was installed. \`knack skills list\` shows all skills and where they come from.`;
  return new PackageRefusal("not_installed", message);
}

async function reviewFound(context: Context, skillId: string): Promise<PackageReview> {
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

/** Everything that changes or reviews installed skills. Loaded only when somebody asks for it. */
import { join } from "node:path";
import { ownToolNames } from "../core/skill/offered-tools.ts";
import type { GuideReader, InstalledPackage, PackageReview, PackageSource } from "../core/skill/packages.ts";
import { isInstalled, type Skill } from "../core/skill/skill.ts";
import { toToolName } from "../core/skill/skill-identifier.ts";
import { applyChange } from "./change-journal.ts";
import { fetchPackage } from "./fetch-package.ts";
import { installSkills } from "./install-skills.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { KnownSource, RegisterIndex } from "./package-register.ts";
import { layOutSkills, type PackageSkills } from "./package-skills.ts";
import type { PackagesContext } from "./packages-options.ts";
import { reviewInstalled, reviewUnits } from "./review-units.ts";
import { withStaging } from "./staging.ts";

interface Prepared extends PackageSkills {
  change: string;
  reviews: PackageReview[];
}

/** Fetches, lays out and reviews a package in a temporary folder, and runs `work` with it there. */
async function prepared<T>(
  context: PackagesContext,
  source: PackageSource,
  { signal, reader }: Reading,
  work: (prepared: Prepared) => Promise<T>,
): Promise<T> {
  return await withStaging(context, async (change) => {
    signal.throwIfAborted();
    const fetched = await fetchPackage(source, context, join(change, "clone"), signal);
    const found = await layOutSkills(fetched, change, context.inspect);
    const skills = found.units.flatMap((unit) => unit.skills);
    const shipped = await context.shipped();
    refuseDuplicateIds(skills);
    refuseNames(skills, shipped, await context.register.index());
    await refuseTakenIds(skills, context.find);
    const reviews = await reviewUnits(found, { ...context, shipped, signal, reader });
    signal.throwIfAborted();
    return await work({ ...found, change, reviews });
  });
}

interface Reading {
  signal: AbortSignal;
  /** Reads the guides as well. */
  reader?: GuideReader | undefined;
}

interface InstallOptions extends Reading {
  by: string;
  expected?: readonly string[] | undefined;
}

/** Fetches a package and describes its content; nothing is kept. @throws PackageRefusal, like all functions here */
export async function reviewPackage(
  context: PackagesContext,
  source: PackageSource,
  reading: Reading,
): Promise<PackageReview[]> {
  return await prepared(context, source, reading, async ({ reviews }) => reviews);
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
  { by, expected, ...reading }: InstallOptions,
  mustHold?: string,
): Promise<InstalledPackage[]> {
  return await prepared(context, source, reading, async ({ units, reviews, change }) => {
    if (expected !== undefined) refuseUnexpected(reviews, expected);
    if (mustHold !== undefined && !reviews.some(({ skill_id }) => skill_id === mustHold)) {
      const message = `Where ${mustHold} came from there is no skill of that name any more. The installed one was kept.`;
      throw new PackageRefusal("skill_gone", message);
    }
    const at = context.clock.now();
    const from = fromOf(source);
    const request = { units, reviews, source: known, from, by, at, change };
    return await installSkills(request, context);
  });
}

function refuseUnexpected(reviews: readonly PackageReview[], expected: readonly string[]): void {
  const other = reviews.find(({ hash }) => !expected.includes(hash));
  if (other === undefined) return;
  const message = `The skill ${other.skill_id} is not what was reviewed: its files changed meanwhile. Nothing was installed; look at the new review first.`;
  throw new PackageRefusal("changed_since_review", message);
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
    const message = `${skillId} was uploaded (${installed.from}) and cannot be fetched again. The installed one was kept; upload the new one.`;
    throw new PackageRefusal("cannot_update", message);
  }
  return await installFrom(context, source, source, options, skillId);
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

/**
 * Refuses ids with another meaning: of a skill that ships (an installed one would replace it for everybody), of one of its tools or of the
 * agent's own, and ids that differ from one of these or from an installed one only by case or Unicode form.
 * @throws PackageRefusal
 */
function refuseNames(skills: readonly Skill[], shipped: readonly Skill[], index: RegisterIndex): void {
  for (const { id } of skills) {
    const own = shipped.find((skill) => fold(skill.id) === fold(id));
    if (own !== undefined) {
      const message = `It is called ${id}, as a skill that ships with the bot, and would stand in its place. Nothing was installed; rename it, or put it into the workspace's skill folder if it is to replace that skill.`;
      throw new PackageRefusal("shipped_name", message);
    }
    const owner = ownerOfTool(id, shipped);
    if (owner !== undefined) {
      const message = `It is called ${id}, as a tool of ${owner}, and would get calls that are meant for that tool. Nothing was installed; rename it.`;
      throw new PackageRefusal("shipped_name", message);
    }
    const rival = Object.keys(index).find((other) => other !== id && fold(other) === fold(id));
    if (rival !== undefined) {
      const message = `Its id ${id} differs from the installed ${rival} only by case or by how a letter is written. Nothing was installed; remove ${rival} first, or rename this one.`;
      throw new PackageRefusal("names_differ_by_case", message);
    }
  }
}

/** The owner of a tool that an installed skill of this id could be mistaken for, in words for a person. */
function ownerOfTool(id: string, shipped: readonly Skill[]): string | undefined {
  const named = (tool: string) => fold(tool) === fold(id) || fold(tool) === fold(toToolName(id));
  if ([...ownToolNames].some(named)) return "the bot itself";
  const owner = shipped.find(({ tools }) =>
    tools.some(({ name, skill_id }) => named(name) || named(toToolName(skill_id))),
  );
  return owner && `${owner.id}, which ships with the bot`;
}

/**
 * Refuses ids that a skill of another source already has: one of the two would replace the other, and get the settings and grants of its
 * name.
 * @throws PackageRefusal
 */
async function refuseTakenIds(
  skills: readonly Skill[],
  find: (id: string) => Promise<Skill | undefined>,
): Promise<void> {
  for (const { id } of skills) {
    const other = await find(id);
    if (other === undefined || isInstalled(other)) continue;
    const what = other.kind === "mcp" ? "the skill of a tool server" : `a skill in ${other.origin.path}`;
    const message = `It is called ${id}, as ${what} that is there already. Nothing was installed; rename one of them, or remove the other first.`;
    throw new PackageRefusal("taken_id", message);
  }
}

function fold(id: string): string {
  return id.normalize("NFKC").toUpperCase().toLowerCase();
}

/** Refuses a package with two skills whose ids are equal or differ only by case. @throws PackageRefusal */
function refuseDuplicateIds(skills: readonly Skill[]): void {
  const seen = new Map<string, string>();
  for (const { id } of skills) {
    const before = seen.get(fold(id));
    if (before !== undefined) {
      const message = `It holds two skills of one name: ${before} and ${id}. Nothing was installed; rename one.`;
      throw new PackageRefusal("duplicate_skill", message);
    }
    seen.set(fold(id), id);
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { InstalledPackage, PackageReview } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import { applyChange, type ChangedUnit, type HeldFolders, type PackageFolders } from "./change-journal.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { KnownSource, RegisterIndex } from "./package-register.ts";
import type { PackageUnit } from "./package-skills.ts";

export interface InstallRequest {
  units: readonly PackageUnit[];
  reviews: readonly PackageReview[];
  source: KnownSource;
  /** The source that people are told. */
  from: string;
  by: string;
  at: number;
  /** The temporary folder with the units. */
  change: string;
}

/** Moves laid-out skills into place and registers them, all or none. @throws PackageRefusal */
export async function installSkills(request: InstallRequest, held: HeldFolders): Promise<InstalledPackage[]> {
  const { folders, register, ensureHeld } = held;
  const index = await register.index();
  const moved = request.units.map((unit) => ({
    place: unit.place,
    name: unit.name,
    tree: unit.tree,
    skill_ids: unit.skills.map(({ id }) => id),
  }));
  for (const unit of moved) refuseTaken(unit, index, folders);
  const ids = new Set(moved.flatMap(({ skill_ids }) => skill_ids));
  const vacated = vacatedUnits(moved, index);
  const gone = Object.entries(index)
    .filter(([id, entry]) => !ids.has(id) && [...moved, ...vacated].some((unit) => isSamePlace(unit, entry)))
    .map(([id]) => id);
  const entries = request.units.flatMap((unit) =>
    unit.skills.map((skill) => ({
      entry: {
        hash: skill.hash,
        tree: unit.tree,
        place: unit.place,
        name: unit.name,
        at: installedSince(skill, index) ?? request.at,
      },
      registered: { source: request.source, installed: installed(skill, request) },
    })),
  );
  await applyChange(held, request.change, [...vacated, ...moved], () =>
    register.put(entries, gone, ensureHeld),
  );
  return entries.map(({ registered }) => registered.installed);
}

/** The same files installed again are the same installation. */
function installedSince({ id, hash }: Skill, index: RegisterIndex): number | undefined {
  const entry = Object.hasOwn(index, id) ? index[id] : undefined;
  return entry?.hash === hash ? entry.at : undefined;
}

function installed({ id, hash }: Skill, { reviews, from, by, at }: InstallRequest): InstalledPackage {
  const review = reviews.find(({ skill_id }) => skill_id === id);
  if (review === undefined) throw new Error(`no review of ${id}`);
  return { skill_id: id, hash, from, by, installed_at: at, review };
}

type Place = Pick<ChangedUnit, "place" | "name">;

function isSamePlace(a: Place, b: Place): boolean {
  return a.place === b.place && a.name === b.name;
}

/** A folder is replaced only by a package that contains one of the skills in it. */
function refuseTaken(unit: ChangedUnit, index: RegisterIndex, folders: PackageFolders): void {
  const owners = Object.keys(index).filter((id) => index[id] !== undefined && isSamePlace(unit, index[id]));
  if (owners.some((id) => unit.skill_ids.includes(id))) return;
  const target = join(folders[unit.place], unit.name);
  if (owners.length > 0) {
    const message = `The place of ${unit.name} is taken by the installed skill ${owners.join(", ")}. Nothing was installed; remove that one first, or rename this one.`;
    throw new PackageRefusal("name_taken", message);
  }
  if (!existsSync(target)) return;
  const message = `${target} is there already and was not installed by the bot. Nothing was installed; move it away first.`;
  throw new PackageRefusal("name_taken", message);
}

/** Previous places of skills that now have another name. */
function vacatedUnits(moved: readonly ChangedUnit[], index: RegisterIndex): ChangedUnit[] {
  const left: ChangedUnit[] = [];
  for (const { skill_ids } of moved) {
    for (const id of skill_ids) {
      const entry = Object.hasOwn(index, id) ? index[id] : undefined;
      if (entry === undefined || [...moved, ...left].some((unit) => isSamePlace(unit, entry))) continue;
      left.push({ place: entry.place, name: entry.name, skill_ids: [] });
    }
  }
  return left;
}

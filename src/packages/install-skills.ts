import type { InstalledPackage, PackageReview } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import { applyChange, type ChangedUnit, type HeldFolders } from "./change-journal.ts";
import type { PackageUnit } from "./layout/package-skills.ts";
import type { KnownSource, RegisterIndex } from "./package-register.ts";

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
  const { register, ensureHeld } = held;
  const index = await register.index();
  const moved = request.units.map((unit) => ({
    place: unit.place,
    name: unit.name,
    tree: unit.tree,
    skill_ids: unit.skills.map(({ id }) => id),
  }));
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

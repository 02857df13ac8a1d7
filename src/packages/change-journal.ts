import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { parsedJson } from "../base/json-reader.ts";
import type { PackageRegister } from "./package-register.ts";

/** The folders of installed packages. All are on one file system with the staging folder. */
export interface PackageFolders {
  skills: string;
  flows: string;
  staging: string;
}

const unitSchema = z.object({
  place: z.enum(["skills", "flows"]),
  name: z.string().min(1),
  /** `treeHash` of the new content; undefined for a removal. */
  tree: z.string().optional(),
  skill_ids: z.array(z.string()),
});
/** One folder or file that is added, replaced or removed. */
export type ChangedUnit = z.infer<typeof unitSchema>;

const journalSchema = z.object({ units: z.array(unitSchema) });
const journalName = "journal.json";

const readyOf = (change: string, { place, name }: ChangedUnit) => join(change, "ready", place, name);
const oldOf = (change: string, { place, name }: ChangedUnit) => join(change, "old", place, name);

/**
 * Moves the content of `change/ready` into place, or removes what has no new content, and then calls `commit`. Until `commit` has ended
 * everything can be undone: the previous content is kept below `change/old`, and the journal records the plan.
 */
export async function applyChange(
  folders: PackageFolders,
  change: string,
  units: readonly ChangedUnit[],
  commit: () => Promise<void>,
): Promise<void> {
  const journal = join(change, journalName);
  await writeFile(`${journal}.new`, JSON.stringify({ units }), { flush: true });
  await rename(`${journal}.new`, journal);
  try {
    for (const unit of units) {
      const target = join(folders[unit.place], unit.name);
      await mkdir(dirname(target), { recursive: true });
      if (existsSync(target)) await move(target, oldOf(change, unit));
      if (unit.tree !== undefined) await move(readyOf(change, unit), target);
    }
    await commit();
  } catch (error) {
    await undo(folders, change, units);
    throw error;
  }
}

/**
 * Completes or undoes the change of a killed bot: a change that the register does not know is undone, so that either all of it exists or
 * nothing. The folder of the change is removed; it is kept if its journal cannot be read, because it may contain the only copy of a skill.
 */
export async function recoverChange(
  folders: PackageFolders,
  change: string,
  register: PackageRegister,
): Promise<void> {
  const units = await readJournal(change);
  if (units === undefined) return;
  const index = await register.index();
  const isCommitted = units.every((unit) => {
    const isInPlace = unit.tree === undefined || !existsSync(readyOf(change, unit));
    return isInPlace && unit.skill_ids.every((id) => index[id]?.tree === unit.tree);
  });
  if (!isCommitted) await undo(folders, change, units);
  await rm(change, { recursive: true, force: true, maxRetries: 3 });
}

async function readJournal(change: string): Promise<ChangedUnit[] | undefined> {
  const path = join(change, journalName);
  // Without a journal nothing was moved yet.
  if (!existsSync(path)) return [];
  const read = journalSchema.safeParse(parsedJson(await readFile(path, "utf8")));
  return read.success ? read.data.units : undefined;
}

async function undo(folders: PackageFolders, change: string, units: readonly ChangedUnit[]): Promise<void> {
  for (const unit of units.toReversed()) {
    const target = join(folders[unit.place], unit.name);
    const wasMovedIn = unit.tree !== undefined && !existsSync(readyOf(change, unit));
    if (wasMovedIn && existsSync(target)) await move(target, readyOf(change, unit));
    if (existsSync(oldOf(change, unit))) await move(oldOf(change, unit), target);
  }
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
}

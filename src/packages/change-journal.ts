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

/** The folders, while this process is the only one that changes them. */
export interface HeldFolders {
  folders: PackageFolders;
  register: PackageRegister;
  /** Throws when another process may be changing the folders: then nothing is moved or removed any more. */
  ensureHeld(): void;
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
 * Moves the content of `change/ready` into place, or removes what has no new content, and then calls `commit`. Until `commit` has ended,
 * `recoverChange` can undo everything: the previous content is kept below `change/old`, and the journal records the plan.
 */
export async function applyChange(
  { folders, ensureHeld }: HeldFolders,
  change: string,
  units: readonly ChangedUnit[],
  commit: () => Promise<void>,
): Promise<void> {
  const journal = join(change, journalName);
  await writeFile(`${journal}.new`, JSON.stringify({ units }), { flush: true });
  await rename(`${journal}.new`, journal);
  for (const unit of units) {
    ensureHeld();
    const target = join(folders[unit.place], unit.name);
    await mkdir(dirname(target), { recursive: true });
    if (existsSync(target)) await move(target, oldOf(change, unit));
    if (unit.tree !== undefined) await move(readyOf(change, unit), target);
  }
  await commit();
}

/**
 * Completes or undoes a change that has ended, however it ended: a change that the register does not know is undone, so that either all of
 * it exists or nothing. The folder of the change is removed; it is kept if its journal cannot be read, because it may contain the only copy
 * of a skill.
 */
export async function recoverChange(held: HeldFolders, change: string): Promise<void> {
  const units = await readJournal(change);
  if (units === undefined) return;
  const index = await held.register.index();
  const isCommitted = units.every((unit) => {
    const isInPlace = unit.tree === undefined || !existsSync(readyOf(change, unit));
    return isInPlace && unit.skill_ids.every((id) => index[id]?.tree === unit.tree);
  });
  if (!isCommitted) await undo(held, change, units);
  held.ensureHeld();
  await rm(change, { recursive: true, force: true, maxRetries: 3 });
}

async function readJournal(change: string): Promise<ChangedUnit[] | undefined> {
  const path = join(change, journalName);
  // Without a journal nothing was moved yet.
  if (!existsSync(path)) return [];
  const read = journalSchema.safeParse(parsedJson(await readFile(path, "utf8")));
  return read.success ? read.data.units : undefined;
}

async function undo(
  { folders, ensureHeld }: HeldFolders,
  change: string,
  units: readonly ChangedUnit[],
): Promise<void> {
  for (const unit of units.toReversed()) {
    ensureHeld();
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

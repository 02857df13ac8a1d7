import { mkdir } from "node:fs/promises";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import { Slots } from "../base/slots.ts";
import type { LeftOut, PackageOutcome, Packages } from "../core/skill/packages.ts";
import { recoverChange } from "./change-journal.ts";
import { createIntegrity, type Integrity } from "./integrity.ts";
import { defaultPackageLimits } from "./package-limits.ts";
import { PackageRefusal } from "./package-refusal.ts";
import { createPackageRegister } from "./package-register.ts";
import type { PackagesContext, PackagesOptions } from "./packages-options.ts";
import { leftovers } from "./staging.ts";

/** Installed skills, and whether they are still as they were installed. */
export interface ManagedPackages extends Packages, Integrity {}

/** Skills that are reviewed at the same time, of all packages. */
const reviewedAtOnce = 4;

type Changes = typeof import("./change-packages.ts");

/** Fetching, unpacking and reviewing need a lot of code that most bots never use. */
const loadChanges = (): Promise<Changes> => import("./change-packages.ts");

/**
 * Opens the installed skills. A change that a killed process left incomplete is undone or cleaned up: now, and before any other change. If
 * another process is making a change, this waits for its end.
 */
export async function createPackages(options: PackagesOptions): Promise<ManagedPackages> {
  const register = createPackageRegister(options.store);
  const context = {
    ...options,
    register,
    limits: { ...defaultPackageLimits, ...options.limits },
    slots: new Slots(reviewedAtOnce),
  };
  const { folders, mutex = new KeyedMutex() } = options;
  for (const folder of [folders.skills, folders.flows]) await mkdir(folder, { recursive: true });
  const alone = <T>(work: (held: PackagesContext) => Promise<T>) =>
    mutex.run("packages", async (ensureHeld) => {
      const held = { ...context, ensureHeld };
      for (const change of await leftovers(folders.staging)) await recoverChange(held, change);
      return await work(held);
    });
  if ((await leftovers(folders.staging)).length > 0) await alone(async () => {});
  const run = <T>(work: (changes: Changes, held: PackagesContext) => Promise<Done<T>>) =>
    outcome(() => alone(async (held) => work(await loadChanges(), held)));
  return {
    ...createIntegrity(register),
    review: (source, reading) =>
      outcome(async () => (await loadChanges()).reviewPackage(context, source, reading)),
    install: (source, request) => run((changes, held) => changes.installPackage(held, source, request)),
    update: (skillId, request) => run((changes, held) => changes.updatePackage(held, skillId, request)),
    remove: (skillId) =>
      run(async (changes, held) => ({ value: await changes.removePackage(held, skillId) })),
    get: async (skillId) => (await register.find(skillId))?.installed,
    async list() {
      const ids = Object.keys(await register.index()).toSorted();
      const found = await Promise.all(ids.map((id) => register.find(id)));
      return found.flatMap((each) => each?.installed ?? []);
    },
    reviewSkill: (skillId) =>
      outcome(async () => ({ value: await (await loadChanges()).reviewFound(context, skillId) })),
    reviewText: (skill, text) =>
      outcome(async () => ({ value: await (await loadChanges()).reviewText(context, skill, text) })),
  };
}

interface Done<T> {
  value: T;
  leftOut?: readonly LeftOut[];
}

/** The border where refusals become values. Any other error is a bug or a broken disk. */
async function outcome<T>(work: () => Promise<Done<T>>): Promise<PackageOutcome<T>> {
  try {
    const { value, leftOut = [] } = await work();
    return { ok: true, value, ...(leftOut.length === 0 ? {} : { left_out: [...leftOut] }) };
  } catch (error) {
    if (!(error instanceof PackageRefusal)) throw error;
    const { code, message: reason, choices } = error;
    return { ok: false, code, reason, ...(choices === undefined ? {} : { choices }) };
  }
}

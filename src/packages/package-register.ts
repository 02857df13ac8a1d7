import { isDeepStrictEqual } from "node:util";
import type { KeyValue } from "../core/ports/storage.ts";
import type { InstalledPackage } from "../core/skill/packages.ts";
import { type Json, toJson } from "../core/values/json.ts";

/** A short record of an installation: read at every load of the catalogue. */
export interface RegisterEntry {
  /** As the loader of the skill computes it. */
  hash: string;
  /** Of the folder on disk, see `treeHash`. */
  tree: string;
  /** When exactly these files were installed, ms since the epoch. */
  at: number;
  /** Its location: below the folder of skills or of flows. */
  place: "skills" | "flows";
  /** The name of its folder or file there. Several skills may share one. */
  name: string;
}

export type RegisterIndex = Readonly<Record<string, RegisterEntry>>;

/** The source a package was installed from; uploads cannot be fetched again. */
export type KnownSource = { kind: "path"; path: string } | { kind: "url"; url: string } | { kind: "upload" };

interface RegisteredPackage {
  installed: InstalledPackage;
  source: KnownSource;
}

export type PackageRegister = ReturnType<typeof createPackageRegister>;

const indexKey = "packages:index";
const keyOf = (skillId: string, hash: string) => `package:${skillId}:${hash}`;

/**
 * The record of installations: who installed what, and in which version. The index is one value: writing it is the moment a package counts
 * as installed. The details of an entry are stored before, under a key with its hash, so that index and entry always match.
 */
export function createPackageRegister(store: KeyValue) {
  // Only this register writes under its keys.
  const read = async () => ((await store.get(indexKey)) ?? {}) as unknown as RegisterIndex;
  async function change(
    edit: (draft: Record<string, RegisterEntry>) => void,
    ensureHeld: () => void,
  ): Promise<RegisterIndex> {
    let before: RegisterIndex = {};
    await store.update(indexKey, (value) => {
      ensureHeld();
      before = (value ?? {}) as unknown as RegisterIndex;
      const draft = { ...before };
      edit(draft);
      return draft as unknown as Json;
    });
    return before;
  }
  async function forget(before: RegisterIndex, after: RegisterIndex, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const old = before[id];
      if (old !== undefined && old.hash !== after[id]?.hash) await store.delete(keyOf(id, old.hash));
    }
  }
  async function find(skillId: string): Promise<RegisteredPackage | undefined> {
    const index = await read();
    const entry = Object.hasOwn(index, skillId) ? index[skillId] : undefined;
    if (entry === undefined) return undefined;
    return (await store.get(keyOf(skillId, entry.hash))) as unknown as RegisteredPackage | undefined;
  }
  return {
    index: read,
    find,
    /** The ids of the skills that were installed from a source. */
    async from(source: KnownSource): Promise<string[]> {
      const ids = Object.keys(await read());
      const found = await Promise.all(ids.map(find));
      return ids.filter((_, at) => isDeepStrictEqual(found[at]?.source, source));
    },
    /** Adds or replaces entries, all in one write, and removes those of `gone`. `ensureHeld` may prevent that write. */
    async put(
      entries: readonly { entry: RegisterEntry; registered: RegisteredPackage }[],
      gone: readonly string[],
      ensureHeld: () => void,
    ): Promise<void> {
      for (const { entry, registered } of entries) {
        const { skill_id } = registered.installed;
        await store.set(keyOf(skill_id, entry.hash), toJson(registered));
      }
      const before = await change((draft) => {
        for (const id of gone) delete draft[id];
        for (const { entry, registered } of entries) draft[registered.installed.skill_id] = entry;
      }, ensureHeld);
      const ids = [...gone, ...entries.map(({ registered }) => registered.installed.skill_id)];
      await forget(before, await read(), ids);
    },
    async remove(skillIds: readonly string[], ensureHeld: () => void): Promise<void> {
      const before = await change((draft) => {
        for (const id of skillIds) delete draft[id];
      }, ensureHeld);
      await forget(before, {}, skillIds);
    },
  };
}

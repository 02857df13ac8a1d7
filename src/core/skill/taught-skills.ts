import { z } from "zod";
import type { KeyValue } from "../ports/storage.ts";
import type { TaughtCheck } from "../ports/teaching.ts";
import { type Json, toJson } from "../values/json.ts";
import { type LoadedSkills, type Skill, type SkillOrigin, type SkillSource, taughtSource } from "./skill.ts";

/**
 * Skills that people made in the chat: one text each, with its earlier versions. A channel has those whose exact text one of its managers
 * accepted (`NamespaceState.taught`), and those that an operator gave to all.
 */

const personSchema = z.object({ by: z.string(), name: z.string() });

const checkSchema: z.ZodType<TaughtCheck> = z.object({
  turn_id: z.string(),
  request: z.string(),
  tools: z.array(z.string()),
});
const versionSchema = z.object({
  /** Counted from 1. */
  number: z.number(),
  /** A SKILL.md, or a flow as JSON. */
  text: z.string(),
  hash: z.string(),
  /** What it is for, or what it changed. One line. */
  why: z.string(),
  asked: personSchema,
  accepted: personSchema,
  at: z.number(),
  /** The call that made it: repeated, it makes no other version. */
  made_by: z.string(),
  checks: z.array(checkSchema),
});
export type TaughtVersion = z.infer<typeof versionSchema>;

const taughtSkillSchema = z.object({
  id: z.string(),
  /** The channel that made it. */
  home: z.string(),
  /** The latest 20, oldest first. */
  versions: z.array(versionSchema).min(1),
  /** The number of the version that is used. */
  current: z.number(),
});
export type TaughtSkill = z.infer<typeof taughtSkillSchema>;

/** The version that is used. */
export function currentVersion({ versions, current }: TaughtSkill): TaughtVersion {
  const found = versions.find(({ number }) => number === current) ?? versions.at(-1);
  if (found === undefined) throw new Error("a taught skill has no version");
  return found;
}

/** The short record that is read at every load of the catalogue. Writing it is the moment a change counts. */
type IndexEntry = { hash: string; home: string; offered?: true; everyone?: string };
type Index = Readonly<Record<string, IndexEntry>>;

/** Makes a skill of a text, or says why there is none, and what to write instead. Runs nothing of it. */
export type ReadTaughtText = (
  id: string,
  text: string,
  origin: SkillOrigin,
) => { ok: true; skill: Skill } | { ok: false; reason: string };

/** Maximum skills of a bot, and versions of each. */
const maxSkills = 500;
const maxVersions = 20;

/** Where they are stored: the index, and before the id of each. */
export const taughtKeys = { index: "taught:index", skill: "taught-skill:" } as const;
const indexKey = taughtKeys.index;
const keyOf = (id: string) => taughtKeys.skill + id;

export interface TaughtSkills {
  /** The skills for the catalogue. They never replace a skill of another source. */
  source: SkillSource;
  /** As the texts are read that are kept. */
  read(id: string, text: string): ReturnType<ReadTaughtText>;
  get(id: string): Promise<TaughtSkill | undefined>;
  /**
   * Adds a version and uses it. Undefined if the skill is no longer as `base` says (the hash of the version in use; undefined: there is
   * none), or if there are too many.
   */
  add(
    id: string,
    home: string,
    base: string | undefined,
    version: Omit<TaughtVersion, "number">,
  ): Promise<TaughtSkill | undefined>;
  /** Uses an earlier version again. Undefined if there is none of this number. */
  restore(id: string, number: number): Promise<TaughtSkill | undefined>;
  /** Says who may have it besides its channel. Does nothing if there is no such skill. */
  share(id: string, to: { offered: boolean; everyone: boolean }): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Null stands there for a moment if nothing was kept. */
function storedSkill(value: Json | undefined): TaughtSkill | undefined {
  return value === undefined || value === null ? undefined : taughtSkillSchema.parse(value);
}

/** Only the code of this file writes under these keys. */
async function readIndex(store: KeyValue): Promise<Index> {
  return ((await store.get(indexKey)) ?? {}) as Index;
}

/** The skills that a channel made. */
export async function taughtIn(store: KeyValue, home: string): Promise<TaughtSkill[]> {
  const index = await readIndex(store);
  const ids = Object.keys(index).filter((id) => index[id]?.home === home);
  const found = await Promise.all(ids.map((id) => store.get(keyOf(id))));
  return found.flatMap((value) => storedSkill(value) ?? []);
}

export function createTaughtSkills(store: KeyValue, readText: ReadTaughtText): TaughtSkills {
  const read: TaughtSkills["read"] = (id, text) => readText(id, text, originOf(id));
  const get = async (id: string) => storedSkill(await store.get(keyOf(id)));
  const note = (id: string, change: (entry: IndexEntry | undefined) => IndexEntry | undefined) =>
    store.update<{ [id: string]: Json }>(indexKey, (index = {}) => {
      const { [id]: before, ...others } = index;
      const entry = change(before as IndexEntry | undefined);
      return entry === undefined ? others : { ...others, [id]: entry };
    });
  const uses = async (skill: TaughtSkill) => {
    const { hash } = currentVersion(skill);
    // Only operators change what all channels have, so all have the new text.
    await note(skill.id, ({ everyone, ...entry } = { hash, home: skill.home }) => ({
      ...entry,
      hash,
      ...(everyone === undefined ? {} : { everyone: hash }),
    }));
    return skill;
  };
  const change = async (id: string, edit: (skill: TaughtSkill | undefined) => TaughtSkill | undefined) => {
    let changed: TaughtSkill | undefined;
    let isNone = false;
    await store.update<Json>(keyOf(id), (value) => {
      const before = storedSkill(value);
      changed = edit(before);
      isNone = changed === undefined && before === undefined;
      return toJson(changed ?? before ?? null);
    });
    if (isNone) await store.delete(keyOf(id));
    return changed === undefined ? undefined : uses(changed);
  };
  return {
    source: createSource(() => readIndex(store), get, read),
    read,
    get,
    async add(id, home, base, version) {
      if (base === undefined && Object.keys(await readIndex(store)).length >= maxSkills) return undefined;
      return change(id, (before) => withVersion(before, { id, home, base, version }));
    },
    restore: (id, number) =>
      change(id, (before) =>
        before?.versions.some((version) => version.number === number)
          ? { ...before, current: number }
          : undefined,
      ),
    async share(id, { offered, everyone }) {
      await note(
        id,
        (entry) =>
          entry && {
            hash: entry.hash,
            home: entry.home,
            ...(offered ? { offered: true } : {}),
            ...(everyone ? { everyone: entry.hash } : {}),
          },
      );
    },
    async remove(id) {
      await note(id, () => undefined);
      await store.delete(keyOf(id));
    },
  };
}

/** Undefined if somebody else changed it meanwhile. */
function withVersion(
  before: TaughtSkill | undefined,
  {
    id,
    home,
    base,
    version,
  }: { id: string; home: string; base: string | undefined; version: Omit<TaughtVersion, "number"> },
): TaughtSkill | undefined {
  if (before === undefined)
    return base === undefined ? { id, home, versions: [{ ...version, number: 1 }], current: 1 } : undefined;
  const made = before.versions.find(({ made_by }) => made_by === version.made_by);
  if (made !== undefined) return before;
  if (before.home !== home || currentVersion(before).hash !== base) return undefined;
  const number = Math.max(...before.versions.map((each) => each.number)) + 1;
  const kept = before.versions.slice(1 - maxVersions);
  return { ...before, versions: [...kept, { ...version, number }], current: number };
}

/** Texts are read again only when the index says that they changed. */
function createSource(
  readIndex: () => Promise<Index>,
  get: (id: string) => Promise<TaughtSkill | undefined>,
  read: TaughtSkills["read"],
): SkillSource {
  let known = new Map<string, { entry: string; skill: Skill | undefined; problem: string | undefined }>();
  let latest: { index: string; loaded: LoadedSkills } = {
    index: "{}",
    loaded: { skills: [], diagnostics: [] },
  };
  const load = async (id: string, entry: IndexEntry) => {
    const made = await get(id);
    const version = made?.versions.find(({ hash }) => hash === entry.hash);
    if (version === undefined) return { skill: undefined, problem: "Its text is no longer stored." };
    const found = read(id, version.text);
    if (!found.ok) return { skill: undefined, problem: found.reason };
    const taught = {
      home: entry.home,
      offered: entry.offered === true,
      everyone: entry.everyone === entry.hash,
    };
    return { skill: { ...found.skill, taught }, problem: undefined };
  };
  return {
    id: taughtSource,
    async load() {
      const index = await readIndex();
      const text = JSON.stringify(index);
      if (text === latest.index) return latest.loaded;
      const next: typeof known = new Map();
      for (const [id, entry] of Object.entries(index)) {
        const before = known.get(id);
        const entryText = JSON.stringify(entry);
        next.set(id, before?.entry === entryText ? before : { entry: entryText, ...(await load(id, entry)) });
      }
      known = next;
      const skills = [...next.values()].flatMap(({ skill }) => skill ?? []);
      const diagnostics = [...next].flatMap(([id, { problem: message }]) =>
        message === undefined
          ? []
          : [
              {
                path: originOf(id).path,
                skill_id: id,
                severity: "error" as const,
                code: "taught_skill",
                message,
              },
            ],
      );
      latest = { index: text, loaded: { skills, diagnostics } };
      return latest.loaded;
    },
  };
}

function originOf(id: string): SkillOrigin {
  return { source: taughtSource, precedence: 0, path: `${taughtSource}:${id}` };
}

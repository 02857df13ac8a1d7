import { z } from "zod";
import type { KeyValue } from "../ports/storage.ts";
import type { TaughtCheck } from "../ports/teaching.ts";
import { type Json, toJson } from "../values/json.ts";
import {
  type Diagnostic,
  type LoadedSkills,
  type Skill,
  type SkillOrigin,
  type SkillSource,
  taughtSource,
} from "./skill.ts";

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

/** Skills by id, each with the text of the entry that it was read for. */
type Loaded = Map<string, { entry: string; skill: Skill | undefined; problem: string | undefined }>;

/** The skills for the catalogue, from texts that are stored. They never replace a skill of another source. */
export class TaughtSkills implements SkillSource {
  readonly id = taughtSource;
  readonly #store: KeyValue;
  readonly #readText: ReadTaughtText;
  #known: Loaded = new Map();
  #latest: { index: string; loaded: LoadedSkills } = {
    index: "{}",
    loaded: { skills: [], diagnostics: [] },
  };

  constructor(store: KeyValue, readText: ReadTaughtText) {
    this.#store = store;
    this.#readText = readText;
  }

  /** As the texts are read that are kept. */
  read(id: string, text: string): ReturnType<ReadTaughtText> {
    return this.#readText(id, text, originOf(id));
  }

  async get(id: string): Promise<TaughtSkill | undefined> {
    return storedSkill(await this.#store.get(keyOf(id)));
  }

  /**
   * Adds a version and uses it. Undefined if the skill is no longer as `base` says (the hash of the version in use; undefined: there is
   * none), or if there are too many.
   */
  async add(
    id: string,
    home: string,
    base: string | undefined,
    version: Omit<TaughtVersion, "number">,
  ): Promise<TaughtSkill | undefined> {
    if (base === undefined && Object.keys(await readIndex(this.#store)).length >= maxSkills) return undefined;
    return this.#change(id, (before) => withVersion(before, { id, home, base, version }));
  }

  /** Uses an earlier version again. Undefined if there is none of this number. */
  restore(id: string, number: number): Promise<TaughtSkill | undefined> {
    return this.#change(id, (before) =>
      before?.versions.some((version) => version.number === number)
        ? { ...before, current: number }
        : undefined,
    );
  }

  /** Says who may have it besides its channel. Does nothing if there is no such skill. */
  async share(id: string, { offered, everyone }: { offered: boolean; everyone: boolean }): Promise<void> {
    await this.#note(id, (entry) => {
      if (entry === undefined) return undefined;
      const { hash, home } = entry;
      return toJson({ hash, home, offered: offered || undefined, everyone: everyone ? hash : undefined });
    });
  }

  async remove(id: string): Promise<void> {
    await this.#note(id, () => undefined);
    await this.#store.delete(keyOf(id));
  }

  /** Texts are read again only when the index says that they changed. */
  async load(): Promise<LoadedSkills> {
    const index = await readIndex(this.#store);
    const text = JSON.stringify(index);
    if (text === this.#latest.index) return this.#latest.loaded;
    const next: Loaded = new Map();
    for (const [id, entry] of Object.entries(index)) {
      const before = this.#known.get(id);
      const entryText = JSON.stringify(entry);
      const isSame = before?.entry === entryText;
      next.set(id, isSame ? before : { entry: entryText, ...(await this.#loadOne(id, entry)) });
    }
    this.#known = next;
    const skills = [...next.values()].flatMap(({ skill }) => skill ?? []);
    const diagnostics = [...next].flatMap(([id, { problem: message }]): Diagnostic[] => {
      if (message === undefined) return [];
      const { path } = originOf(id);
      return [{ path, skill_id: id, severity: "error", code: "taught_skill", message }];
    });
    this.#latest = { index: text, loaded: { skills, diagnostics } };
    return this.#latest.loaded;
  }

  async #loadOne(id: string, { home, hash, offered, everyone }: IndexEntry) {
    const version = (await this.get(id))?.versions.find((each) => each.hash === hash);
    if (version === undefined) return { skill: undefined, problem: "Its text is no longer stored." };
    const found = this.read(id, version.text);
    if (!found.ok) return { skill: undefined, problem: found.reason };
    const taught = { home, offered: offered === true, everyone: everyone === hash };
    return { skill: { ...found.skill, taught }, problem: undefined };
  }

  #note(id: string, change: (entry: IndexEntry | undefined) => Json | undefined) {
    return this.#store.update<{ [id: string]: Json }>(indexKey, (index = {}) => {
      const { [id]: before, ...others } = index;
      const entry = change(before as IndexEntry | undefined);
      return entry === undefined ? others : { ...others, [id]: entry };
    });
  }

  async #change(
    id: string,
    edit: (skill: TaughtSkill | undefined) => TaughtSkill | undefined,
  ): Promise<TaughtSkill | undefined> {
    let changed: TaughtSkill | undefined;
    let isNone = false;
    await this.#store.update<Json>(keyOf(id), (value) => {
      const before = storedSkill(value);
      changed = edit(before);
      isNone = changed === undefined && before === undefined;
      return toJson(changed ?? before ?? null);
    });
    if (isNone) await this.#store.delete(keyOf(id));
    if (changed === undefined) return undefined;
    const { home } = changed;
    const { hash } = currentVersion(changed);
    // Only operators change what all channels have, so all have the new text.
    await this.#note(id, (entry = { hash, home }) =>
      toJson({ ...entry, hash, everyone: entry.everyone === undefined ? undefined : hash }),
    );
    return changed;
  }
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

function originOf(id: string): SkillOrigin {
  return { source: taughtSource, precedence: 0, path: `${taughtSource}:${id}` };
}

import { rm } from "node:fs/promises";
import type { Mutex } from "../../core/ports/storage.ts";
import {
  languageNames,
  type PackageLanguage,
  type Preparation,
  type PreparedPackages,
  type PreparedSet,
  type PreparedState,
  packageLanguages,
} from "../../core/skill/packages.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { sealFolder } from "../build-folder.ts";
import type { SandboxContext } from "../sandbox-context.ts";
import { isThereAnyway, type ListedPackages, listedPackages } from "../skill-packages.ts";
import { createMissingImports } from "./missing-imports.ts";
import { type AskedPackage, readPackage, readPackages } from "./package-names.ts";
import { prepareNode } from "./prepare-node.ts";
import { preparePython } from "./prepare-python.ts";
import { isPreparedFrom, outdated } from "./prepared-folders.ts";
import type { PreparedSets, SetName, StoredSet } from "./prepared-sets.ts";
import type { PackageSources } from "./run-installer.ts";
import { type Preparing, RunningPreparation, refuse } from "./running-preparation.ts";

/** What packages are prepared with. */
export interface Preparers {
  sandbox: SandboxContext;
  sets: PreparedSets;
  sources: PackageSources;
  /** The version of a language that code gets here: `3.11`. */
  runtimeOf(language: PackageLanguage): Promise<string | undefined>;
  /** Ends a running preparation. */
  signal: AbortSignal;
}

/** The input of one preparation. */
interface Job {
  name: SetName;
  asked: readonly AskedPackage[];
  /** Names of packages that may change their version; by default, all may. */
  renewed?: readonly string[] | undefined;
  listed?: ListedPackages;
  by: string;
}

/** Prepares packages inside the sandbox, one set at a time, and lists the prepared ones. */
export class SandboxPackages implements PreparedPackages {
  readonly #with: Preparers;
  readonly #preparation: RunningPreparation;
  readonly missingImports: PreparedPackages["missingImports"];

  /** The further parameters are those of `RunningPreparation`. */
  constructor(preparers: Preparers, mutex: Mutex, patienceMs: number) {
    this.#with = preparers;
    this.#preparation = new RunningPreparation(preparers.sandbox.isolation, mutex, patienceMs);
    this.missingImports = createMissingImports(preparers.sandbox, () => this.changes());
  }

  /** Waits for a running preparation. */
  settled(): Promise<unknown> {
    return this.#preparation.settled();
  }

  changes(): Promise<string> {
    return this.#with.sets.changes();
  }

  async list(): Promise<PreparedState> {
    const all = (await this.#with.sets.all()).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    const sets = await Promise.all(all.map((set) => shownSet(set, this.#with)));
    return { sets, ...this.#preparation.state() };
  }

  async add(language: PackageLanguage, texts: readonly string[], by: string): Promise<Outcome<Preparation>> {
    const { sets } = this.#with;
    const name = { language };
    const added = readPackages(language, texts);
    if (!added.ok) return refuse(400, added.reason);
    const before = await sets.get(name);
    if (before === undefined && added.value.length === 0)
      return refuse(400, `Nothing is prepared for ${languageNames[language]}. Name packages to add.`);
    const names = added.value.map((each) => each.name);
    const renewed = names.length === 0 ? undefined : names;
    const askedWith = (set: StoredSet | undefined) => [
      ...askedOf(set).filter((each) => !names.includes(each.name)),
      ...added.value,
    ];
    const all = askedWith(before).map(({ text }) => text);
    return await this.#preparation.start(`${languageNames[language]}: ${all.join(", ")}`, async (preparing) =>
      this.#build({ name, asked: askedWith(await sets.get(name)), renewed, by }, preparing),
    );
  }

  async remove(
    language: PackageLanguage,
    texts: readonly string[],
    by: string,
  ): Promise<Outcome<Preparation>> {
    const { sets } = this.#with;
    const name = { language };
    const named = readPackages(language, texts);
    if (!named.ok) return refuse(400, named.reason);
    const names = named.value.map((each) => each.name);
    const there = askedOf(await sets.get(name));
    const unknown = names.find((each) => there.every((other) => other.name !== each));
    if (unknown !== undefined || names.length === 0) return refuse(404, notAsked(language, there, unknown));
    const what = `${languageNames[language]} without ${texts.join(", ")}`;
    return await this.#preparation.start(what, async (preparing) => {
      const asked = askedOf(await sets.get(name)).filter((each) => !names.includes(each.name));
      if (asked.length > 0) return await this.#build({ name, asked, renewed: [], by }, preparing);
      preparing.ensureHeld();
      await sets.remove(name);
      return `Nothing is prepared for ${languageNames[language]} any more.`;
    });
  }

  async prepare(skill: Skill, by: string): Promise<Outcome<Preparation>> {
    const id = skill.parent ?? skill.id;
    const all = await listedPackages(skill);
    if (all.length === 0)
      return refuse(
        409,
        `${id} lists no packages for its code. Packages are listed in a requirements.txt, or as dependencies in a package.json.`,
      );
    const wrong = all.map(({ asked }) => (asked.ok ? undefined : asked.reason)).find(Boolean);
    if (wrong !== undefined) return refuse(409, `${wrong} Nothing was installed.`);
    return await this.#preparation.start(`the skill ${id}`, async (preparing) => {
      const said: string[] = [];
      for (const listed of all) {
        const name = { language: listed.language, skill: id };
        const asked = listed.asked.ok ? listed.asked.value : [];
        said.push(await this.#build({ name, asked, listed, by }, preparing));
      }
      return said.join(" ");
    });
  }

  async drop(skill: string): Promise<void> {
    for (const language of packageLanguages) await this.#with.sets.remove({ language, skill });
  }

  async lacks(skill: Skill): Promise<string | undefined> {
    // With other isolations, code runs with the packages installed on the machine, and nothing can be prepared.
    if (this.#with.sandbox.isolation.kind !== "bubblewrap") return undefined;
    const listed = await listedPackages(skill);
    const missing = await Promise.all(listed.map((each) => missingOf(each, skill, this.#with)));
    return missing.find((each) => each !== undefined);
  }

  /** Builds a set in a folder of its own and makes it the one that code sees. Returns a summary for a person. @throws BuildRefusal */
  async #build(
    { name, asked, renewed, listed, by }: Job,
    { onLine, ensureHeld }: Preparing,
  ): Promise<string> {
    const { sets, sources, sandbox, signal, runtimeOf } = this.#with;
    const { language, skill } = name;
    const before = renewed && (await sets.get(name));
    const runtime = await runtimeOf(language);
    // Pinned files are for one version of the language.
    const pins = before?.runtime === runtime ? before : undefined;
    const folder = await sets.makeBuild(name);
    try {
      const prepare = language === "python" ? preparePython : prepareNode;
      const context = { sandbox, sources, onLine, signal };
      const made = await prepare(asked, { before: pins, renewed: renewed ?? [] }, folder, context);
      const bytes = await sealFolder(made.folder, sources.maxBytes);
      const set = {
        language,
        asked: asked.map(({ text }) => text),
        packages: made.packages,
        by,
        bytes,
        skill: skill === undefined || listed === undefined ? undefined : { id: skill, listed: listed.hash },
        runtime: runtime ?? "unknown",
        prepared_at: Date.now(),
      };
      ensureHeld();
      await sets.swap(name, made.folder, set, made.lock);
      const whose = skill === undefined ? "all code in the sandbox" : `the code of ${skill}`;
      const count = made.packages.length === 1 ? "1 package" : `${made.packages.length} packages`;
      return `${languageNames[language]}: ${count} (${megabytes(bytes)}) for ${whose}. Using them needs no network.`;
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

async function missingOf(
  listed: ListedPackages,
  skill: Skill,
  { sets, runtimeOf }: Preparers,
): Promise<string | undefined> {
  const { language, file, asked } = listed;
  if (!asked.ok) return `The packages of its code are missing. ${asked.reason}`;
  const id = skill.parent ?? skill.id;
  const set = await sets.get({ language, skill: id });
  if (isPreparedFrom(set, listed) && set?.runtime === (await runtimeOf(language))) return undefined;
  if (set === undefined && (await isThereAnyway(listed, skill))) return undefined;
  const why =
    set === undefined
      ? `Its code needs the packages that its ${file} lists, which are not prepared`
      : `Its ${file}, or the ${languageNames[language]} of this machine, changed since its packages were prepared`;
  return `${why}. An operator can prepare them: knack sandbox prepare ${id}, or /skill prepare ${id}.`;
}

function askedOf(set: StoredSet | undefined): AskedPackage[] {
  return (set?.asked ?? []).flatMap((text) => readPackage(set?.language ?? "python", text) ?? []);
}

function notAsked(language: PackageLanguage, there: readonly AskedPackage[], unknown?: string): string {
  const list = there.map(({ name }) => name).join(", ");
  const had = list === "" ? "Nothing is prepared" : `There is: ${list}`;
  return `${unknown === undefined ? "Name packages to remove" : `${unknown} was not added`}. ${had} for ${languageNames[language]}.`;
}

async function shownSet(set: StoredSet, { runtimeOf }: Preparers): Promise<PreparedSet> {
  const { folder: _folder, lock: _lock, skill, packages, ...shown } = set;
  const version = await runtimeOf(set.language);
  return {
    ...shown,
    skill: skill?.id,
    packages: packages.map(({ name, version: of }) => ({ name, version: of })),
    problem: version === set.runtime ? undefined : outdated(set, version),
  };
}

/** General sets first. */
function orderOf({ skill, language }: StoredSet): string {
  return `${skill === undefined ? 0 : 1} ${skill?.id ?? ""} ${language}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

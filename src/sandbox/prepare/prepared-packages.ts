import { rm } from "node:fs/promises";
import {
  languageNames,
  type PackageLanguage,
  type Preparation,
  type PreparedPackages,
  type PreparedSet,
} from "../../core/skill/packages.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { sealFolder } from "../build-folder.ts";
import { isThereAnyway, type ListedPackages, listedPackages } from "../skill-packages.ts";
import { createMissingImports } from "./missing-imports.ts";
import { type AskedPackage, readPackage, readPackages } from "./package-names.ts";
import { prepareNode } from "./prepare-node.ts";
import { preparePython } from "./prepare-python.ts";
import { isPreparedFrom, outdated } from "./prepared-folders.ts";
import type { PreparedSets, SetName, StoredSet } from "./prepared-sets.ts";
import type { PackageSources } from "./run-installer.ts";
import {
  type Preparing,
  RunningPreparation,
  type RunningPreparationOptions,
  refuse,
} from "./running-preparation.ts";

export interface PreparedOptions extends RunningPreparationOptions {
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
  /** Names of packages that may change their version. */
  renewed: readonly string[];
  /** Whether all may. */
  anew: boolean;
  listed?: ListedPackages | undefined;
  by: string;
}

/** Prepares packages inside the sandbox, one set at a time, and lists the prepared ones. `settled` waits for a running preparation. */
export function createPreparedPackages(
  options: PreparedOptions,
): PreparedPackages & { settled(): Promise<unknown> } {
  const preparation = new RunningPreparation(options);
  const { sets, sandbox } = options;
  const missingImports = createMissingImports(sandbox, () => sets.changes());
  return {
    missingImports,
    settled: () => preparation.settled(),
    changes: () => sets.changes(),
    async list() {
      const all = (await sets.all()).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      const shown = await Promise.all(all.map((set) => shownSet(set, options)));
      return { sets: shown, ...preparation.state() };
    },
    add: (language, texts, by) => addPackages(preparation, options, { language, texts, by }),
    remove: (language, texts, by) => removePackages(preparation, options, { language, texts, by }),
    prepare: (skill, by) => prepareSkill(preparation, options, skill, by),
    async drop(skillId) {
      await sets.remove({ language: "python", skill: skillId });
      await sets.remove({ language: "node", skill: skillId });
    },
    async lacks(skill) {
      // With other isolations, code runs with the packages installed on the machine, and nothing can be prepared.
      if (sandbox.isolation.kind !== "bubblewrap") return undefined;
      const missing = await Promise.all(
        (await listedPackages(skill)).map((each) => missingOf(each, skill, options)),
      );
      return missing.find((each) => each !== undefined);
    },
  };
}

interface Change {
  language: PackageLanguage;
  texts: readonly string[];
  by: string;
}

async function addPackages(
  preparation: RunningPreparation,
  options: PreparedOptions,
  { language, texts, by }: Change,
): Promise<Outcome<Preparation>> {
  const added = readPackages(language, texts);
  if (!added.ok) return refuse(400, added.reason);
  const before = await options.sets.get({ language });
  if (before === undefined && added.value.length === 0)
    return refuse(400, `Nothing is prepared for ${languageNames[language]}. Name packages to add.`);
  const renewed = added.value.map(({ name }) => name);
  const askedWith = (set: StoredSet | undefined) => [
    ...askedOf(set).filter(({ name }) => !renewed.includes(name)),
    ...added.value,
  ];
  const what = `${languageNames[language]}: ${askedWith(before)
    .map(({ text }) => text)
    .join(", ")}`;
  const about = { name: { language }, renewed, anew: added.value.length === 0, by };
  return await preparation.start(what, async (preparing) => {
    const asked = askedWith(await options.sets.get({ language }));
    return await build({ ...about, asked }, options, preparing);
  });
}

async function removePackages(
  preparation: RunningPreparation,
  options: PreparedOptions,
  { language, texts, by }: Change,
): Promise<Outcome<Preparation>> {
  const { sets } = options;
  const named = readPackages(language, texts);
  if (!named.ok) return refuse(400, named.reason);
  const before = await sets.get({ language });
  const there = askedOf(before);
  const unknown = named.value.find(({ name }) => there.every((each) => each.name !== name));
  if (unknown !== undefined || named.value.length === 0)
    return refuse(404, notAsked(language, there, unknown));
  const what = `${languageNames[language]} without ${texts.join(", ")}`;
  return await preparation.start(what, async (preparing) => {
    const present = askedOf(await sets.get({ language }));
    const asked = present.filter(({ name }) => named.value.every((each) => each.name !== name));
    const job = { name: { language }, asked, renewed: [], anew: false, by };
    if (asked.length > 0) return await build(job, options, preparing);
    preparing.ensureHeld();
    await sets.remove({ language });
    return `Nothing is prepared for ${languageNames[language]} any more.`;
  });
}

async function prepareSkill(
  preparation: RunningPreparation,
  options: PreparedOptions,
  skill: Skill,
  by: string,
): Promise<Outcome<Preparation>> {
  const id = skill.parent ?? skill.id;
  const listed = await listedPackages(skill);
  if (listed.length === 0)
    return refuse(
      409,
      `${id} lists no packages for its code. Packages are listed in a requirements.txt, or as dependencies in a package.json.`,
    );
  const wrong = listed.map(({ asked }) => (asked.ok ? undefined : asked.reason)).find(Boolean);
  if (wrong !== undefined) return refuse(409, `${wrong} Nothing was installed.`);
  return await preparation.start(`the skill ${id}`, async (preparing) => {
    const said: string[] = [];
    for (const each of listed) {
      const name = { language: each.language, skill: id };
      const asked = each.asked.ok ? each.asked.value : [];
      const job = { name, asked, renewed: [], anew: true, listed: each, by };
      said.push(await build(job, options, preparing));
    }
    return said.join(" ");
  });
}

async function missingOf(
  listed: ListedPackages,
  skill: Skill,
  { sets, runtimeOf }: PreparedOptions,
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

/** Builds a set in a folder of its own and makes it the one that code sees. Returns a summary for a person. @throws BuildRefusal */
async function build(
  { name, asked, renewed, anew, listed, by }: Job,
  options: PreparedOptions,
  { onLine, ensureHeld }: Preparing,
): Promise<string> {
  const { sets, sources, sandbox, runtimeOf } = options;
  const { language, skill } = name;
  const before = anew ? undefined : await sets.get(name);
  const runtime = await runtimeOf(language);
  // Pinned files are for one version of the language.
  const pins = before?.runtime === runtime ? before : undefined;
  const folder = await sets.makeBuild(name);
  try {
    const context = { sandbox, sources, onLine, signal: options.signal };
    const pinned = (pins?.packages ?? []).filter((each) => !renewed.includes(each.name));
    const made =
      language === "python"
        ? await preparePython(asked, pinned, folder, context)
        : await prepareNode(asked, { lock: pins?.lock, renewed }, folder, context);
    const bytes = await sealFolder(made.folder, sources.maxBytes);
    const set = {
      language,
      asked: asked.map(({ text }) => text),
      packages: made.packages,
      by,
      bytes,
      ...(skill === undefined || listed === undefined ? {} : { skill: { id: skill, listed: listed.hash } }),
      runtime: runtime ?? "unknown",
      prepared_at: options.now(),
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

function askedOf(set: StoredSet | undefined): AskedPackage[] {
  return (set?.asked ?? []).flatMap((text) => readPackage(set?.language ?? "python", text) ?? []);
}

function notAsked(language: PackageLanguage, there: readonly AskedPackage[], unknown?: AskedPackage): string {
  const list = there.map(({ name }) => name).join(", ");
  const had = list === "" ? "Nothing is prepared" : `There is: ${list}`;
  return `${unknown === undefined ? "Name packages to remove" : `${unknown.name} was not added`}. ${had} for ${languageNames[language]}.`;
}

async function shownSet(set: StoredSet, { runtimeOf }: PreparedOptions): Promise<PreparedSet> {
  const { language, skill, asked, packages, runtime, prepared_at, by, bytes } = set;
  const version = await runtimeOf(language);
  return {
    language,
    asked,
    runtime,
    prepared_at,
    by,
    bytes,
    ...(skill === undefined ? {} : { skill: skill.id }),
    packages: packages.map(({ name, version: of }) => ({ name, version: of })),
    ...(version === runtime ? {} : { problem: outdated(set, version) }),
  };
}

/** General sets first. */
function orderOf({ skill, language }: StoredSet): string {
  return `${skill === undefined ? 0 : 1} ${skill?.id ?? ""} ${language}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

import { hash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type PackageLanguage, packageLanguages } from "../core/skill/packages.ts";
import type { Skill } from "../core/skill/skill.ts";
import {
  type AskedPackages,
  pythonName,
  readDependencies,
  readRequirements,
} from "./prepare/package-names.ts";
import { skillFolder } from "./run/resolve-script.ts";

/** The packages that a skill's files list for one language. */
export interface ListedPackages {
  language: PackageLanguage;
  /** The file, relative to the skill's folder. */
  file: string;
  /** sha256 of the file, hex: a set prepared from another text does not count. */
  hash: string;
  asked: AskedPackages;
}

/** Possible files of a list; the first existing one counts. */
const listFiles: Readonly<Record<PackageLanguage, readonly string[]>> = {
  python: ["requirements.txt", "scripts/requirements.txt"],
  node: ["package.json", "scripts/package.json"],
};
const readers = { python: readRequirements, node: readDependencies };

/** Code that can use the listed packages, in addition to command lines. */
const codeOf: Readonly<Record<PackageLanguage, RegExp>> = { python: /\.py$/i, node: /\.[cm]?[jt]s$/i };

const maxList = 262_144;

/**
 * The packages that a skill's files list for its code; none if the skill has no code in that language, or the list is empty. Read from its
 * folder, in its present state.
 */
export async function listedPackages(skill: Skill): Promise<ListedPackages[]> {
  if (skill.code === undefined) return [];
  const folder = await skillFolder(skill.origin.path);
  if (folder === undefined) return [];
  const found = await Promise.all(packageLanguages.map((language) => listedFor(language, folder)));
  const listed = found.filter((each) => each !== undefined);
  if (listed.length === 0) return [];
  const paths = (await skill.files?.list())?.map(({ path }) => path) ?? [];
  const hasCode = ({ language }: ListedPackages) =>
    skill.code?.has_commands === true ||
    (language === "node" && skill.code?.runs === "tools") ||
    paths.some((path) => codeOf[language].test(path) && !path.includes("node_modules/"));
  return listed.filter(hasCode);
}

async function listedFor(language: PackageLanguage, folder: string): Promise<ListedPackages | undefined> {
  for (const file of listFiles[language]) {
    const text = await readSmall(join(folder, file));
    if (text === undefined) continue;
    const asked = readers[language](text);
    if (asked.ok && asked.value.length === 0) continue;
    return { language, file, hash: hash("sha256", text, "hex"), asked };
  }
  return undefined;
}

/** Links are not followed. */
async function readSmall(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = await file.stat();
    return size > maxList ? undefined : await file.readFile("utf8");
  } catch {
    return undefined;
  }
}

/** Whether all listed packages exist without being prepared: installed on the machine, or in the skill's own node_modules. */
export async function isThereAnyway({ language, asked }: ListedPackages, skill: Skill): Promise<boolean> {
  if (!asked.ok) return false;
  const there =
    language === "python"
      ? await pythonPackagesOfMachine()
      : new Set(((await skill.files?.list()) ?? []).flatMap(({ path }) => nodePackageOf(path) ?? []));
  return asked.value.every(({ name }) => there.has(name));
}

function nodePackageOf(path: string): string | undefined {
  return /^node_modules\/((?:@[^/]+\/)?[^/@]+)\/package\.json$/.exec(path)?.[1];
}

/** Packages of the system's Python, which the sandbox shows too, by the folders in which installers describe them. */
export async function pythonPackagesOfMachine(): Promise<Set<string>> {
  const libraries = ["/usr/lib", "/usr/lib64", "/usr/local/lib"];
  const versions = await Promise.all(
    libraries.map(async (library) =>
      (await entriesOf(library))
        .filter((name) => /^python3(\.\d+)?$/.test(name))
        .flatMap((name) => [join(library, name, "dist-packages"), join(library, name, "site-packages")]),
    ),
  );
  const names = await Promise.all(versions.flat().map(entriesOf));
  return new Set(
    names.flat().flatMap((name) => {
      const [, found] = /^([A-Za-z0-9._]+?)(?:-[^/]*)?\.(?:dist|egg)-info$/.exec(name) ?? [];
      return found === undefined ? [] : [pythonName(found)];
    }),
  );
}

async function entriesOf(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

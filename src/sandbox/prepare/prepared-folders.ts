import type { CodeMeans } from "../../core/ports/work-means.ts";
import { languageNames, type PackageLanguage, packageLanguages } from "../../core/skill/packages.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { PackageFolders } from "../isolation.ts";
import { type ListedPackages, listedPackages } from "../skill-packages.ts";
import { readPackage } from "./package-names.ts";
import type { PreparedSets, StoredSet } from "./prepared-sets.ts";

/** The prepared packages that a run of code sees. */
export interface PreparedFolders {
  /**
   * The packages for code of a skill, or for other code. If packages were prepared from a skill's list for a language, they replace the
   * general set of that language. They stay for a day, whatever is prepared meanwhile.
   */
  packagesFor(skill?: Skill): Promise<PackageFolders>;
  /** The general packages in words, for `CodeMeans`. */
  means(): Promise<CodeMeans["packages"]>;
}

/** Maximum package names that are listed. */
const maxNamed = 40;

export function createPreparedFolders(
  sets: PreparedSets,
  fits: (set: StoredSet) => Promise<boolean>,
): PreparedFolders {
  const usable = async (language: PackageLanguage, skill?: string) => {
    const set = await sets.get({ language, skill });
    return set !== undefined && (await fits(set)) ? set : undefined;
  };
  return {
    async packagesFor(skill) {
      const listed = skill === undefined ? [] : await listedPackages(skill);
      const chosen = await Promise.all(
        packageLanguages.map(async (language) => {
          const own = listed.find((each) => each.language === language);
          const id = skill?.parent ?? skill?.id;
          const ofSkill = own && (await usable(language, id));
          return isPreparedFrom(ofSkill, own) ? ofSkill : await usable(language);
        }),
      );
      const found = chosen.filter((set) => set !== undefined);
      return Object.fromEntries(found.map(({ language, folder }) => [language, folder]));
    },
    async means() {
      const [python, node] = await Promise.all(packageLanguages.map((language) => usable(language)));
      return {
        ...(python === undefined ? {} : { python: inWords(python) }),
        ...(node === undefined ? {} : { javascript: inWords(node) }),
      };
    },
  };
}

/** Whether a set was prepared from the present list of a skill. */
export function isPreparedFrom(set: StoredSet | undefined, listed: ListedPackages | undefined): boolean {
  return set !== undefined && listed !== undefined && set.skill?.listed === listed.hash;
}

/** Requested packages by name and version; the others are counted. */
function inWords({ language, asked, packages }: StoredSet): string[] {
  const names = new Set(asked.map((text) => readPackage(language, text)?.name));
  const named = packages.filter(({ name }) => names.has(name)).slice(0, maxNamed);
  const others = packages.length - named.length;
  return [
    ...named.map(({ name, version }) => `${name} ${version}`),
    ...(others === 0 ? [] : [`${others} ${others === 1 ? "dependency" : "dependencies"} of these`]),
  ];
}

/** Why a set cannot be used, for people. */
export function outdated({ language, runtime, skill }: StoredSet, version: string | undefined): string {
  const name = languageNames[language];
  const cure = skill === undefined ? `knack sandbox add ${language}` : `knack sandbox prepare ${skill.id}`;
  const now = version === undefined ? `${name} is gone` : `it is ${name} ${version} now`;
  return `It was prepared for ${name} ${runtime}, and ${now}: no code sees it. Prepare it again with \`${cure}\`.`;
}

import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { errorCode } from "../base/error-text.ts";
import { sharedRun } from "../base/shared-run.ts";
import { type Diagnostic, defect, type LoadedSkills, type SkillSource } from "../core/skill/skill.ts";
import { DirectoryListings } from "./directory-listings.ts";
import { discoverSkills } from "./discover.ts";
import { type CurrentFolder, FolderCache, type SearchedFolder } from "./folder-cache.ts";
import { Pace } from "./pace.ts";
import { isSameProblems } from "./scan-folder.ts";

/**
 * The skills below a folder. Every `load` sees every file that was changed, added or removed before the call; if there was no change, it
 * returns the same object as before.
 */
export function createFolderSource(searched: SearchedFolder): SkillSource {
  const listings = new DirectoryListings();
  const cache = new FolderCache(searched, listings);
  let latest: LoadedSkills = { skills: [], diagnostics: [] };

  async function refresh(): Promise<LoadedSkills> {
    const root = findRoot(searched);
    if (typeof root !== "string") return settle({ skills: [], diagnostics: root });
    const pace = new Pace();
    listings.beginRound();
    const { formats = [], linkFolders = [] } = searched;
    const where = { root, listings, formats, linkFolders: linkFolders.flatMap(realFolder) };
    const { folders, diagnostics } = await discoverSkills(where, pace);
    const current: CurrentFolder[] = [];
    for (const folder of folders) {
      await pace.keep();
      current.push(await cache.current(folder, folder.root ?? root, pace));
    }
    cache.keep(folders);
    return settle(assemble(current, diagnostics));
  }

  function settle(next: LoadedSkills): LoadedSkills {
    const { skills } = latest;
    const isSame =
      skills.length === next.skills.length && skills.every((skill, at) => skill === next.skills[at]);
    if (!isSame || !isSameProblems(latest.diagnostics, next.diagnostics)) latest = next;
    return latest;
  }

  return { id: `${searched.source}:${searched.root}`, load: sharedRun(refresh) };
}

/** Empty if it is missing. */
function realFolder(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}

function findRoot({ root, mustExist = false }: SearchedFolder): string | Diagnostic[] {
  try {
    const real = realpathSync.native(root);
    if (statSync(real).isDirectory()) return real;
    return [defect(root, "not_a_folder", "Skills are expected in a folder; this is none.")];
  } catch (error) {
    const reason = errorCode(error) ?? "unknown error";
    if (reason === "ENOENT" && !mustExist) return [];
    const [code, message] =
      reason === "ENOENT"
        ? [
            "missing_folder",
            "The skill folder does not exist. Create it, or correct the setting that names it.",
          ]
        : ["unreadable", `The skill folder cannot be read (${reason}). Check its permissions.`];
    return [defect(root, code, message)];
  }
}

/** The first folder by path keeps an id; later ones are reported. */
function assemble(current: readonly CurrentFolder[], found: readonly Diagnostic[]): LoadedSkills {
  const diagnostics = [...found];
  const owners = new Map<string, string>();
  const skills = current.flatMap(({ scan, loaded }) => {
    diagnostics.push(...scan.diagnostics, ...loaded.diagnostics);
    const [skill] = loaded.skills;
    if (skill === undefined) return [];
    const owner = owners.get(skill.id);
    if (owner === undefined) {
      owners.set(skill.id, skill.origin.path);
      return loaded.skills;
    }
    const message = `Its id ${skill.id} is taken by ${path.basename(owner)} (${owner}); it is left out. Give it another name.`;
    diagnostics.push(defect(skill.origin.path, "duplicate_id", message));
    return [];
  });
  return { skills, diagnostics };
}

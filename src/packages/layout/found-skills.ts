import { rm } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import type { LoadedSkills, Skill } from "../../core/skill/skill.ts";
import type { FetchedPackage } from "../fetch/fetch-package.ts";
import type { ListedPackage } from "../fetch/listed-package.ts";
import type { PackageFile } from "../package-tree.ts";
import { writeFiles } from "../staging.ts";
import { type LayOutReport, leaveOut, whyNot } from "./layout-report.ts";
import { fold } from "./skill-names.ts";
import type { SkillPlace } from "./skill-places.ts";

/** Loads the skills below a folder as the catalogue does, without importing or running any of their code. */
export type InspectFolder = (folder: string) => Promise<LoadedSkills>;

/** A skill of a package, as its documents alone describe it. */
export interface FoundSkill {
  place: SkillPlace;
  skill: Skill;
  /** Of a flow: the name of its file. */
  flowFile?: string | undefined;
}

/** Skills whose documents are loaded together. */
const batch = 500;

interface DocumentsRequest {
  fetched: FetchedPackage;
  /** A folder for this change. */
  change: string;
  inspect: InspectFolder;
  listed: ListedPackage;
  places: readonly SkillPlace[];
}

/** Reads the documents of the skills, and only these. Of several skills with one id, the first counts. */
export async function readDocuments(request: DocumentsRequest, report: LayOutReport): Promise<FoundSkill[]> {
  const { fetched, listed, places } = request;
  const sources = new Map(places.map((place) => [place, documentsOf(place, listed)]));
  const wanted = new Set([...sources.values()].flatMap((documents) => documents.map(({ from }) => from)));
  const { files } = await fetched.read((path) => wanted.has(path));
  const read = new Map(files.map((file) => [file.path, file]));
  const found: FoundSkill[] = [];
  for (let at = 0; at < places.length; at += batch) {
    const some = places.slice(at, at + batch).map((place) => ({
      place,
      files: (sources.get(place) ?? []).flatMap(({ path, from }): PackageFile[] => {
        const file = read.get(from);
        return file === undefined ? [] : [{ ...file, path }];
      }),
    }));
    found.push(...(await inspectTogether(request, some, report)));
  }
  return withoutTwins(found, report);
}

function documentsOf({ folder, documents }: SkillPlace, listed: ListedPackage) {
  return documents.map((path) => ({
    path,
    from: listed.sourceOf(folder === "" ? path : `${folder}/${path}`),
  }));
}

interface Documents {
  place: SkillPlace;
  files: readonly PackageFile[];
}

async function inspectTogether(
  { fetched, change, inspect }: DocumentsRequest,
  some: readonly Documents[],
  report: LayOutReport,
): Promise<FoundSkill[]> {
  const root = join(change, "documents");
  // Flows are found in the root alone.
  const folderOf = (at: number) => (fetched.isFlow ? root : join(root, String(at).padStart(4, "0")));
  for (const [at, { place, files }] of some.entries()) {
    // A file of another format may have the name of a hidden folder, in which no skill is looked for.
    const name = basename(place.folder).replace(/^\.+/, "") || fetched.name;
    await writeFiles(fetched.isFlow ? root : join(folderOf(at), name), files);
  }
  const together = await inspect(root);
  const found: FoundSkill[] = [];
  for (const [at, { place, files }] of some.entries()) {
    const own = below(together, folderOf(at));
    // The loader gives an id to one skill only: the others are loaded by themselves.
    const isTwin = own.diagnostics.some(({ code }) => code === "duplicate_id");
    const { skills, diagnostics } = isTwin ? await inspect(folderOf(at)) : own;
    const [skill] = skills;
    // A document of another format that says nothing is told of there.
    if (files.length === 0) continue;
    if (skill === undefined) leaveOut(report, place.folder, whyNot(diagnostics));
    else found.push({ place, skill, flowFile: fetched.isFlow ? files[0]?.path : undefined });
  }
  await rm(root, { recursive: true, force: true });
  return found;
}

function below({ skills, diagnostics }: LoadedSkills, folder: string): LoadedSkills {
  const isBelow = (path: string) => path === folder || path.startsWith(`${folder}${sep}`);
  return {
    skills: skills.filter(({ origin }) => isBelow(origin.path)),
    diagnostics: diagnostics.filter(({ path }) => isBelow(path)),
  };
}

function withoutTwins(found: readonly FoundSkill[], report: LayOutReport): FoundSkill[] {
  const owners = new Map<string, FoundSkill>();
  for (const each of found) {
    const key = fold(each.skill.id);
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, each);
    else {
      const message = `Its id ${each.skill.id} is that of the skill in ${owner.place.folder || "the package itself"}, which is taken. Install this folder by itself to get this one.`;
      leaveOut(report, each.place.folder, { code: "duplicate_skill", message });
    }
  }
  return [...owners.values()];
}

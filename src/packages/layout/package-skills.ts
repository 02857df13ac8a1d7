import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { skillDocument } from "../../base/skill-places.ts";
import type { LeftOut, PackageChoice } from "../../core/skill/packages.ts";
import type { Diagnostic, Skill } from "../../core/skill/skill.ts";
import { contentKind } from "../archive-kind.ts";
import type { FetchedPackage } from "../fetch/fetch-package.ts";
import { isWithin, ListedPackage, parentOf, type ShownFile } from "../fetch/listed-package.ts";
import { type AdaptedPackage, adaptPackage } from "../formats/adapted-package.ts";
import type { PackageLimits } from "../package-limits.ts";
import { PackageRefusal, refusedSkill, shownName } from "../package-refusal.ts";
import { type PackageFile, tooMany, tooMuchAtOnce } from "../package-tree.ts";
import { writeFiles } from "../staging.ts";
import { treeHash } from "../tree-hash.ts";
import { ChooseSkills } from "./choose-skills.ts";
import { type FoundSkill, type InspectFolder, readDocuments } from "./found-skills.ts";
import { type LayOutReport, leaveOut, whyNot } from "./layout-report.ts";
import { pluginFiles } from "./plugin-files.ts";
import { renamedDocument } from "./renamed-document.ts";
import { fold, type InstalledName, installedName, type KnownNames } from "./skill-names.ts";
import { findSkillPlaces, unusedFiles } from "./skill-places.ts";

/** A folder or file of a package that becomes an installed one. */
export interface PackageUnit {
  place: "skills" | "flows";
  /** The name it is installed under. */
  name: string;
  /** Its present location, ready to be moved. */
  path: string;
  tree: string;
  skills: Skill[];
}

export interface PackageSkills {
  units: PackageUnit[];
  /** What the loaders report about the units. */
  diagnostics: readonly Diagnostic[];
  leftOut: readonly LeftOut[];
}

export interface LayOutRequest {
  fetched: FetchedPackage;
  /** A folder for this change. */
  change: string;
  inspect: InspectFolder;
  names: KnownNames;
  choice: PackageChoice;
  /** Whether skills of `choice.only` may be missing, even all of them. */
  tolerant?: boolean | undefined;
  limits: PackageLimits;
}

type NamedSkill = FoundSkill & { name: Extract<InstalledName, { ok: true }> };

/**
 * Lists a package, finds the skills in it, and lays each out in `change/ready` as it would be installed; only the files of the chosen ones
 * are read. The result was loaded from there: id and hash are those the catalogue will see. A skill that cannot be installed is left out,
 * and keeps no other from being installed.
 * @throws PackageRefusal if none remains, with the first reason.
 */
export async function layOutSkills(given: LayOutRequest): Promise<PackageSkills> {
  const fetched = await adaptPackage(given.fetched);
  const request = { ...given, fetched };
  const { choice, limits, tolerant = false } = request;
  const report: LayOutReport = { leftOut: [], diagnostics: [], called: new Set() };
  const listed = new ListedPackage(fetched.listing);
  const { places, unsearched } = findSkillPlaces(listed, fetched);
  for (const { path, refusal } of fetched.listing.defects) {
    const isSkill = skillDocument([basename(path)]) !== undefined && isWithin(path, fetched.within ?? "");
    if (isSkill && !places.some(({ folder }) => isWithin(path, folder)))
      leaveOut(report, parentOf(path), refusal);
  }
  const { only, most = limits.skills } = choice;
  if (only === undefined && places.length > limits.skills) throw ChooseSkills.among(places, limits.skills);
  const found =
    choice.only === undefined
      ? withoutByName(await readDocuments({ ...request, listed, places }, report), fetched, report)
      : await readDocuments({ ...request, listed, places }, report);
  if (only === undefined && found.length > most) throw new ChooseSkills(found);
  const chosen = await chooseSkills(request, found, report);
  const units = await layOut(request, chosen, listed, report);
  report.leftOut.push(...fetched.leftOut());
  if (units.length === 0 && !tolerant) throw noSkill(report);
  const leftOut = [...report.leftOut, ...unsearched, ...unusedFiles(listed, fetched, places, report.called)];
  return { units, diagnostics: report.diagnostics, leftOut };
}

/** Leaves out what is installed only by its name, unless there is nothing else. */
function withoutByName(
  found: readonly FoundSkill[],
  fetched: AdaptedPackage,
  report: LayOutReport,
): readonly FoundSkill[] {
  const others = found.filter(({ place }) => fetched.byName(place.folder) === undefined);
  if (others.length === 0) return found;
  for (const { place, skill } of found) {
    const format = fetched.byName(place.folder);
    if (format === undefined) continue;
    const [one = ""] = format.title;
    const message = `It holds ${one}. Ask for ${skill.id} by its name to install it too (--only ${skill.id}).`;
    leaveOut(report, place.folder, { code: format.id, message });
  }
  return others;
}

function noSkill({ leftOut, refusal }: LayOutReport): PackageRefusal {
  if (refusal !== undefined) return refusal;
  const reasons = leftOut.slice(0, 3).map(({ message }) => message);
  const why = reasons.length === 0 ? "It holds no SKILL.md, plugin.json or flow." : reasons.join(" ");
  const message = `There is no skill in it that can be loaded. ${why} Nothing was installed.`;
  return new PackageRefusal("no_skill", message);
}

/** The wanted skills with their names. @throws PackageRefusal if there is none of a wanted name. */
async function chooseSkills(
  { choice: { only }, names, tolerant = false }: LayOutRequest,
  found: readonly FoundSkill[],
  report: LayOutReport,
): Promise<NamedSkill[]> {
  const wanted = only?.map(fold);
  const chosen: NamedSkill[] = [];
  const seen = new Set<string>();
  for (const each of found) {
    const id = fold(each.skill.id);
    // A wanted name may be that of the owner and its own.
    if (wanted?.every((name) => !name.endsWith(id))) continue;
    const name = await installedName(each.skill.id, names, each.flowFile);
    const ids = name.ok ? [id, fold(name.id)] : [id];
    if (wanted?.every((one) => !ids.includes(one))) continue;
    for (const one of ids) seen.add(one);
    if (name.ok) chosen.push({ ...each, name });
    else leaveOut(report, each.place.folder, name.refusal);
  }
  const missing = (only ?? []).filter((one) => !seen.has(fold(one)));
  if (missing.length > 0 && !tolerant) throw ChooseSkills.missing(missing, found);
  return chosen;
}

/** Writes the files of the skills, and loads them. */
async function layOut(
  { fetched, change, inspect, limits }: LayOutRequest & { fetched: AdaptedPackage },
  chosen: readonly NamedSkill[],
  listed: ListedPackage,
  report: LayOutReport,
): Promise<PackageUnit[]> {
  const sound = chosen.flatMap((skill) => {
    const shown = listed.folder(skill.place.folder, limits.files);
    const { defects, brokenLinks } = shown;
    const called = calledFiles(skill, shown.files, fetched, listed);
    const files = [...shown.files, ...called.files];
    for (const { path } of called.files)
      report.called.add([fetched.pluginOf(skill.place.folder), path].filter(Boolean).join("/"));
    const isOver = files.length + brokenLinks.length > limits.files;
    const refusal = defects[0]?.refusal ?? (isOver ? tooMany(limits.files, "file") : tooLarge(files, limits));
    if (refusal !== undefined) leaveOut(report, skill.place.folder, refusal);
    return refusal === undefined ? [{ skill, files, brokenLinks, missing: called.missing }] : [];
  });
  const wanted = new Set(sound.flatMap(({ files }) => files.map(({ from }) => from)));
  const read = new Map(
    (await fetched.read((path) => wanted.has(path))).files.map((file) => [file.path, file]),
  );
  const ready = join(change, "ready");
  let bytes = 0;
  for (const { skill, files, ...absent } of sound) {
    const { name, place } = skill;
    const own = files.map((file) => readFile(file, read));
    // Through links a file is written many times.
    for (const { data } of own) bytes += data.length;
    if (bytes > limits.unpacked_bytes) throw tooMuchAtOnce(limits);
    const written = name.why === undefined ? own : renamedDocument(own, place.documents[0] ?? "", name.id);
    const folder = targetOf(ready, skill);
    await writeFiles(skill.flowFile === undefined ? folder : join(folder, ".."), fileAs(skill, written));
    report.diagnostics.push(...remarks(folder, skill, written, absent, fetched.remarkOf(place.folder)));
  }
  return await loadedUnits(
    ready,
    inspect,
    sound.map(({ skill }) => skill),
    report,
  );
}

/** The files of the plugin around a skill that its guide calls. */
function calledFiles(
  { place: { folder }, skill: { instructions } }: NamedSkill,
  files: readonly ShownFile[],
  fetched: AdaptedPackage,
  listed: ListedPackage,
): ReturnType<typeof pluginFiles> {
  const plugin = fetched.pluginOf(folder);
  const own = files.map(({ path }) => path);
  return plugin === undefined
    ? { files: [], missing: [] }
    : pluginFiles(instructions, { plugin, own }, listed);
}

/** The refusal of a skill that alone is too large, as far as its files' sizes are known before they are read. */
function tooLarge(
  files: readonly ShownFile[],
  { unpacked_bytes }: PackageLimits,
): PackageRefusal | undefined {
  const [largest] = files.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  if (largest === undefined || bytes <= unpacked_bytes) return undefined;
  const fact = `Its files are over ${unpacked_bytes / 1_000_000} MB; the largest is ${shownName(largest.path)}.`;
  return refusedSkill("too_large", fact, "remove what the skill does not need.");
}

function targetOf(ready: string, { flowFile, name }: NamedSkill): string {
  return join(ready, flowFile === undefined ? "skills" : "flows", name.file);
}

function fileAs({ flowFile, name }: NamedSkill, files: readonly PackageFile[]): readonly PackageFile[] {
  return flowFile === undefined ? files : files.map((file) => ({ ...file, path: name.file }));
}

/** @throws PackageRefusal for a file that vanished after it was listed */
function readFile({ path, from }: ShownFile, read: ReadonlyMap<string, PackageFile>): PackageFile {
  const file = read.get(from);
  if (file !== undefined) return { ...file, path };
  const message = `${from} changed while it was read. Nothing was installed; try again.`;
  throw new PackageRefusal("unreadable", message);
}

/** Documents that are ZIP files inside; the review names them. */
const packedDocuments = /\.(?:docx|xlsx|pptx|dotx|xltx|potx|odt|ods|odp|odg|epub)$/i;

/** What a person should know about a skill besides its review. */
function remarks(
  folder: string,
  { name }: NamedSkill,
  files: readonly PackageFile[],
  { brokenLinks, missing }: { brokenLinks: readonly string[]; missing: readonly string[] },
  former: ReturnType<AdaptedPackage["remarkOf"]>,
): Diagnostic[] {
  const remark = (path: string, code: string, message: string): Diagnostic => ({
    ...{ path: join(folder, path), severity: "warning", code, message },
  });
  const archives = files.filter(({ path, data }) => isArchive(data) && !packedDocuments.test(path));
  return [
    ...(name.why === undefined ? [] : [remark("", "renamed", name.why)]),
    ...(former === undefined ? [] : [remark("", former.code, former.message)]),
    ...archives.map(({ path }) =>
      remark(path, "nested_archive", `${path} is an archive. It is data of the skill, and was not reviewed.`),
    ),
    ...missing.map((path) =>
      remark("", "missing_file", `Its guide calls ${path} of its plugin, which is not there.`),
    ),
    ...brokenLinks.map((path) =>
      remark(path, "broken_link", `${path} is a link that leads to no file, and is left out.`),
    ),
  ];
}

function isArchive(data: Buffer): boolean {
  return ["zip", "gzip", "tar", "other_archive"].includes(contentKind(data));
}

async function loadedUnits(
  ready: string,
  inspect: InspectFolder,
  laidOut: readonly NamedSkill[],
  report: LayOutReport,
): Promise<PackageUnit[]> {
  const units: PackageUnit[] = [];
  for (const place of ["skills", "flows"] as const) {
    const there = laidOut.filter(({ flowFile }) => (flowFile === undefined ? "skills" : "flows") === place);
    if (there.length === 0) continue;
    const { skills, diagnostics } = await inspect(join(ready, place));
    const roots = new Map(
      skills.flatMap((skill) => (skill.parent === undefined ? [[basename(skill.origin.path), skill]] : [])),
    );
    for (const named of there) {
      const { file, id } = named.name;
      const path = targetOf(ready, named);
      const skill = roots.get(file);
      const own = diagnostics.filter((each) => each.path === path || each.path.startsWith(`${path}/`));
      if (skill?.id === id) {
        report.diagnostics.push(...own);
        units.push({ place, name: file, path, skills: [skill], tree: await treeHash(path) });
        continue;
      }
      await rm(path, { recursive: true });
      leaveOut(report, named.place.folder, skill === undefined ? whyNot(own) : otherName(id, skill.id));
    }
  }
  return units;
}

function otherName(expected: string, id: string) {
  const message = `Its name ${expected} is ${id} once it is installed. Give it a name of its own in its file.`;
  return { code: "unclear_name", message };
}

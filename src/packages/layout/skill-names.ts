import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ownToolNames } from "../../core/skill/offered-tools.ts";
import { isInstalled, type Skill } from "../../core/skill/skill.ts";
import { toToolName } from "../../core/skill/skill-identifier.ts";
import type { PackageFolders } from "../change-journal.ts";
import { ownerOf } from "../fetch/package-address.ts";
import { type PackageRefusal, refusedSkill } from "../package-refusal.ts";
import type { KnownSource, PackageRegister, RegisterIndex } from "../package-register.ts";

/** What is there already when skills of a package get their names. */
export interface KnownNames {
  shipped: readonly Skill[];
  index: RegisterIndex;
  register: PackageRegister;
  folders: PackageFolders;
  /** A skill of the catalogue. */
  find(skillId: string): Promise<Skill | undefined>;
  /** Where the package comes from. */
  source: KnownSource;
}

/** The name that a skill of a package is installed under. */
export type InstalledName =
  | {
      ok: true;
      id: string;
      /** Of its folder or file. */
      file: string;
      /** Why the id is not its own, for a person. */
      why?: string;
    }
  | { ok: false; refusal: PackageRefusal };

/**
 * The name for a skill whose own id is `id`: that id, or `OWNER-ID` if it is taken by a skill that ships, by one of its tools or of the
 * agent's own, by a skill of another source or of another owner. An installed skill keeps its name. `flowFile`: the name of a flow's file.
 */
export async function installedName(
  id: string,
  known: KnownNames,
  flowFile?: string,
): Promise<InstalledName> {
  const other = `${ownerOf(known.source) ?? "local"}-${id}`;
  const renamed = flowFile === undefined ? other : other.replace(/[^\p{L}\p{N}]+/gu, "_");
  const keeps = await isFromHere(renamed, known);
  const taken = keeps ? "another skill when it was first installed" : await takenBy(id, known);
  const name = taken === undefined ? id : renamed;
  const ownFile = flowFile === undefined || taken !== undefined ? undefined : flowFile;
  const file = ownFile ?? (flowFile === undefined ? folderName(name) : `${folderName(name)}.json`);
  const refusal =
    refusedByCase(name, known) ??
    (taken === undefined || keeps ? undefined : refusedAgain(id, name, await takenBy(name, known))) ??
    refusedPlace(name, file, flowFile === undefined ? "skills" : "flows", known);
  if (refusal !== undefined) return { ok: false, refusal };
  if (taken === undefined) return { ok: true, id, file };
  return { ok: true, id: name, file, why: `It is called ${id}, as ${taken}; it is installed as ${name}.` };
}

/** Whether the skill of this name was installed from the same place or owner. */
async function isFromHere(id: string, { register, source }: KnownNames): Promise<boolean> {
  const before = await register.find(id);
  if (before === undefined) return false;
  const owner = ownerOf(source);
  if (owner !== undefined) return ownerOf(before.source) === owner;
  return JSON.stringify(before.source) === JSON.stringify(source);
}

/** Who has the id, in words; undefined if it is free, or has an installed skill that this one replaces. */
async function takenBy(
  id: string,
  { shipped, find, register, source }: KnownNames,
): Promise<string | undefined> {
  if (shipped.some((skill) => fold(skill.id) === fold(id))) return "a skill that ships with the bot";
  const owner = ownerOfTool(id, shipped);
  if (owner !== undefined) return `a tool of ${owner}`;
  const there = await find(id);
  if (there?.kind === "mcp") return "the skill of a tool server";
  if (there !== undefined && !isInstalled(there)) return `a skill in ${there.origin.path}`;
  const before = await register.find(id);
  const owners = [before && ownerOf(before.source), ownerOf(source)];
  return owners[0] === undefined || owners[1] === undefined || owners[0] === owners[1]
    ? undefined
    : `an installed skill of ${owners[0]}`;
}

/** The owner of a tool that an installed skill of this id could be mistaken for, in words for a person. */
function ownerOfTool(id: string, shipped: readonly Skill[]): string | undefined {
  const named = (tool: string) => fold(tool) === fold(id) || fold(tool) === fold(toToolName(id));
  if ([...ownToolNames].some(named)) return "the bot itself";
  const owner = shipped.find(({ tools }) =>
    tools.some(({ name, skill_id }) => named(name) || named(toToolName(skill_id))),
  );
  return owner && `${owner.id}, which ships with the bot`;
}

function refusedByCase(id: string, { index }: KnownNames): PackageRefusal | undefined {
  const rival = Object.keys(index).find((other) => other !== id && fold(other) === fold(id));
  if (rival === undefined) return undefined;
  const fact = `Its id ${id} differs from the installed ${rival} only by case or by how a letter is written.`;
  return refusedSkill("names_differ_by_case", fact, `remove ${rival} first, or rename this one.`);
}

function refusedAgain(id: string, other: string, taken: string | undefined): PackageRefusal | undefined {
  if (taken === undefined) return undefined;
  const fact = `Its id ${id} is taken, and so is ${other}, by ${taken}.`;
  return refusedSkill("taken_id", fact, "rename one of them, or remove the other first.");
}

/** A folder is replaced only by the skill in it. */
function refusedPlace(
  id: string,
  file: string,
  place: "skills" | "flows",
  { index, folders }: KnownNames,
): PackageRefusal | undefined {
  const owners = Object.keys(index).filter(
    (each) => index[each]?.place === place && index[each].name === file,
  );
  if (owners.includes(id)) return undefined;
  const target = join(folders[place], file);
  if (owners.length > 0) {
    const fact = `The place of ${file} is taken by the installed skill ${owners.join(", ")}.`;
    return refusedSkill("name_taken", fact, "remove that one first, or rename this one.");
  }
  if (!existsSync(target)) return undefined;
  const fact = `${target} is there already and was not installed by the bot.`;
  return refusedSkill("name_taken", fact, "move it away first.");
}

/** An id in the form in which two of them count as the same. */
export function fold(id: string): string {
  return id.normalize("NFKC").toUpperCase().toLowerCase();
}

/** A folder name for an id: the id itself if every file system can store it. */
function folderName(id: string): string {
  if (/^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,60}[\p{L}\p{N}_-])?$/u.test(id)) return id;
  const readable = id.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return `${readable}-${hash("sha256", id, "hex").slice(0, 8)}`;
}

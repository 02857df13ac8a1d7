import { errorText } from "../../base/error-text.ts";
import type { CreateTextIndex, TextIndex } from "../ports/text-index.ts";
import { unknownServerTools } from "./server-tools.ts";
import type { Diagnostic, LoadedSkills, Skill, SkillSource } from "./skill.ts";

/** All skills of all sources, resolved by precedence: a snapshot that never changes. */
export interface Catalogue {
  /** By id, parts (`parent#child`) included. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly diagnostics: readonly Diagnostic[];
  /** Skills that fit the words of a query, best first. Parts are found through their parent. */
  search(query: string): Skill[];
}

export interface CatalogueLoader {
  /** The catalogue as the sources are now; the same object as before when nothing changed. */
  current(): Promise<Catalogue>;
}

/**
 * Resolves sources into a catalogue. The higher precedence replaces a skill of the same id whole, parts included, and the
 * shadowed one is reported. A source that fails becomes a diagnostic and never hides the others.
 */
export function createCatalogueLoader(
  sources: readonly SkillSource[],
  createIndex: CreateTextIndex,
): CatalogueLoader {
  let latest: { loaded: LoadedSkills[]; catalogue: Catalogue } | undefined;
  return {
    async current() {
      const loaded = await Promise.all(sources.map(loadSafely));
      const before = latest?.loaded;
      if (latest !== undefined && before !== undefined && loaded.every((result, i) => result === before[i])) {
        return latest.catalogue;
      }
      latest = { loaded, catalogue: resolve(loaded, createIndex) };
      return latest.catalogue;
    },
  };
}

async function loadSafely(source: SkillSource): Promise<LoadedSkills> {
  try {
    return await source.load();
  } catch (error) {
    const message = `The source failed to load: ${errorText(error)}`;
    return {
      skills: [],
      diagnostics: [{ path: source.id, severity: "error", code: "source_failed", message }],
    };
  }
}

function resolve(loaded: readonly LoadedSkills[], createIndex: CreateTextIndex): Catalogue {
  const diagnostics = loaded.flatMap((result) => result.diagnostics);
  const roots = new Map<string, Skill>();
  const all = loaded.flatMap((result) => result.skills);
  for (const skill of all) {
    if (skill.parent !== undefined) continue;
    const rival = roots.get(skill.id);
    if (rival === undefined || skill.origin.precedence >= rival.origin.precedence) roots.set(skill.id, skill);
    if (rival !== undefined) diagnostics.push(shadowed(rival, skill));
  }
  const skills = new Map(roots);
  for (const part of all) {
    const parent = part.parent === undefined ? undefined : roots.get(part.parent);
    if (parent?.origin === part.origin || parent?.origin.path === part.origin.path) skills.set(part.id, part);
  }
  for (const skill of roots.values()) diagnostics.push(...unknownServerTools(skill, roots));
  return withSearch(skills, diagnostics, createIndex);
}

function shadowed(first: Skill, second: Skill): Diagnostic {
  const [loser, winner] =
    second.origin.precedence >= first.origin.precedence ? [first, second] : [second, first];
  return {
    path: loser.origin.path,
    severity: "info",
    code: "shadowed",
    message: `Skill ${loser.id} (${loser.origin.source}) is replaced by the one in ${winner.origin.path} (${winner.origin.source}).`,
  };
}

function withSearch(
  skills: ReadonlyMap<string, Skill>,
  diagnostics: readonly Diagnostic[],
  createIndex: CreateTextIndex,
): Catalogue {
  let index: TextIndex | undefined;
  return {
    skills,
    diagnostics,
    search(query) {
      index ??= createIndex(
        [...skills.values()].filter((skill) => skill.parent === undefined).map(searchable),
      );
      return index.search(query).flatMap(({ id }) => skills.get(id) ?? []);
    },
  };
}

function searchable(skill: Skill) {
  const prompts = skill.examples.map((example) => example.prompt);
  const parts = skill.tools.map((tool) => tool.description);
  const text = [skill.description, skill.category, ...skill.tags, ...prompts, ...parts].join("\n");
  return { id: skill.id, name: `${skill.id} ${skill.name}`, text };
}

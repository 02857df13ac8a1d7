import { errorText } from "../../base/error-text.ts";
import { nearestNames } from "../../base/text/nearest-name.ts";
import type { CreateTextIndex, TextIndex } from "../ports/storage.ts";
import { type Diagnostic, type LoadedSkills, promptOf, type Skill, type SkillSource } from "./skill.ts";
import { toToolName } from "./skill-identifier.ts";
import type { Tool } from "./tool.ts";

/** All skills of all sources, resolved by precedence: an immutable snapshot. */
export interface Catalogue {
  /** By id, including parts (`parent#child`). */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly diagnostics: readonly Diagnostic[];
  /** Skills that match the words of a query, best first. Parts are found through their parent. */
  search(query: string): Skill[];
  /** Tools of servers, as the parts of their skills, that match the words of a query, best first. */
  searchTools(query: string): Skill[];
}

export interface CatalogueLoader {
  /** The catalogue for the current content of the sources; the same object as before if nothing has changed. */
  current(): Promise<Catalogue>;
}

/**
 * Resolves sources into a catalogue. The skill with the higher precedence completely replaces a skill with the same id, including its
 * parts, and the replaced skill is reported. A source that fails becomes a diagnostic and does not hide the others.
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
  const searchIn = (isMeant: (skill: Skill) => boolean) => {
    let index: TextIndex | undefined;
    return (query: string) => {
      if (index === undefined) {
        index = createIndex();
        index.add([...skills.values()].filter(isMeant).map(searchable));
      }
      return index.search(query).flatMap(({ id }) => skills.get(id) ?? []);
    };
  };
  return {
    skills,
    diagnostics,
    search: searchIn(({ parent }) => parent === undefined),
    searchTools: searchIn(({ parent, kind }) => parent !== undefined && kind === "mcp"),
  };
}

function searchable(skill: Skill) {
  const prompts = skill.examples.map(promptOf);
  const parts = skill.tools.map((tool) => tool.description);
  const text = [skill.description, skill.category, ...skill.tags, ...prompts, ...parts].join("\n");
  return { id: skill.id, name: `${skill.id} ${skill.name}`, text };
}

/** Id of a tool server's skill. The prefix keeps a server called `memory` from replacing the skill of that name. */
export function serverSkillId(server: string): string {
  return `mcp_${server.replace(/[^A-Za-z0-9_.-]+/g, "-")}`;
}

/** A server tool's name for models: `server__tool`, as in other agents. */
export function serverToolName(server: string, tool: string): string {
  return toToolName(`${server}__${tool}`);
}

/**
 * Whether a list of names includes a tool. An empty list includes all tools. A name may be plain, `server__tool`, `server-tool` or
 * `server#tool`.
 */
export function isWanted(tool: Tool, server: string, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((name) => isNamed(tool, server, name));
}

function isNamed(tool: Tool, server: string, name: string): boolean {
  if (name === tool.name || name === tool.skill_id) return true;
  const ways = ["", `${server}__`, `${server}-`, `${server}#`];
  return ways.some(
    (prefix) => name.startsWith(prefix) && tool.name === serverToolName(server, name.slice(prefix.length)),
  );
}

/** Diagnostics for names in a skill's `tool_list` that do not exist: servers, and tools of servers whose tools are known. */
function unknownServerTools(skill: Skill, skills: ReadonlyMap<string, Skill>): Diagnostic[] {
  return Object.entries(skill.tool_list).flatMap(([server, wanted]) => {
    const found = skills.get(serverSkillId(server));
    if (found?.kind !== "mcp") {
      const servers = [...skills.values()].filter(
        ({ kind, parent }) => kind === "mcp" && parent === undefined,
      );
      const names = servers.map(({ name }) => name);
      return [
        missing(skill, "unknown_server", `the server ${server}, which is not configured`, server, names),
      ];
    }
    if (found.tools.length === 0) return [];
    return wanted
      .filter((name) => !found.tools.some((tool) => isNamed(tool, server, name)))
      .map((name) => {
        const names = found.tools.map((tool) => tool.skill_id.slice(found.id.length + 1));
        return missing(
          skill,
          "unknown_tool",
          `${name}, which the server ${server} does not have`,
          name,
          names,
        );
      });
  });
}

function missing(skill: Skill, code: string, what: string, name: string, known: string[]): Diagnostic {
  const near = nearestNames(name, known);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const message = `The tool_list of skill ${skill.id} names ${what}.${hint}`;
  return { path: skill.origin.path, skill_id: skill.id, severity: "warning", code, message };
}

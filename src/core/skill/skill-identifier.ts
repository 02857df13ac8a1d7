import { nearestNames } from "../../base/nearest-name.ts";
import { fingerprint } from "../values/told.ts";
import type { Skill } from "./skill.ts";
import type { Tool } from "./tool.ts";

export { nearestNames as nearest } from "../../base/nearest-name.ts";

/** A text that names a skill, looked up. `nearest` are known ids that look alike, best first; often empty. */
export type ResolvedSkillId = { status: "found"; id: string } | { status: "unknown"; nearest: string[] };

/**
 * The known id a person, model or file means. Accepted: the id itself, `@@hub-id`, `@@flow_UUID`, `flow_UUID`,
 * `@@mcp_SERVER`, `parent#child`, `SERVER#tool` and `SERVER-tool`, each in any case if only one id fits.
 */
export function resolveSkillId(text: string, knownIds: Iterable<string>): ResolvedSkillId {
  const known = new Set(knownIds);
  const candidates = spellings(text.trim());
  const exact = candidates.find((candidate) => known.has(candidate));
  if (exact !== undefined) return { status: "found", id: exact };
  const byLowerCase = Map.groupBy(known, (id) => id.toLowerCase());
  for (const candidate of candidates) {
    const fitting = byLowerCase.get(candidate.toLowerCase()) ?? [];
    const [only, ...others] = fitting;
    if (only !== undefined && others.length === 0) return { status: "found", id: only };
    if (others.length > 0) return { status: "unknown", nearest: fitting };
  }
  return { status: "unknown", nearest: nearestNames(text.trim().replace(/^@@/, ""), known) };
}

/** The skill a text means: as `resolveSkillId`, and by the skills' aliases too. */
export function resolveSkill(text: string, skills: Iterable<Pick<Skill, "id" | "aliases">>): ResolvedSkillId {
  const all = [...skills];
  const aliases = all.flatMap(({ id, aliases: others = [] }) => others.map((alias) => [alias, id] as const));
  const ids = new Map([...aliases, ...all.map(({ id }) => [id, id] as const)]);
  const resolved = resolveSkillId(text, ids.keys());
  if (resolved.status === "found") return { status: "found", id: ids.get(resolved.id) ?? resolved.id };
  return { status: "unknown", nearest: [...new Set(resolved.nearest.map((name) => ids.get(name) ?? name))] };
}

/** Every id a text may stand for, the most literal first. */
function spellings(text: string): string[] {
  const bare = text.replace(/^@@/, "");
  const dashes = [...bare.matchAll(/-/g)].map((match) => match.index).slice(0, 20);
  const parts = dashes.map((at) => `${bare.slice(0, at)}#${bare.slice(at + 1)}`);
  const forms = [bare, ...parts].flatMap((form) => {
    const unprefixed = form.replace(/^(flow|mcp)_/, "");
    return [form, unprefixed, `flow_${unprefixed}`, `mcp_${unprefixed}`];
  });
  return [...new Set([text, ...forms])];
}

const longestToolName = 64;

/** A name a model may call: `^[a-zA-Z0-9_-]{1,64}$`. `memory#remember` becomes `memory_remember`. */
export function toToolName(text: string): string {
  const name = text.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (!/[a-zA-Z0-9]/.test(name)) return `tool_${fingerprint(text)}`;
  return name.length <= longestToolName ? name : withSuffix(name, fingerprint(text));
}

/** A tool with where it comes from. */
export interface SourcedTool {
  tool: Tool;
  source: string;
}

/**
 * The tools, in the same order, with names a model may call and that differ from each other and from the `reserved` ones.
 * All tools that would share a name get a suffix made from source, skill and tool: a name never depends on order.
 */
export function uniqueToolNames(
  entries: readonly SourcedTool[],
  reserved: ReadonlySet<string> = new Set(),
): Tool[] {
  const named = entries.map(({ tool, source }) => ({
    tool,
    name: toToolName(tool.name),
    identity: JSON.stringify([source, tool.skill_id, tool.name]),
  }));
  const bases = countBy(named.map(({ name }) => name));
  const isPlain = (name: string) => bases.get(name) === 1 && !reserved.has(name);
  const taken = new Set([...reserved, ...named.map(({ name }) => name).filter(isPlain)]);
  const suffixed = named.filter(({ name }) => !isPlain(name));
  const renamed = new Map<(typeof named)[number], string>();
  for (const entry of suffixed.toSorted((a, b) => (a.identity < b.identity ? -1 : 1))) {
    let salt = "";
    let name = withSuffix(entry.name, fingerprint(entry.identity));
    while (taken.has(name)) {
      salt += "+";
      name = withSuffix(entry.name, fingerprint(entry.identity + salt));
    }
    taken.add(name);
    renamed.set(entry, name);
  }
  return named.map((entry) => {
    const name = renamed.get(entry) ?? entry.name;
    return name === entry.tool.name ? entry.tool : { ...entry.tool, name };
  });
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function withSuffix(name: string, suffix: string): string {
  return `${name.slice(0, longestToolName - suffix.length - 1)}_${suffix}`;
}

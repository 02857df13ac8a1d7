import { ExactNumber } from "../../base/exact-number.ts";
import { isRecord } from "../../base/record.ts";
import { nearestNames } from "../../base/text/nearest-name.ts";
import { type Author, hasTrust, type Trust, trustSchema } from "../values/inbound.ts";
import { canonicalJson, type Json, type JsonObject } from "../values/json.ts";
import type { Place } from "../values/place.ts";
import { fingerprint } from "../values/told.ts";
import type { Parameter, Skill } from "./skill.ts";
import type { Tool, Validation } from "./tool.ts";

/** The result of looking up a skill by name. `nearest` are similar known ids, best first; often empty. */
type ResolvedSkillId = { status: "found"; id: string } | { status: "unknown"; nearest: string[] };

/**
 * The known id that a person, model or file means. Accepts the id itself, `@@hub-id`, `@@flow_UUID`, `flow_UUID`, `@@mcp_SERVER`,
 * `parent#child`, `SERVER#tool` and `SERVER-tool`, case-insensitive if only one id matches.
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

/** Looks up a skill like `resolveSkillId`, and also by the skills' aliases. */
export function resolveSkill(text: string, skills: Iterable<Pick<Skill, "id" | "aliases">>): ResolvedSkillId {
  const all = [...skills];
  const aliases = all.flatMap(({ id, aliases: others = [] }) => others.map((alias) => [alias, id] as const));
  const ids = new Map([...aliases, ...all.map(({ id }) => [id, id] as const)]);
  const resolved = resolveSkillId(text, ids.keys());
  if (resolved.status === "found") return { status: "found", id: ids.get(resolved.id) ?? resolved.id };
  return { status: "unknown", nearest: [...new Set(resolved.nearest.map((name) => ids.get(name) ?? name))] };
}

/** Every id that a text may mean, the most literal first. */
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

const maxToolName = 64;

/** A valid tool name for models: `^[a-zA-Z0-9_-]{1,64}$`. `memory#remember` becomes `memory_remember`. */
export function toToolName(text: string): string {
  const name = text.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (!/[a-zA-Z0-9]/.test(name)) return `tool_${fingerprint(text)}`;
  return name.length <= maxToolName ? name : withSuffix(name, fingerprint(text));
}

/** A tool with its source. */
interface SourcedTool {
  tool: Tool;
  source: string;
}

/**
 * Returns the tools in the same order, with valid names that differ from each other and from the `reserved` ones. All tools that would
 * share a name get a suffix derived from source, skill and tool, so that a name never depends on order.
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
  return `${name.slice(0, maxToolName - suffix.length - 1)}_${suffix}`;
}

/** Rights: who may use a skill or tool, where that is restricted. They are checked at each call, whoever wrote it. */

/** The people with a right: those listed, and those with one of the roles. */
export interface Right {
  /** Platform user ids. */
  people: readonly string[];
  /** `guest`, `member`, `manager` or `operator` as the minimum trust here; or ids of platform roles. */
  roles: readonly string[];
}

/**
 * Rights by the id of a skill or part in any spelling, or the name of a tool or tool server. Everything not listed is open to everybody.
 */
export type Rights = Readonly<Record<string, Right>>;

/** The names of a call that a right may refer to. */
export interface RightSubject {
  skill_id: string;
  name?: string | undefined;
  server?: { server: string; tool?: string } | undefined;
}

/** The rights that apply to a call; each of them has to allow it. */
export function rightsOn(rights: Rights, subject: RightSubject): Right[] {
  return namedFor(rights, subject).map(([, right]) => right);
}

/** The entries that name a skill, the skill it is a part of, a tool, or the server of a tool. */
export function namedFor<T>(
  entries: { readonly [name: string]: T },
  { skill_id, name, server }: RightSubject,
): [string, T][] {
  const [root = ""] = skill_id.split("#");
  const ofServer = server === undefined ? [] : [server.server, `${server.server}#${server.tool ?? ""}`];
  // The tool of a part is named after the part. If another skill has a tool of that name, both get other names.
  const ofPart = skill_id === root ? [] : [toToolName(skill_id)];
  const names = [skill_id, root, name ?? "", ...ofServer, ...ofPart].filter((each) => each !== "");
  const isNamed = (id: string) => resolveSkillId(id, names).status === "found";
  return Object.entries(entries).filter(([id]) => isNamed(id));
}

/** A person's roles on their platform, by id; empty if the platform has none. */
export type RolesOf = (place: Place, person: string) => Promise<readonly string[]>;

/** Whether a person has all these rights. Operators, who configure them, always have. */
export async function hasRights(
  rights: readonly Right[],
  author: Pick<Author, "id" | "trust">,
  rolesOf: () => Promise<readonly string[]>,
): Promise<boolean> {
  if (author.trust === "operator") return true;
  for (const { people, roles } of rights) {
    if (people.includes(author.id)) continue;
    const ranks = roles.filter(isTrust);
    if (ranks.some((rank) => hasTrust(author, rank))) continue;
    const ofPlatform = roles.filter((role) => !isTrust(role));
    const own = ofPlatform.length === 0 ? [] : await rolesOf();
    if (!ofPlatform.some((role) => own.includes(role))) return false;
  }
  return true;
}

function isTrust(role: string): role is Trust {
  return trustSchema.safeParse(role).success;
}

/** Who may use something, in words; undefined if everybody may. */
export function onlyFor(rights: Rights, subject: RightSubject): string | undefined {
  return rightsOn(rights, subject).map(rightInWords).join("; and ") || undefined;
}

/** Whether the rights depend on roles of the platform. */
export function needsPlatformRoles(rights: readonly Right[]): boolean {
  return rights.some(({ roles }) => roles.some((role) => !isTrust(role)));
}

/** The people with a right, in words: `managers, the role 1234, U0ANN`. */
export function rightInWords({ people, roles }: Right): string {
  const ranks: Record<Trust, string> = {
    guest: "everybody",
    member: "members",
    manager: "managers",
    operator: "operators",
  };
  const words = roles.map((role) => (isTrust(role) ? ranks[role] : `the role ${role}`));
  return [...words, ...people].join(", ") || "operators";
}

/** Maximum unknown parameters listed in a message. */
const maxNamed = 20;

/**
 * Checks arguments against parameters (unknown names, required parameters, types and choices), then applies defaults. A null counts as an
 * omitted argument, as models write it. The message lists all problems.
 */
export function validateParameters(parameters: readonly Parameter[], input: unknown): Validation {
  const given = input ?? {};
  if (!isRecord(given)) return { ok: false, message: "the arguments must be an object" };
  const values = new Map(Object.entries(given as JsonObject).filter(([, value]) => value !== null));
  const names = parameters.map(({ name }) => name);
  const strangers = [...values.keys()].filter((name) => !names.includes(name));
  const problems = strangers.slice(0, maxNamed).map((name) => unknown(name, names));
  if (strangers.length > maxNamed) problems.push(`${strangers.length - maxNamed} more are unknown`);
  for (const parameter of parameters) {
    const problem = problemOf(parameter, values.get(parameter.name));
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length > 0) return { ok: false, message: problems.join("; ") };
  const complete = parameters.flatMap(({ name, default: preset }) => {
    const value = values.get(name) ?? preset;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ok: true, value: Object.fromEntries(complete) };
}

function unknown(name: string, known: readonly string[]): string {
  const [near] = nearestNames(name, known);
  const advice = near === undefined ? "" : `, did you mean ${near}?`;
  return `unknown parameter ${name}${advice} (known: ${known.join(", ") || "none"})`;
}

function problemOf(parameter: Parameter, value: Json | undefined): string | undefined {
  const { name, type, required, default: preset, enum: choices } = parameter;
  if (value === undefined) {
    return required && preset === undefined ? `${name} is required (${type})` : undefined;
  }
  const actual = Array.isArray(value) ? "array" : value instanceof ExactNumber ? "number" : typeof value;
  if (actual !== type) return `${name} must be of the type ${type}, not ${actual}`;
  if (choices === undefined || choices.some((each) => canonicalJson(each) === canonicalJson(value)))
    return undefined;
  return `${name} must be one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`;
}

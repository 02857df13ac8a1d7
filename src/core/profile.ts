import type { Effort } from "./message.ts";

/**
 * What an agent may be given tools for, in HyperAgent's words: looking things up in the web, making pictures, reading pages, running code,
 * working on data, handing over, skills of every other kind, asking people. Reading the files of the thread and what was cut is no category:
 * every agent can.
 */
export const toolCategories = [
  "search",
  "image",
  "browser",
  "code_exec",
  "data",
  "handoff",
  "skill",
  "hitl",
] as const;
export type ToolCategory = (typeof toolCategories)[number];

/** An agent: how it is instructed, and what it may use. */
export interface Profile {
  id: string;
  /** When to hand a turn over to it, for the other agents. */
  description: string;
  prompt: string;
  /** The model it works with, `provider/model`; the configured one unless given. */
  model?: string | undefined;
  /** How hard its model thinks; as configured unless given. */
  effort?: Effort | undefined;
  /** The categories of tools it has; all unless given. */
  tools?: readonly ToolCategory[] | undefined;
  /**
   * Skills by id with their priority: the higher, the earlier they are listed and open; false: not for this agent. `*` stands for all that
   * are not named, 0 unless given.
   */
  skills?: Readonly<Record<string, number | false>> | undefined;
  /**
   * What it may not call, by the id of a skill, the name of a tool server or of a tool: names of parts or tools, values of the tool's
   * parameter `action` or `do`, or `*` for all of it. AWorld's `black_tool_actions`.
   */
  black_tool_actions?: Readonly<Record<string, readonly string[]>> | undefined;
  /** It hands work on to others, and gets the turn back when they have answered. */
  supervisor?: boolean | undefined;
  /** Set for a mode: the agent it is a preset of. Turns are not handed over to it; people choose it. */
  preset_of?: string | undefined;
}

/** The agent of this id; the one that begins where nobody chose another, when there is none. */
export function profileNamed(profiles: readonly [Profile, ...Profile[]], id: string | undefined): Profile {
  return profiles.find((profile) => profile.id === id) ?? profiles[0];
}

/** The agent that has the turn now. */
export function currentProfile({
  turn,
  state,
}: {
  turn: { profile: Profile; profiles: readonly Profile[] };
  state: { profile?: string | undefined };
}): Profile {
  return turn.profiles.find((profile) => profile.id === state.profile) ?? turn.profile;
}

/**
 * The agent that a message names for itself: `research: which …`, or `… in data mode`. Undefined when it names none; then the channel's
 * agent answers.
 */
export function agentNamedIn(text: string, profiles: readonly Profile[]): Profile | undefined {
  const [, first] = /^\s*\/?([a-z][\w-]*)\s*:\s+\S/i.exec(text) ?? [];
  const [, mode] = /\b(?:in|im)\s+([a-z][\w-]*)[ -](?:mode|modus)\b/i.exec(text) ?? [];
  const named = [first, mode].flatMap((word) => word?.toLowerCase() ?? []);
  return profiles.find(({ id }) => named.includes(id.toLowerCase()));
}

/** The agents that a turn can be handed to: modes are for people to choose. */
export function handoverTo(profiles: readonly Profile[]): Profile[] {
  return profiles.filter(({ preset_of }) => preset_of === undefined);
}

/** The priority of a skill for an agent; false when it is not for it. A part has that of its skill, unless it is named itself. */
export function priorityOf({ skills = {} }: Profile, { id, parent }: { id: string; parent?: string }) {
  return skills[id] ?? (parent === undefined ? undefined : skills[parent]) ?? skills["*"] ?? 0;
}

/** A call as `black_tool_actions` looks at it. */
interface Action {
  name: string;
  skill_id: string;
  server?: { server: string; tool: string } | undefined;
}

/** Whether an agent may not call a tool at all; with an input, whether it may not call it so. */
export function deniesAction({ black_tool_actions = {} }: Profile, tool: Action, input?: unknown): boolean {
  const [root = "", part] = tool.skill_id.split("#");
  const owners = [tool.name, tool.skill_id, root, tool.server?.server].filter(Boolean);
  const denied = Object.entries(black_tool_actions).flatMap(([owner, actions]) =>
    owners.includes(owner) ? actions : [],
  );
  if (denied.length === 0) return false;
  const names = ["*", tool.name, part, tool.server?.tool, ...actionsIn(input)];
  return denied.some((action) => names.includes(action));
}

/** Whether an agent may not use anything of a skill, its guide and scripts included. */
export function deniesSkill(
  { black_tool_actions = {} }: Profile,
  { id, parent }: { id: string; parent?: string },
) {
  const part = parent === undefined ? [] : [id.slice(parent.length + 1)];
  const isDenied = (owner: string | undefined, ...names: string[]) =>
    owner !== undefined && black_tool_actions[owner]?.some((action) => names.includes(action)) === true;
  return isDenied(id, "*") || isDenied(parent, "*", ...part);
}

/** Whether an agent has a tool of the bot's own; one without a category all have. */
export function hasOwnTool(
  profile: Profile,
  { name, category }: { name: string; category?: ToolCategory | undefined },
): boolean {
  if (category !== undefined && profile.tools?.includes(category) === false) return false;
  return !deniesAction(profile, { name, skill_id: "" });
}

function actionsIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  const { action, do: done } = input as { action?: unknown; do?: unknown };
  return [action, done].filter((value) => typeof value === "string");
}

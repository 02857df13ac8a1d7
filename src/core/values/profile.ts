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
  /** Set where its file is wrong: `where` is its path. It takes no turns. */
  unusable?: { where: string; key: string; message: string; hint?: string | undefined } | undefined;
}

/** The agent of this id, or the one that begins where nobody chose another. An agent that is gone has no tools. */
export function profileNamed(profiles: readonly [Profile, ...Profile[]], id: string | undefined): Profile {
  if (id === undefined) return profiles[0];
  const prompt = `The agent ${id} that was to answer is gone, so you have no tools. Say so in a sentence.`;
  return profiles.find((profile) => profile.id === id) ?? { id, description: "", prompt, tools: [] };
}

/** What is wrong with an agent's file, for people: of its path the name. Undefined when nothing is. */
export function whyUnusable({ unusable }: Pick<Profile, "unusable">): string | undefined {
  if (unusable === undefined) return undefined;
  const { where, key, message, hint } = unusable;
  const name = where.split(/[\\/]/).at(-1) ?? where;
  const said = [name, ...(key === "" ? [] : [key]), message].join(": ").replace(/\s+/g, " ");
  return `${said}.${hint === undefined ? "" : ` ${hint.replace(/[^.?!…]$/, "$&.")}`}`;
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
 * The agent that a message names for itself: `research: which …`, or `… in data mode` as its first or last words; in between they are what
 * the message is about. Undefined when it names none; then the channel's agent answers.
 */
export function agentNamedIn(text: string, profiles: readonly Profile[]): Profile | undefined {
  const said = text.trim();
  const [, first] = /^[/／]?([a-z][\w-]*)\s*(?::\s+|：\s*)\S/i.exec(said) ?? [];
  const [, begins] = /^(?:in|im)\s+([a-z][\w-]*)[ -](?:mode|modus)\b/i.exec(said) ?? [];
  const [, ends] =
    /\b(?:in|im)\s+([a-z][\w-]*)[ -](?:mode|modus)(?:,?\s+(?:please|bitte))?[\s.!?]*$/i.exec(
      said.slice(-100),
    ) ?? [];
  const named = [first, begins, ends].flatMap((word) => word?.toLowerCase() ?? []);
  return profiles.find(({ id }) => named.includes(id.toLowerCase()));
}

/** The agents that a turn can be handed to: modes are for people to choose. */
export function handoverTo(profiles: readonly Profile[]): Profile[] {
  return profiles.filter(({ preset_of, unusable }) => preset_of === undefined && unusable === undefined);
}

/** The priority of a skill for an agent; false when it is not for it. A part has that of its skill, unless it is named itself. */
export function priorityOf({ skills = {} }: Profile, { id, parent }: { id: string; parent?: string }) {
  return skills[id] ?? (parent === undefined ? undefined : skills[parent]) ?? skills["*"] ?? 0;
}

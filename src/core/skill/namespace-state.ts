import { z } from "zod";
import { madeOnce } from "../../base/made-once.ts";
import type { KeyValue } from "../ports/storage.ts";
import { toJson } from "../values/json.ts";
import { efforts, type ToolDefinition } from "../values/message.ts";
import type { Catalogue } from "./catalogue.ts";
import { isInstalled, type Mean, type Skill } from "./skill.ts";
import type { Tool } from "./tool.ts";

const progressSchema = z.enum(["quiet", "steps", "full"]);
/** Progress shown in a channel: only the answer, plain-language steps, or steps with input and output. */
export type ProgressLevel = z.infer<typeof progressSchema>;

const replySchema = z.enum(["mention", "thread", "always", "ambient"]);
/** When the bot answers in a channel without being mentioned. `ambient`: as `thread`, and it may offer to answer other messages. */
export type ReplyMode = z.infer<typeof replySchema>;

const botsSchema = z.enum(["ignore", "mention", "people"]);
/** What happens to messages of other bots: they are ignored, answered when they mention the bot, or treated like those of people. */
export type BotMode = z.infer<typeof botsSchema>;

/** Settings of a channel that always have a value. */
const fixed = {
  progress: progressSchema,
  /** How a message of the asker is treated while a turn runs. */
  while_running: z.enum(["steer", "queue"]),
};

/** Settings whose default is that of the agent, the configuration or the server. */
const restorable = {
  /** The agent that starts turns here. */
  profile: z.string().min(1).max(200),
  model: z.string().min(1).max(300).describe("provider/model of all turns here"),
  effort: z.enum(efforts),
  reply: replySchema,
  bots: botsSchema.describe("messages of other bots"),
  time_zone: z.string().min(1).max(200).describe("IANA name, for people whose own zone is not known"),
  /** If given, only these skills exist in the channel. */
  allowed_skills: z.array(z.string().min(1).max(200)).max(1000),
  /** Where its managers have lowered the operator's limits. */
  spending: z
    .strictObject({
      day_usd: z.number().positive().optional(),
      day_tokens: z.number().int().positive().optional(),
    })
    .describe("lower limits of the channel's day (UTC) than the operator's"),
};

export const channelSettings = z.object({
  ...fixed,
  ...z.object(restorable).partial().shape,
  /** Set while a manager has paused the bot here. */
  paused: z.object({ by: z.string(), at: z.number().describe("milliseconds since the epoch") }).optional(),
});
export type ChannelSettings = z.infer<typeof channelSettings>;

/** A change of a channel's settings. Missing fields stay as they are; `null` restores the default. */
export const settingsChange = z.object({
  ...z.object(fixed).partial().shape,
  ...nullish(restorable),
  paused: z.boolean().optional(),
});
export type SettingsChange = z.output<typeof settingsChange>;

function nullish<Shape extends z.ZodRawShape>(shape: Shape) {
  const entries = Object.entries(shape).map(([name, schema]) => [name, z.nullish(schema)]);
  return Object.fromEntries(entries) as {
    [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>>;
  };
}

const markSchema = z.object({
  by: z.string(),
  at: z.number(),
  /** Bound to the source and, for installed packages, to the content: a skill that replaces the id inherits nothing. */
  source: z.string(),
  hash: z.string(),
});

export const namespaceStateSchema = z.object({
  /** Activated by a person for the whole channel; the agent cannot offload them. Skills that the agent activates belong to a thread. */
  pinned: z.record(z.string(), markSchema).default({}),
  /** The skills made in the chat that its managers accepted, each with the hash of the accepted text. */
  taught: z.record(z.string(), z.object({ by: z.string(), at: z.number(), hash: z.string() })).optional(),
  /** Hidden by a person. */
  blocked: z.record(z.string(), z.object({ by: z.string(), at: z.number() })).default({}),
  settings: channelSettings
    .extend({
      progress: fixed.progress.default("steps"),
      while_running: fixed.while_running.default("steer"),
    })
    .prefault({}),
});
/** The state of one channel or direct message. */
export type NamespaceState = z.infer<typeof namespaceStateSchema>;

/** The state of a skill in a namespace. */
type SkillState = "available" | "active" | "pinned" | "blocked";

const key = (namespace: string) => `namespace:${namespace}`;

/** States by their stored text: reading one is most often reading it again, and parsing takes most of its time. */
const parsed = new Map<string, NamespaceState>();
const maxParsed = 2_000;

/** The state of a namespace; the default state if nothing is stored. The same object while nothing has changed, so nobody may change it. */
export async function readNamespace(store: KeyValue, namespace: string): Promise<NamespaceState> {
  const value = (await store.get(key(namespace))) ?? {};
  if (parsed.size >= maxParsed) parsed.clear();
  return madeOnce(parsed, JSON.stringify(value), () => namespaceStateSchema.parse(value));
}

/** The settings of a namespace. */
export async function settingsOf(store: KeyValue, namespace: string): Promise<ChannelSettings> {
  return (await readNamespace(store, namespace)).settings;
}

/** Changes a namespace atomically. `change` mutates the draft it gets, and may be called more than once. */
export async function updateNamespace(
  store: KeyValue,
  namespace: string,
  change: (draft: NamespaceState) => void,
): Promise<NamespaceState> {
  const updated = await store.update(key(namespace), (value) => {
    const draft = namespaceStateSchema.parse(value ?? {});
    change(draft);
    return toJson(draft);
  });
  return namespaceStateSchema.parse(updated);
}

/**
 * The state of a skill in the channel. Blocking a parent blocks its parts; pinning a parent pins them. An installed skill is never active
 * by default, whatever its file says, and after an update it has to be enabled again.
 */
export function stateOf(skill: Skill, state: NamespaceState): SkillState {
  const ids = skill.parent === undefined ? [skill.id] : [skill.id, skill.parent];
  if (ids.some((id) => state.blocked[id] !== undefined)) return "blocked";
  if (ids.some((id) => isMarkedFor(skill, state.pinned[id]))) return "pinned";
  return skill.active && !isInstalled(skill) ? "active" : "available";
}

/** Whether a person here enabled an earlier version of an installed skill, which does not count for this version. */
export function isPinFallen(skill: Skill, state: NamespaceState): boolean {
  const mark = state.pinned[skill.parent ?? skill.id];
  return isInstalled(skill) && mark?.source === skill.origin.source && !isMarkedFor(skill, mark);
}

function isMarkedFor(skill: Skill, mark: z.infer<typeof markSchema> | undefined): boolean {
  if (mark === undefined || mark.source !== skill.origin.source) return false;
  return !isInstalled(skill) || (mark.hash === skill.hash && mark.at >= (skill.origin.installed_at ?? 0));
}

/**
 * Whether a skill made in the chat is in the channel: those of others are in no list, and one that was changed since its text was accepted
 * here, or that is only offered, cannot be used until a manager takes it.
 */
export function isTaughtTo(
  { id, hash, taught }: Skill,
  { taught: accepted = {} }: NamespaceState,
): "yes" | "changed" | "offered" | "no" {
  if (taught === undefined || taught.everyone) return "yes";
  const mark = accepted[id];
  if (mark !== undefined) return mark.hash === hash ? "yes" : "changed";
  return taught.offered ? "offered" : "no";
}

/** A skill in one namespace. */
export interface OfferedSkill {
  skill: Skill;
  state: SkillState;
  /** A part that has this state only through its parent. */
  by_parent?: true | undefined;
  /** Why it cannot be used here, in words for a person; empty if it can. */
  reasons: string[];
  /** Deliberately switched off for every namespace. */
  switched_off?: true | undefined;
  /** Information for people about a skill that can be used. */
  notice?: string | undefined;
}

/** A tool under its name for models. */
export interface OfferedTool {
  tool: Tool;
  definition: ToolDefinition;
  /** The skills whose activation shows it: its own, and those with it in their `tool_list`. */
  roots: readonly string[];
}

/** All tools of an offer by name, in a fixed order: by skill, then in the skill's order. */
export type OfferedTools = ReadonlyMap<string, OfferedTool>;

/** The part of the catalogue that a namespace may use. */
export interface Offer {
  readonly catalogue: Catalogue;
  /** Every skill, usable or not. */
  readonly all: ReadonlyMap<string, OfferedSkill>;
  /** Skills that the agent may use: eligible, allowed, not blocked, and enabled where that is required; including parts. */
  readonly usable: readonly OfferedSkill[];
  /** Skills that only people may use: the model does not see them until a person enables them or requests them by name. */
  readonly personOnly: readonly OfferedSkill[];
  /** What turns here lack. */
  readonly lacking: readonly Mean[];
  /** Tools that the agent with the turn may not call; absent if it may call all. */
  readonly denies?: (tool: Tool) => boolean;
  /** The tools of all usable skills. Their names do not depend on which skills are active. */
  tools(): OfferedTools;
  /** The lines for the list in the instructions, id → line: what is usable beside the tools of the `open` skills. */
  lines(open: readonly string[]): ReadonlyMap<string, string>;
  /** Caches values derived from this offer. The key has to contain everything else that a value depends on. */
  once<T>(key: string, make: () => T): T;
}

/** All skills of the channel, usable or not. Unlike the catalogue, without those that other channels made for themselves. */
export function skillsIn({ all }: Pick<Offer, "all">): Skill[] {
  return [...all.values()].map(({ skill }) => skill);
}

/** Whether the skill's tools and guide are available without activation. */
export function isActive(offered: OfferedSkill): boolean {
  return offered.state === "active" || offered.state === "pinned";
}

/** Maximum tools of a server that are shown together once the agent activates it or people enable it: dozens cost accuracy. */
const maxShown = { active: 10, pinned: 40 };

/** Whether a skill is a server with so many tools that each is shown once it was found, by `find_tools` or a person. */
export function hasManyTools({ skill, state }: Pick<OfferedSkill, "skill" | "state">): boolean {
  const limit = state === "pinned" ? maxShown.pinned : maxShown.active;
  return skill.kind === "mcp" && skill.parent === undefined && skill.tools.length > limit;
}

/** Whether an active skill shows all its tools. */
export function showsTools(offered: OfferedSkill): boolean {
  return isActive(offered) && offered.by_parent !== true && !hasManyTools(offered);
}

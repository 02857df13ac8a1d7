import { z } from "zod";
import type { KeyValue } from "../ports/storage.ts";
import { toJson } from "../values/json.ts";
import { efforts, type ToolDefinition } from "../values/message.ts";
import type { Catalogue } from "./catalogue.ts";
import { isInstalled, type Mean, type Skill } from "./skill.ts";
import type { Tool } from "./tool.ts";

/** Progress shown in a channel: only the answer, plain-language steps, or steps with input and output. */
export const progressLevelSchema = z.enum(["quiet", "steps", "full"]);
export type ProgressLevel = z.infer<typeof progressLevelSchema>;

/** When the bot answers in a channel without being mentioned. */
export const replyModeSchema = z.enum(["mention", "thread", "always"]);
export type ReplyMode = z.infer<typeof replyModeSchema>;

const markSchema = z.object({
  by: z.string(),
  at: z.number(),
  /** Bound to the source, for installed packages to the content too: a skill that shadows the id inherits nothing. */
  source: z.string(),
  hash: z.string(),
});

export const namespaceStateSchema = z.object({
  /** Activated by a person for the whole channel; the agent cannot offload them. What the agent activates belongs to a thread. */
  pinned: z.record(z.string(), markSchema).default({}),
  /** Hidden by a person. */
  blocked: z.record(z.string(), z.object({ by: z.string(), at: z.number() })).default({}),
  settings: z
    .object({
      progress: progressLevelSchema.default("steps"),
      /** What happens to a message of the asker while a turn runs. */
      while_running: z.enum(["steer", "queue"]).default("steer"),
      /** The agent that begins turns here; the configured one unless set. */
      profile: z.string().optional(),
      /** The model of all turns here, `provider/model`; the agent's or the configured one unless set. */
      model: z.string().optional(),
      /** How hard it thinks here; as agent and configuration say unless set. */
      effort: z.enum(efforts).optional(),
      /** When the bot answers without a mention: never, in threads with one person, always; as configured unless set. */
      reply: replyModeSchema.optional(),
      /** Set while a manager has paused the bot here. */
      paused: z.object({ by: z.string(), at: z.number() }).optional(),
      /** The zone for people whose own is not known, IANA name; the server's unless set. */
      time_zone: z.string().optional(),
      /** When given, only these skills exist in the channel. */
      allowed_skills: z.array(z.string()).optional(),
    })
    .prefault({}),
});
/** The state of one channel or direct message. */
export type NamespaceState = z.infer<typeof namespaceStateSchema>;

/** What a skill is in a namespace. */
type SkillState = "available" | "active" | "pinned" | "blocked";

const key = (namespace: string) => `namespace:${namespace}`;

/** The state of a namespace; the default one when nothing was stored. */
export async function readNamespace(store: KeyValue, namespace: string): Promise<NamespaceState> {
  return (await readNamespaceAgain(store, namespace)).state;
}

/** A state with the text it was read from: reading again costs little while nothing has changed. */
export interface ReadNamespace {
  text: string;
  state: NamespaceState;
}

/** As `readNamespace`; the very same object as `before` when nothing has changed since. */
export async function readNamespaceAgain(
  store: KeyValue,
  namespace: string,
  before?: ReadNamespace,
): Promise<ReadNamespace> {
  const value = (await store.get(key(namespace))) ?? {};
  const text = JSON.stringify(value);
  return text === before?.text ? before : { text, state: namespaceStateSchema.parse(value) };
}

/** Changes a namespace atomically. `change` mutates the draft it is given, and may be called again. */
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
 * The state of a skill in the channel. A block of the parent blocks its parts; a pin of the parent pins them. An installed
 * skill is never active by itself, whatever its file says, and after an update it is as if nobody had enabled it.
 */
export function stateOf(skill: Skill, state: NamespaceState): SkillState {
  const ids = skill.parent === undefined ? [skill.id] : [skill.id, skill.parent];
  if (ids.some((id) => state.blocked[id] !== undefined)) return "blocked";
  if (ids.some((id) => isMarkedFor(skill, state.pinned[id]))) return "pinned";
  return skill.active && !isInstalled(skill) ? "active" : "available";
}

/** Whether a person here enabled an earlier version of an installed skill, which enables this one for nobody. */
export function isPinFallen(skill: Skill, state: NamespaceState): boolean {
  const mark = state.pinned[skill.parent ?? skill.id];
  return isInstalled(skill) && mark?.source === skill.origin.source && !isMarkedFor(skill, mark);
}

function isMarkedFor(skill: Skill, mark: z.infer<typeof markSchema> | undefined): boolean {
  if (mark === undefined || mark.source !== skill.origin.source) return false;
  return !isInstalled(skill) || (mark.hash === skill.hash && mark.at >= (skill.origin.installed_at ?? 0));
}

/** A skill as one namespace has it. */
export interface OfferedSkill {
  skill: Skill;
  state: SkillState;
  /** Why it cannot be used here, in words for a person; empty when it can. */
  reasons: string[];
  /** Somebody switched it off on purpose, for every namespace. */
  switched_off?: true;
  /** Something a person should know although the skill can be used. */
  notice?: string;
}

/** A tool under the name models know it by. */
export interface OfferedTool {
  tool: Tool;
  definition: ToolDefinition;
  /** The skills whose activation shows it: its own, and those that name it in their `tool_list`. */
  roots: readonly string[];
}

/** All tools of an offer by name, in a fixed order: by skill, then as the skill has them. */
export type OfferedTools = ReadonlyMap<string, OfferedTool>;

/** What a namespace has of the catalogue. */
export interface Offer {
  readonly catalogue: Catalogue;
  /** Every skill, usable or not. */
  readonly all: ReadonlyMap<string, OfferedSkill>;
  /** What the agent may use: eligible, allowed, not blocked, and enabled where that is required; parts included. */
  readonly usable: readonly OfferedSkill[];
  /** Usable too, but by people alone: what is kept from the model until a person enables it or asks for it by name. */
  readonly personOnly: readonly OfferedSkill[];
  /** What turns here have to do without. */
  readonly lacking: readonly Mean[];
  /** Tools that the agent which has the turn may not call; absent where it may call all. */
  readonly denies?: (tool: Tool) => boolean;
  /** The tools of what is usable, under names that do not depend on which skills are active. */
  tools(): OfferedTools;
  /** How the list in the instructions shows what is usable: id → line. `open`: skills whose tools are there anyway. */
  lines(open: readonly string[]): ReadonlyMap<string, string>;
  /** What else is made of this offer is made once for each key, which says all that it depends on beside the offer. */
  once<T>(key: string, make: () => T): T;
}

/** Whether the skill's tools and guide are there without asking. */
export function isActive(offered: OfferedSkill): boolean {
  return offered.state === "active" || offered.state === "pinned";
}

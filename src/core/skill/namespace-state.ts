import { z } from "zod";
import type { KeyValue } from "../ports/key-value.ts";
import { toJson } from "../values/json.ts";
import { efforts } from "../values/message.ts";
import { isInstalled, type Skill } from "./skill.ts";

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
export type SkillState = "available" | "active" | "pinned" | "blocked";

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

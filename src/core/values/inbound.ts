import { z } from "zod";
import { madeOnce } from "../../base/made-once.ts";
import type { Json } from "./json.ts";
import { isDirectMessage, namespaceSchema, threadSchema } from "./place.ts";

/** Maximum length of a name that is looked up; the longest in the IANA database has 32 characters. */
const maxName = 64;

/**
 * The IANA name of the time zone that a text names, case-insensitive and with spaces or underscores; undefined if there is none. Aliases
 * without an area (`GB`, `EST`) are resolved. Offsets (`+02:00`) are not names, because they have no daylight saving time.
 */
export function timeZoneNamed(text: string): string | undefined {
  const name = text.trim().replaceAll(" ", "_");
  if (name.length > maxName || !/^[a-z][a-z0-9_+/-]+$/i.test(name)) return undefined;
  const known = knownAs(name);
  // Intl returns older names for some zones, such as Asia/Calcutta for Asia/Kolkata. People keep the name they wrote.
  const isAlias = known?.toLowerCase() !== name.toLowerCase();
  return known !== undefined && isAlias && /^[A-Z].*\//.test(name) ? name : known;
}

/** Known zones by their names in lower case. Intl needs half a millisecond to make a format, and a list of people names a zone for each. */
const zones = new Map<string, string>();

function knownAs(name: string): string | undefined {
  try {
    return madeOnce(
      zones,
      name.toLowerCase(),
      () => new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone,
    );
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A time zone from outside. An invalid name counts as absent and is not an error. */
const givenTimeZone = z
  .string()
  .transform((text) => timeZoneNamed(text))
  .optional()
  .catch(undefined);

/** Local time in a zone (IANA name; UTC if unknown) at a time in ms since the epoch: `2026-11-22 14:20`. */
export function clockIn(time_zone: string, at: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: knownAs(time_zone) === undefined ? "UTC" : time_zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return format.format(at);
}

/** Trust levels, lowest first. An operator runs the bot; a manager runs the channel. */
export const trustSchema = z.enum(["guest", "member", "manager", "operator"]);
export type Trust = z.infer<typeof trustSchema>;

export const authorSchema = z.object({
  id: z.string().min(1).max(200),
  name: z.string().max(200),
  trust: trustSchema,
  /** The person's time zone, IANA name; absent if the platform does not tell. */
  time_zone: givenTimeZone,
});
/** The author of a message. `id` is the platform's user id. */
export type Author = z.infer<typeof authorSchema>;

/** Stands for a person in records that stay when everything else of the person is deleted. */
export const deletedPerson: Author = { id: "deleted", name: "Deleted person", trust: "member" };

/** Maximum characters of a message. A longer one is refused with a message that says so. */
export const maxMessageLength = 2_000_000;

const fileReferenceSchema = z.object({
  /** The platform's id. */
  id: z.string().min(1).max(300),
  name: z.string().max(300),
  /** As reported by the platform; `application/octet-stream` if unknown. */
  media_type: z.string().max(200),
  bytes: z.number().int().min(0),
  /** The platform's address of the file. Only fetched through that platform. */
  url: z.string().max(2000).optional(),
  /** Set for a voice message, which its sender recorded instead of writing. */
  voice: z.object({ seconds: z.number().min(0).optional() }).optional(),
});
/** A reference to an attached file: its bytes are fetched when the turn runs. */
export type FileReference = z.infer<typeof fileReferenceSchema>;

const mentionSchema = z.object({
  id: z.string().min(1).max(200),
  /** As people read it. */
  name: z.string().max(200),
  kind: z.enum(["person", "group"]),
});
/** A person or group that a message mentions. Never the bot, and never everybody. */
export type Mention = z.infer<typeof mentionSchema>;

const lookedAtSchema = z.object({
  /** The channel as a namespace, of a channel or a message. */
  channel: z.string().max(200).optional(),
  /** Its name, without `#`. */
  name: z.string().max(200).optional(),
  /** Reference of the message (`ChatActions`). */
  message: z.string().max(200).optional(),
  /** A document of the platform that the bot cannot read, in words: `a canvas`. */
  document: z.string().max(200).optional(),
});
/** What a person has open beside the conversation with the bot. */
export type LookedAt = z.infer<typeof lookedAtSchema>;

const originSchema = z.object({
  /** The platform's id of the message or command; absent for turns without a message (`Inbound.cause`). */
  message: z.string().min(1).max(300).optional(),
  /** When it was sent, ms since the epoch. */
  said_at: z.number(),
  files: z.array(fileReferenceSchema).max(50).default([]),
  /** Whether it was sent in an existing thread, which is then read too. */
  in_thread: z.boolean().default(false),
  /** The people and groups that it mentions. */
  mentions: z.array(mentionSchema).max(50).optional(),
  /** What the person looked at when they wrote it, the most relevant first. */
  looking_at: z.array(lookedAtSchema).max(3).optional(),
});
/** The message on a chat platform that a turn belongs to. The turn is shown and answered there. */
export type Origin = z.infer<typeof originSchema>;

const commandSchema = z.object({
  /** `skill enable`. */
  name: z.string().min(1).max(100),
  operation: z.string().min(1).max(100),
  /** Absent if required parts were missing. */
  input: z.custom<Json>().optional(),
});
/** A slash command as parsed on arrival. */
export type GivenCommand = z.infer<typeof commandSchema>;

/** What an agent that works in the background may do and already knows, from the turn that began it. */
const backgroundSchema = z.object({
  /** The agent that works, by id. */
  to: z.string().min(1).max(200),
  /** The actions that are denied to the agent it works for. */
  denied: z.record(z.string(), z.array(z.string()).readonly()).optional(),
  /** Set if the turn was for its asker alone; the namespaces that it had read in. */
  private_from: z.array(z.string()).readonly().optional(),
  /** The untrusted text that the turn had read, and the addresses it had seen. */
  untrusted: z.array(z.enum(["result", "outsider", "skill", "summary", "code"])).readonly(),
  seen: z.object({
    named: z.array(z.string()).readonly().optional(),
    linked: z.array(z.string()).readonly().optional(),
    untrusted: z.literal(true).optional(),
  }),
});
export type BackgroundWork = z.infer<typeof backgroundSchema>;

const causeSchema = z.object({
  kind: z.enum(["schedule", "trigger", "goal", "handoff", "spending"]),
  /** The id of the schedule, trigger or goal, or of the turn whose agent handed the work over; for spending, the percentage told. */
  id: z.string().min(1).max(200),
  /** The reason for the run, for people: `every weekday at 9:00 Europe/Berlin`, `turn 2 of 5`. */
  because: z.string().max(500),
  /** The event as data for the model: text that nobody here vouches for. */
  happened: z.string().max(20_000).optional(),
  /** The people who caused it, if they are not the author. */
  caused_by: z.array(z.string().max(200)).max(50).optional(),
  /** The answer is posted in the channel itself and not in a thread. */
  in_channel: z.literal(true).optional(),
  /** The complete answer, Markdown: nothing is run and no model is asked. Set for reminders, and for notices about a plan or the spending. */
  says: z.string().max(8_000).optional(),
  /** Set for a handoff: an agent works in the background of the thread. */
  background: backgroundSchema.optional(),
});
/**
 * Why a turn started without a message. The author is the maker of the schedule, trigger or goal, or the person whom the work in the
 * background is for, with the rights for this run.
 */
export type Cause = z.infer<typeof causeSchema>;

/** The kind of plan that began a turn. Turns of goals and in the background are decided about as those of messages. */
export function planOf(cause: Pick<Cause, "kind"> | undefined): "schedule" | "trigger" | undefined {
  return cause?.kind === "schedule" || cause?.kind === "trigger" ? cause.kind : undefined;
}

const guideSchema = z.object({ skill: z.string().min(1).max(200), request: z.string() });
/** A guide that the agent is to follow in a turn, and the request for it. */
export type Guide = z.infer<typeof guideSchema>;

export const inboundSchema = z.object({
  /** Deduplication key: the same for every delivery of the same message. */
  key: z.string().min(1).max(300),
  namespace: namespaceSchema,
  thread: threadSchema,
  author: authorSchema,
  /** `command` is a slash command (`/skill list`); it does not wait in its thread's line. */
  kind: z.enum(["message", "command"]),
  /** As people read it. */
  text: z.string().max(maxMessageLength),
  /** Absent for help, and for texts that are not commands. */
  command: commandSchema.optional(),
  /** Set for a message that represents `/skill run` of a guide. */
  guide: guideSchema.optional(),
  /** A command that stops something: it does not wait behind other commands. */
  urgent: z.literal(true).optional(),
  /** Set for turns that a schedule, a trigger, a goal or a handoff started: `text` is the task. */
  cause: causeSchema.optional(),
  /** Files that arrived with the message, stored as files of its turn: `id` is their name there. */
  files: z.array(fileReferenceSchema).max(50).optional(),
  /** Set by chat platforms only: a message sent through the API to a platform's namespace is not posted there. */
  origin: originSchema.optional(),
});
/** A message or command from a platform, verified and parsed. */
export type Inbound = z.infer<typeof inboundSchema>;

/** Whether a person has at least this trust. */
export function hasTrust(author: Pick<Author, "trust">, least: Trust): boolean {
  const { options } = trustSchema;
  return options.indexOf(author.trust) >= options.indexOf(least);
}

/** A person who repeats another person's request: they act as themselves, with the lower trust of the two. */
export function onBehalfOf(author: Author, asker: Author): Author {
  return author.id === asker.id || hasTrust(asker, author.trust) ? author : { ...author, trust: asker.trust };
}

/** Whether a person may change skills and settings of a channel: its managers, and a member in their own direct message. */
export function mayManage(author: Author, namespace: string): boolean {
  return hasTrust(author, "manager") || (isDirectMessage(namespace) && hasTrust(author, "member"));
}

/** Whether a person may change settings of the whole bot: packages, servers and the hosts that code may reach. */
export function mayOperate(author: Author): boolean {
  return hasTrust(author, "operator");
}

/** Whether a person may stop a turn: the person who asked, and managers. */
export function mayStop(author: Author, turn: { author: { id: string }; namespace: string }): boolean {
  return turn.author.id === author.id || hasTrust(author, "manager");
}

/** Whether a person may approve a request for this approver. A direct message does not make its person a manager here. */
export function mayApprove(
  author: Author,
  approver: Approver | Trust,
  turn: { author: { id: string } },
): boolean {
  if (approver !== "asker") return hasTrust(author, approver);
  return hasTrust(author, "manager") || (author.id === turn.author.id && hasTrust(author, "member"));
}

/** Whether a person may decide about a request: only `person`, if it names one. */
export function mayDecide(
  author: Author,
  { approver, person }: { approver: Approver | Trust; person?: { id: string } | undefined },
  turn: { author: { id: string } },
): boolean {
  return person === undefined ? mayApprove(author, approver, turn) : person.id === author.id;
}

/** The effect of a call, and who decides about it. */

/**
 * The effect of running a tool. A `read_only` or `idempotent` call may be run again after a crash. A `side_effect` call that had started is
 * not, and the model is told that its outcome is unknown.
 */
export type ToolEffect = "read_only" | "idempotent" | "side_effect";

/**
 * Who may decide about a call, lowest first: the person the turn is for, a manager of the channel, an operator of the bot. Higher levels
 * may decide for lower ones.
 */
export type Approver = (typeof approvers)[number];

export const approvers = ["asker", "manager", "operator"] as const;

/** Whether one approver may decide a request for another. */
export function isAtLeast(approver: Approver, least: Approver): boolean {
  return approvers.indexOf(approver) >= approvers.indexOf(least);
}

/** A call's need for approval before it runs. */
export interface ApprovalNeed {
  approver: Approver;
  /** The reason for asking: a whole sentence for people. */
  reason: string;
}

/** An operator's own rule: calls of what it names need approval. */
export interface ApprovalRule {
  approver: Approver;
  /** It is only tried: what it would have asked is noted with the call, and nobody is asked. */
  shadow: boolean;
}

/** By the name of a skill, a part of one, a tool or a tool server. */
export type ApprovalRules = { readonly [name: string]: ApprovalRule };

/**
 * Why a call may run. `approved`: a person decided about it, in an `approval_decided`; `always`: a person allowed such calls in the channel;
 * `ordered`: a person wrote the call; `trusted`: the operator trusts the tool of the server; `unasked`: no rule requires approval.
 */
export interface Allowed {
  rule: "approved" | "always" | "ordered" | "trusted" | "unasked";
  /** The person who decided, by id and name. */
  by?: string | undefined;
  name?: string | undefined;
}

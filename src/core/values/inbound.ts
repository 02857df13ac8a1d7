import { z } from "zod";
import type { Json } from "./json.ts";
import { isDirectMessage, namespaceSchema, threadSchema } from "./place.ts";

/** The longest name that is looked up; the longest in the IANA database has 32 characters. */
const maxName = 64;

/**
 * The IANA name of the time zone a text names, in any case and with spaces or underscores; undefined when it names none.
 * Aliases without an area (`GB`, `EST`) become the zone they stand for. Offsets (`+02:00`) are no names: they know no summer
 * time.
 */
export function timeZoneNamed(text: string): string | undefined {
  const name = text.trim().replaceAll(" ", "_");
  if (name.length > maxName || !/^[a-z][a-z0-9_+/-]+$/i.test(name)) return undefined;
  const known = knownAs(name);
  // Intl answers older names for some zones, such as Asia/Calcutta for Asia/Kolkata; people keep the one they wrote.
  const isAlias = known?.toLowerCase() !== name.toLowerCase();
  return known !== undefined && isAlias && /^[A-Z].*\//.test(name) ? name : known;
}

function knownAs(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A time zone as it comes in from outside: what is not the name of one counts as not given, and is no error. */
const givenTimeZone = z
  .string()
  .transform((text) => timeZoneNamed(text))
  .optional()
  .catch(undefined);

/** What the clock on the wall shows in a zone (IANA name; UTC where there is no such) at a time in ms since the epoch: `2026-11-22 14:20`. */
export function clockIn(time_zone: string, at: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: knownAs(time_zone) === undefined ? "UTC" : time_zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return format.format(at);
}

/** What a person may do here, lowest first. An operator runs the bot; a manager runs the channel. */
export const trustSchema = z.enum(["guest", "member", "manager", "operator"]);
export type Trust = z.infer<typeof trustSchema>;

export const authorSchema = z.object({
  id: z.string().min(1).max(200),
  name: z.string().max(200),
  trust: trustSchema,
  /** Where the person's clock is, IANA name; absent where the platform does not tell. */
  time_zone: givenTimeZone,
});
/** Who said something. `id` is the platform's user id. */
export type Author = z.infer<typeof authorSchema>;

/** The longest text of one message, characters. A longer one is refused with a message that says so. */
export const maxMessageLength = 2_000_000;

const fileReferenceSchema = z.object({
  /** The platform's id. */
  id: z.string().min(1).max(300),
  name: z.string().max(300),
  /** As the platform says; `application/octet-stream` when unknown. */
  media_type: z.string().max(200),
  bytes: z.number().int().min(0),
  /** Where the platform has it. Reached only through the platform that named it. */
  url: z.string().max(2000).optional(),
  /** Set for a voice message: its sender recorded it instead of writing. */
  voice: z.object({ seconds: z.number().min(0).optional() }).optional(),
});
/** A file somebody sent, by reference: its bytes are fetched when the turn runs. */
export type FileReference = z.infer<typeof fileReferenceSchema>;

const mentionSchema = z.object({
  id: z.string().min(1).max(200),
  /** As people read it. */
  name: z.string().max(200),
  kind: z.enum(["person", "group"]),
});
/** Somebody, or a group of people, whom a message names by a mention. Never the bot, and never everybody. */
export type Mention = z.infer<typeof mentionSchema>;

const originSchema = z.object({
  /** The platform's id of the message or command; absent where nobody wrote one (`Inbound.cause`). */
  message: z.string().min(1).max(300).optional(),
  /** When it was said, ms since the epoch. */
  said_at: z.number(),
  files: z.array(fileReferenceSchema).max(50).default([]),
  /** Whether it stands in a thread that was there before it, which is then read too. */
  in_thread: z.boolean().default(false),
  /** Whom it mentions. */
  mentions: z.array(mentionSchema).max(50).optional(),
});
/** Where on a chat platform something was said. Its turn is shown and answered there. */
export type Origin = z.infer<typeof originSchema>;

export const commandSchema = z.object({
  /** `skill enable`. */
  name: z.string().min(1).max(100),
  operation: z.string().min(1).max(100),
  /** Absent when something it needs was not written. */
  input: z.custom<Json>().optional(),
});
/** A slash command as it was understood when it came in. */
export type GivenCommand = z.infer<typeof commandSchema>;

const causeSchema = z.object({
  kind: z.enum(["schedule", "trigger"]),
  /** The id of the schedule or trigger. */
  id: z.string().min(1).max(200),
  /** Why it runs now, for people: `every weekday at 9:00 Europe/Berlin`. */
  because: z.string().max(500),
  /** What happened, as data for the model: text that nobody here vouches for. */
  happened: z.string().max(20_000).optional(),
  /** Who caused it, where those are people other than the author. Earlier versions kept one. */
  caused_by: z.union([z.array(z.string().max(200)).max(50), z.string().max(200)]).optional(),
  /** Its answer stands in the channel itself rather than in a thread. */
  in_channel: z.literal(true).optional(),
  /** The answer itself, Markdown: nothing is run and no model is asked. Set for reminders, and for what people are told of a schedule. */
  says: z.string().max(8_000).optional(),
});
/** Why a turn began that nobody wrote a message for. The author is who made the schedule or trigger, with the rights it runs with. */
export type Cause = z.infer<typeof causeSchema>;

const guideSchema = z.object({ skill: z.string().min(1).max(200), request: z.string() });
/** A guide that the agent is to follow in a turn, and what is asked of it. */
export type Guide = z.infer<typeof guideSchema>;

export const inboundSchema = z.object({
  /** The same for every delivery of the same message: the deduplication key. */
  key: z.string().min(1).max(300),
  namespace: namespaceSchema,
  thread: threadSchema,
  author: authorSchema,
  /** `command` is a slash command (`/skill list`); it does not wait in its thread's line. */
  kind: z.enum(["message", "command"]),
  /** As people read it. */
  text: z.string().max(maxMessageLength),
  /** Absent for help, for what is no command, and in commands that versions before this field stored. */
  command: commandSchema.optional(),
  /** Of a message that stands for `/skill run` of a guide. */
  guide: guideSchema.optional(),
  /** A command that stops something: it does not wait behind other commands. */
  urgent: z.literal(true).optional(),
  /** Set for turns that a schedule or a trigger began: `text` is what is to be done. */
  cause: causeSchema.optional(),
  /** Files that came with the message itself, kept as files of its turn: `id` is their name there. */
  files: z.array(fileReferenceSchema).max(50).optional(),
  /** Set by chat platforms alone: what comes through the API into a platform's namespace is not posted there. */
  origin: originSchema.optional(),
});
/** A message or command as a platform hands it in, verified and parsed. */
export type Inbound = z.infer<typeof inboundSchema>;

const ranks: readonly Trust[] = ["guest", "member", "manager", "operator"];

/** Whether somebody has at least this trust. */
export function hasTrust(author: Pick<Author, "trust">, least: Trust): boolean {
  return ranks.indexOf(author.trust) >= ranks.indexOf(least);
}

/** Somebody who repeats what another person asked: as themselves, with no more rights than either of the two has. */
export function onBehalfOf(author: Author, asker: Author): Author {
  return author.id === asker.id || hasTrust(asker, author.trust) ? author : { ...author, trust: asker.trust };
}

/** Whether somebody may change skills and settings of a channel: its managers, and a member in their own direct message. */
export function mayManage(author: Author, namespace: string): boolean {
  return hasTrust(author, "manager") || (isDirectMessage(namespace) && hasTrust(author, "member"));
}

/** Whether somebody may change what the whole bot has: its packages, servers and what code may reach. */
export function mayOperate(author: Author): boolean {
  return hasTrust(author, "operator");
}

/** Whether somebody may stop a turn: who asked, and managers. */
export function mayStop(author: Author, turn: { author: { id: string }; namespace: string }): boolean {
  return turn.author.id === author.id || hasTrust(author, "manager");
}

/** Whether somebody may approve what asks for this approver. A direct message makes nobody a manager here. */
export function mayApprove(
  author: Author,
  approver: Approver | Trust,
  turn: { author: { id: string } },
): boolean {
  if (approver !== "asker") return hasTrust(author, approver);
  return hasTrust(author, "manager") || (author.id === turn.author.id && hasTrust(author, "member"));
}

/** What a call does, and who decides about it. */

/**
 * What running a tool does to the world. A `read_only` or `idempotent` call may be run again after a crash; a
 * `side_effect` call that had started is not, and the model is told that its outcome is unknown.
 */
export type ToolEffect = "read_only" | "idempotent" | "side_effect";

/**
 * Who may decide about a call, the least first: the person the turn is for, a manager of the channel, an operator of the bot. Who
 * stands higher may decide too.
 */
export type Approver = (typeof approvers)[number];

export const approvers = ["asker", "manager", "operator"] as const;

/** Whether one approver may decide what asks for another. */
export function isAtLeast(approver: Approver, least: Approver): boolean {
  return approvers.indexOf(approver) >= approvers.indexOf(least);
}

/** That a call asks before it runs. */
export interface ApprovalNeed {
  approver: Approver;
  /** Why it asks: a whole sentence for people. */
  reason: string;
}

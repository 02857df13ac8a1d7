import { z } from "zod";
import { namespaceSpelling, threadSpelling } from "../../base/place-names.ts";
import { named } from "./label.ts";

/**
 * The state of one channel or direct message: `platform:workspace:channel`, e.g. `console:local:general`. Namespaces are never shared:
 * skills, settings and memory of one are not visible in another.
 */
export const namespaceSchema = z
  .string()
  .max(namespaceSpelling.maxChars)
  .regex(namespaceSpelling.pattern, namespaceSpelling.expected);

/** One conversation inside a namespace; its turns run in order. */
export const threadSchema = z
  .string()
  .min(1)
  .max(threadSpelling.maxChars)
  .regex(threadSpelling.pattern, threadSpelling.expected);

/** A namespace and a thread: where a message was sent. */
const placeSchema = z.object({ namespace: namespaceSchema, thread: threadSchema });
export type Place = z.infer<typeof placeSchema>;

/** The parts of a namespace. The channel is everything after the workspace; a namespace of two parts has none. */
export function partsOf(namespace: string): { platform: string; workspace: string; channel: string } {
  const [platform = "", workspace = "", ...channel] = namespace.split(":");
  return { platform, workspace, channel: channel.join(":") };
}

/** Whether a namespace belongs to a platform and, if given, to a workspace on it. */
export function isWithin(namespace: string, platform: string, workspace?: string): boolean {
  const parts = partsOf(namespace);
  return parts.platform === platform && (workspace === undefined || parts.workspace === workspace);
}

/** Whether a namespace is a direct message. There a person manages their own skills, settings and memory. */
export function isDirectMessage(namespace: string): boolean {
  const channel = namespace.slice(namespace.lastIndexOf(":") + 1);
  return channel === "dm" || channel.startsWith("dm-");
}

/** The place as its people call it: `this channel`. */
export function hereInWords(namespace: string): string {
  return isDirectMessage(namespace) ? "this direct message" : "this channel";
}

/** Name of the console and the terminal for people. Namespaces that belong to no chat platform are theirs. */
export const webChat = "the web chat";

/** Description of a namespace. */
export interface PlaceDescription {
  /** The platform's name for people: `Slack`, `Discord`, `the web chat`. */
  platform: string;
  kind: "channel" | "direct_message";
  /** The namespace. */
  id: string;
  /** Name of a channel as its people wrote it, without `#`; absent while unknown. */
  name?: string | undefined;
}

/** The people in a place. */
interface PlacePeople {
  /** The name that people call the bot by. */
  bot: string;
  /** The person of a direct message, if known. */
  person?: { name: string; id: string } | undefined;
}

/**
 * A place in words for a sentence of a model's instructions: `the channel "payments-team" (slack:T0ACME:C0PAY) on Slack`, `a direct message
 * with "Anna" (U0ANNA) on Slack`. Names are labels; what people write about a channel is no part of it.
 */
export function placeLine({ platform, kind, id, name }: PlaceDescription, people: PlacePeople): string {
  const where = platform === webChat ? `in ${platform}` : `on ${platform}`;
  if (kind === "channel")
    return `${name === undefined ? "a channel" : `the channel ${named(name, id)}`} ${where}`;
  const { bot, person } = people;
  return `a direct message ${person === undefined ? `to ${bot}` : `with ${named(person.name, person.id)}`} ${where}`;
}

/**
 * Identifies one person across a platform: `platform:workspace:user`. A user id alone is ambiguous: two platforms, or two workspaces of
 * one, may give the same id to different people.
 */
export function personKey(namespace: string, userId: string): string {
  const { platform, workspace } = partsOf(namespace);
  return `${platform}:${workspace}:${userId}`;
}

/**
 * A person's name for pages outside the chat: `Ada (Slack)`.
 * @param place a namespace or a `personKey`: any text that begins with the platform
 */
export function shownPerson(place: string, name: string): string {
  const { platform } = partsOf(place);
  return `${name} (${platform.slice(0, 1).toUpperCase()}${platform.slice(1)})`;
}

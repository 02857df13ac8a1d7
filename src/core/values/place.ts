import { z } from "zod";
import { onOneLine } from "../../base/invisible-text.ts";
import { namespaceSpelling, threadSpelling } from "../../base/place-names.ts";

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

/** Description of a namespace for people. Names and topics are unchanged texts of people: untrusted, and of any length. */
export interface PlaceDescription {
  /** The platform's name for people: `Slack`, `Discord`, `the web chat`. */
  platform: string;
  kind: "channel" | "direct_message";
  /** Name of a channel, without `#`; absent while unknown. */
  name?: string | undefined;
  topic?: string | undefined;
}

/** The people in a place. */
interface PlacePeople {
  /** The name that people call the bot by. */
  bot: string;
  /** The person of a direct message, if known. */
  person?: string | undefined;
}

/** Maximum characters shown of a name or topic. */
const maxShown = 300;

/**
 * A place in words for a sentence of a model's instructions: `#payments-team on Slack (topic: "Refunds")`, `a direct message with Anna on
 * Slack`, `the channel general of the web chat`. Names and topics come from people: each is put on one line of at most 300 characters, and
 * cannot open a tag.
 */
export function placeLine(description: PlaceDescription, people: PlacePeople): string {
  const { platform, kind } = description;
  if (kind === "direct_message") {
    const where = platform === webChat ? `in ${platform}` : `on ${platform}`;
    const person = plain(people.person ?? "");
    return person === ""
      ? `a direct message to ${people.bot} ${where}`
      : `a direct message with ${person} ${where}`;
  }
  const topic = plain(description.topic ?? "");
  return `${channel(platform, plain(description.name ?? ""))}${topic === "" ? "" : ` (topic: "${topic}")`}`;
}

function channel(platform: string, name: string): string {
  if (platform === webChat)
    return name === "" ? `a channel of ${platform}` : `the channel ${name} of ${platform}`;
  return name === "" ? `a channel on ${platform}` : `#${name.replace(/^#+/, "")} on ${platform}`;
}

function plain(text: string): string {
  const line = onOneLine(text);
  const cut = line.length <= maxShown ? line : `${wholeCharacters(line.slice(0, maxShown - 1))}…`;
  return cut.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "'");
}

/** The text without half an emoji at its end. */
function wholeCharacters(text: string): string {
  return text
    .toWellFormed()
    .replace(/\ufffd$/, "")
    .trimEnd();
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

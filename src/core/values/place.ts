import { z } from "zod";

/**
 * The state of one channel or direct message: `platform:workspace:channel`, e.g. `console:local:general`.
 * Namespaces are never shared: skills, settings and memory of one are not seen in another.
 */
export const namespaceSchema = z
  .string()
  .max(200)
  .regex(
    /^[a-z][a-z0-9-]*(:[A-Za-z0-9._~-]+){1,3}$/,
    "expected platform:workspace:channel, e.g. console:local:general",
  );

/** One conversation inside a namespace; turns in it run in order. */
export const threadSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9._~:-]+$/, "expected letters, digits and . _ ~ : -");

/** Where something was said. */
const placeSchema = z.object({ namespace: namespaceSchema, thread: threadSchema });
export type Place = z.infer<typeof placeSchema>;

/** What a namespace is made of. The channel is all that stands behind the workspace; a namespace of two parts has none. */
export function partsOf(namespace: string): { platform: string; workspace: string; channel: string } {
  const [platform = "", workspace = "", ...channel] = namespace.split(":");
  return { platform, workspace, channel: channel.join(":") };
}

/** Whether a namespace is one of a platform and, where that is given, of a workspace on it. */
export function isWithin(namespace: string, platform: string, workspace?: string): boolean {
  const parts = partsOf(namespace);
  return parts.platform === platform && (workspace === undefined || parts.workspace === workspace);
}

/** Whether a namespace is a direct message: there a person manages their own skills, settings and memory. */
export function isDirectMessage(namespace: string): boolean {
  const channel = namespace.slice(namespace.lastIndexOf(":") + 1);
  return channel === "dm" || channel.startsWith("dm-");
}

/** What the console and the terminal are called. Namespaces that no chat platform has are theirs. */
export const webChat = "the web chat";

/** What a namespace is to the people in it. Names and topics are as people wrote them: untrusted, of any length. */
export interface PlaceDescription {
  /** As people call it: `Slack`, `Discord`, `the web chat`. */
  platform: string;
  kind: "channel" | "direct_message";
  /** Of a channel, without `#`; absent while it is not known. */
  name?: string | undefined;
  topic?: string | undefined;
}

/** Who is in a place. */
export interface PlacePeople {
  /** The name people call the bot by. */
  bot: string;
  /** The person of a direct message, as far as known. */
  person?: string | undefined;
}

/** The longest name or topic that is shown, characters. */
const longest = 300;

/**
 * A place in words for a sentence of a model's instructions: `#payments-team on Slack (topic: "Refunds")`,
 * `a direct message with Anna on Slack`, `the channel general of the web chat`. Names and topics come from people: each is one
 * line of at most 300 characters and can open no tag.
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
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Z}]+/gu, " ").trim();
  const cut = line.length <= longest ? line : `${wholeCharacters(line.slice(0, longest - 1))}…`;
  return cut.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "'");
}

/** Without half of an emoji at the end. */
function wholeCharacters(text: string): string {
  return text
    .toWellFormed()
    .replace(/\ufffd$/, "")
    .trimEnd();
}

/**
 * What stands for one person wherever they are on their platform: `platform:workspace:user`. The id of a user alone does not: two
 * platforms, and two workspaces of one, may give the same id to different people.
 */
export function personKey(namespace: string, userId: string): string {
  const { platform, workspace } = partsOf(namespace);
  return `${platform}:${workspace}:${userId}`;
}

/**
 * A person as pages outside the chat show them: `Ada (Slack)`.
 * @param place a namespace or a `personKey`: what begins with the platform
 */
export function shownPerson(place: string, name: string): string {
  const { platform } = partsOf(place);
  return `${name} (${platform.slice(0, 1).toUpperCase()}${platform.slice(1)})`;
}

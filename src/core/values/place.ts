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

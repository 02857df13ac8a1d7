/** What a decision about a call for good is bound to: the tool as it is, and where the call goes. */
import { z } from "zod";
import { canonicalJson, type Json } from "./json.ts";

export const bindingSchema = z.object({
  /** Empty for tools of the agent itself. */
  skill_id: z.string(),
  tool: z.string(),
  /** Names the tool, or the code it runs, as it is now. */
  definition: z.string(),
  /** Arguments that say where the call goes, by their paths, and what else the decision depends on. */
  values: z.record(z.string(), z.json()),
});
/** What "always here" and "never" are bound to: a call that differs in any of it asks again. */
export type Binding = z.infer<typeof bindingSchema>;

export function isSameBinding(one: Binding, other: Binding): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/**
 * Words in the name of an argument that say where a call goes or what it runs. `to`, `cc_list`, `channelId` and `webhook_url` count,
 * at any depth. An argument that is taken for one without being one only makes the decision narrower.
 */
const destinationWords = new Set(
  (
    "to cc bcc recipient recipients receiver receivers channel channels room rooms conversation conversations chat chats group groups " +
    "email emails mail user users member members person people contact contacts attendee attendees invitee invitees assignee " +
    "assignees address addresses phone number url urls uri uris href link links endpoint webhook host hosts hostname domain server " +
    "destination target account team workspace org organization owner repo repository project calendar list board bucket path file " +
    "command script"
  ).split(" "),
);

/** Characters of JSON that are kept of a call's destinations; a call with more of them is asked about each time. */
const maxDestinations = 4_000;

/**
 * The arguments of a call that a decision for good is bound to, by their paths: `message.to`. Undefined when there are more than can
 * be kept.
 */
export function destinationsIn(input: Json): Record<string, Json> | undefined {
  const found: Record<string, Json> = {};
  const open: { path: string; members: Json }[] = [{ path: "", members: input }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, members } = next;
    if (path.length > maxDestinations) return undefined;
    const isList = Array.isArray(members);
    for (const [name, value] of membersOf(members)) {
      const at = path === "" ? name : `${path}.${name}`;
      if (!isList && isDestination(name)) found[at] = value;
      else open.push({ path: at, members: value });
    }
  }
  return lengthOf(found) > maxDestinations ? undefined : found;
}

function membersOf(value: Json): [string, Json][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Characters of JSON; endless for what is nested too deeply to be written. */
function lengthOf(value: unknown): number {
  try {
    return canonicalJson(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function isDestination(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => destinationWords.has(word));
}

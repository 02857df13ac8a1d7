/**
 * What a decision about a call for good is bound to: the tool as it is, and its arguments. "Always here" is bound to every argument
 * that is not known to be free text, so that an argument with an unknown name makes the decision narrower. "Never" is bound to the
 * destination alone, so that it refuses more than "always here" allows.
 */
import { z } from "zod";
import { isContainer } from "../../base/record.ts";
import { sha256 } from "../../base/sha256.ts";
import { canonicalJson, type Json } from "./json.ts";
import { jsonSchema } from "./json-schema.ts";

const valuesSchema = z.record(z.string(), jsonSchema);

export const bindingSchema = z.object({
  /** Empty for tools of the agent itself. */
  skill_id: z.string(),
  tool: z.string(),
  /** Names the tool, or the code it runs, as it is now. */
  definition: z.string(),
  /** Arguments that have to be the same, by their paths, and what else the decision depends on. */
  values: valuesSchema,
  /** Arguments that are open because the tool says so (`Tool.open`); absent where there are none. */
  open: z.array(z.string()).optional(),
  /** What "never" is bound to instead of `values`; absent where it is the same. */
  refuses: valuesSchema.optional(),
});
/** What "always here" and "never" are bound to: a call that differs in any of it asks again. */
export type Binding = z.infer<typeof bindingSchema>;

/** Whether two bindings mean the same calls. */
export function isSameBinding(one: Binding, other: Binding): boolean {
  const callsOf = ({ skill_id, tool, definition, values }: Binding) =>
    canonicalJson([skill_id, tool, definition, values]);
  return callsOf(one) === callsOf(other);
}

/** What "never" to a call of this binding is bound to. */
export function refusalOf({ open: _, refuses, ...binding }: Binding): Binding {
  return { ...binding, values: refuses ?? binding.values };
}

/** What a call is bound by, beside its own arguments. */
interface Bound {
  args: ReadArguments;
  open?: readonly string[] | undefined;
  /** Further values, e.g. the hosts that it asks for. */
  more?: Binding["values"] | undefined;
}

/** What decisions for good about a call are bound to; undefined where its arguments are more than can be kept. */
export async function bindCall(
  names: Pick<Binding, "skill_id" | "tool" | "definition">,
  input: Json,
  { args, open = [], more }: Bound,
): Promise<Binding | undefined> {
  const destinations = destinationsIn(input);
  const kept = await keptValues(args.bound);
  if (destinations === undefined || kept === undefined) return undefined;
  // All that hosts were read from is bound already; people are told them in plain words.
  const values = { ...more, ...kept };
  const refuses = { ...destinations, ...more };
  const left = open.filter((name) => name in args.free);
  return {
    ...names,
    values,
    ...(left.length === 0 ? {} : { open: left }),
    ...(canonicalJson(refuses) === canonicalJson(values) ? {} : { refuses }),
  };
}

/** Characters of JSON of one value that is kept as it is; of a longer one its length and SHA-256 are. */
const maxKeptCharacters = 500;
/** Characters of JSON of all values; more are kept as one. */
const maxKeptValues = 4_000;

/** Values as a binding keeps them. Undefined for what is nested too deeply to be written. */
export async function keptValues(bound: Record<string, Json>): Promise<Binding["values"] | undefined> {
  try {
    const kept: [string, Json][] = [];
    for (const [path, value] of Object.entries(bound)) {
      const text = canonicalJson(value);
      kept.push(text.length > maxKeptCharacters ? await hashed(path, text) : [path, value]);
    }
    const all = canonicalJson(Object.fromEntries(kept));
    return Object.fromEntries(all.length > maxKeptValues ? [await hashed("all but free text", all)] : kept);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** No path of an argument is written like this one. */
async function hashed(path: string, text: string): Promise<[string, Json]> {
  return [`${path} (${text.length} characters)`, await sha256(text)];
}

/** The arguments of a call as decisions for good look at them: what is free text, and what says where the call goes. */

/** Names of arguments that hold what people write for people to read, where each word of a name is one of these. */
const freeWords = new Set(
  (
    "text texts body content contents subject title headline heading caption description summary markdown html plain message msg " +
    "comment comments note notes reply"
  ).split(" "),
);

/** Of these, names under which some tools expect the id of a message or note instead. */
const mayBeReference = new Set("message msg comment comments note notes reply".split(" "));

/** Names of arguments that only hold others. */
const envelopes = new Set(
  (
    "data payload params parameters args arguments input request body message messages content contents item items block blocks " +
    "fields attributes properties post draft options"
  ).split(" "),
);

/** What a call's arguments say, for a decision for good. */
export interface ReadArguments {
  /** All that is not free text, by path. */
  bound: Record<string, Json>;
  /** The free text, by path. */
  free: Record<string, string>;
}

/**
 * Tells the free text of a call from everything else. `open`: names of arguments at the top that lead nowhere either, as the tool
 * itself says.
 */
export function readArguments(input: Json, open: readonly string[] = []): ReadArguments {
  if (!isContainer(input)) return { bound: { "": input }, free: {} };
  const bound: [string, Json][] = [];
  const free: [string, string][] = [];
  const inside: Inside[] = [{ path: "", members: input, open }];
  for (let next = inside.pop(); next !== undefined; next = inside.pop()) {
    for (const [name, value] of membersOf(next.members)) {
      const path = pathOf(next, name);
      const text = freeText(next, name, value);
      if (holdsOthers(next, name, value)) inside.push({ path, members: value });
      else if (text !== undefined) free.push([path, text]);
      else bound.push([path, value]);
    }
  }
  return { bound: Object.fromEntries(bound), free: Object.fromEntries(free) };
}

/** Arguments that are looked into, and their path. */
interface Inside {
  path: string;
  members: Json;
  open?: readonly string[];
}

function holdsOthers({ path, members }: Inside, name: string, value: Json): boolean {
  if (!isFilled(value) || path.length > maxPath) return false;
  return Array.isArray(members) || (envelopes.has(name.toLowerCase()) && !isDestination(name));
}

/** Characters of the path of an argument within envelopes; what lies deeper is bound as a whole. */
const maxPath = 300;

/** Two different paths are never written alike: odd names are quoted. */
function pathOf({ path }: Inside, name: string): string {
  const plain = /^(?!__)[\p{L}\p{N}_-]{1,100}$/u.test(name) ? name : JSON.stringify(name);
  return path === "" ? plain : `${path}.${plain}`;
}

function isFilled(value: Json): boolean {
  return isContainer(value) && Object.keys(value).length > 0;
}

/** The value where it is free text; of an argument that the tool says is open nothing has to be known. */
function freeText({ members, open = [] }: Inside, name: string, value: Json): string | undefined {
  if (open.includes(name)) return "";
  const words = wordsOf(name);
  if (typeof value !== "string" || Array.isArray(members) || words.length === 0) return undefined;
  if (!words.every((word) => freeWords.has(word))) return undefined;
  return words.every((word) => mayBeReference.has(word)) && isReference(value) ? undefined : value;
}

/** One word with a digit or a sign, as ids and handles are. */
function isReference(value: string): boolean {
  return !/\s/.test(value) && /[\d@#/<_]/.test(value);
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/**
 * Words in the name of an argument that say where a call goes or what it runs. `to`, `cc_list`, `channelId` and `webhook_url` count,
 * at any depth.
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

/** The destinations of a call, by their paths: `message.to`. Undefined when there are more than can be kept. */
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
  return isContainer(value) ? Object.entries(value) : [];
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

/** Characters of one value that is named. */
const maxValue = 100;
/** Characters of a button's label: Slack takes 75, Discord 80. */
const maxLabel = 70;

/** What could be decided for good, and the arguments of the call that asks. */
interface ForGood {
  binds: Pick<Binding, "values" | "open" | "refuses">;
  input: Json;
}

/** What "always here" would allow and "never" refuse, for people. `where` is where it would hold. */
export function alwaysText({ binds, input }: ForGood, where = "in this channel"): string {
  const { values, refuses = values } = binds;
  const open = openIn({ binds, input });
  const allowed = [destinationText(values), anyOf(open)].filter(Boolean).join(", ");
  const again = bindsNothing(values, open)
    ? " it asks again once a thread has read text that nobody here vouches for;"
    : "";
  const refused = refuses === values ? "" : ` with ${destinationText(refuses) || "any arguments"}`;
  const to = allowed === "" ? "" : ` with ${allowed}`;
  return `“Always here” allows this tool as it is now${to}, ${where};${again} “Never” refuses it${refused} without asking. Either holds until somebody takes it back (/agent approvals).`;
}

/** The words on the button of "always here": they say which arguments stay open. */
export function alwaysLabel({ binds, input }: ForGood): string {
  const any = anyOf(openIn({ binds, input }));
  const label = any === "" ? "Always here" : `Always here, ${any}`;
  return label.length > maxLabel ? `${label.slice(0, maxLabel - 1)}…` : label;
}

/** Paths of the arguments that may be anything. */
function openIn({ binds, input }: ForGood): string[] {
  return Object.keys(readArguments(input, binds.open).free);
}

function anyOf(open: readonly string[]): string {
  return open.length === 0 ? "" : `any ${open.join(", ")}`;
}

/** Values a decision is bound to: `to = ann@example.com`; empty when there are none. */
export function destinationText(values: Binding["values"]): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : canonicalJson(value);
      return `${name} = ${text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text}`;
    })
    .join(", ");
}

/**
 * Whether a decision with these values and open arguments says nothing of where a call goes: yes and no, nothing and what is empty lead
 * nowhere. All that it says is which tool.
 */
export function bindsNothing(values: Binding["values"], open: readonly string[]): boolean {
  const leadsNowhere = Object.values(values).every((value) => {
    if (isContainer(value)) return Object.keys(value).length === 0;
    return typeof value === "boolean" || value === null || value === "";
  });
  return leadsNowhere && open.length > 0;
}

import { isContainer } from "../../base/record.ts";
import { canonicalJson, type Json, objectOf } from "./json.ts";

/** The arguments of a call as standing decisions see them: which are free text, and which say where the call goes. */

/** Arguments with text that people write for people: each word of the argument's name is one of these. */
const freeWords = new Set(
  (
    "text texts body content contents subject title headline heading caption description summary markdown html plain message msg " +
    "comment comments note notes reply"
  ).split(" "),
);

/** Those of the names above under which some tools expect the id of a message or note. */
const mayBeReference = new Set("message msg comment comments note notes reply".split(" "));

/** Names of arguments that only contain other arguments. */
const envelopes = new Set(
  (
    "data payload params parameters args arguments input request body message messages content contents item items block blocks " +
    "fields attributes properties post draft options"
  ).split(" "),
);

/** A call's arguments, split for a standing decision. */
export interface ReadArguments {
  /** All arguments except free text, by path. */
  bound: Record<string, Json>;
  /** The free text, by path. */
  free: Record<string, string>;
}

/**
 * Separates the free text of a call from all other arguments. `open`: names of top-level arguments that the tool itself declares to be
 * free.
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

/** A container whose members are examined, and its path. */
interface Inside {
  path: string;
  members: Json;
  open?: readonly string[];
}

function holdsOthers({ path, members }: Inside, name: string, value: Json): boolean {
  if (!isFilled(value) || path.length > maxPath) return false;
  return Array.isArray(members) || (envelopes.has(name.toLowerCase()) && !isDestination(name));
}

/** Maximum characters of the path of an argument within containers. Deeper arguments are bound as a whole. */
const maxPath = 300;

/** Returns a unique form of each path: unusual names are quoted. */
function pathOf({ path }: Inside, name: string): string {
  return path === "" ? shownName(name) : `${path}.${shownName(name)}`;
}

/** The name of an argument as it may stand beside other words: in quotes if it is unusual. */
export function shownName(name: string): string {
  return /^(?!__)[\p{L}\p{N}_-]{1,100}$/u.test(name) ? name : JSON.stringify(name);
}

function isFilled(value: Json): boolean {
  return isContainer(value) && Object.keys(value).length > 0;
}

/** The value if it is free text. The value of an argument that the tool declares to be open does not matter. */
function freeText({ members, open = [] }: Inside, name: string, value: Json): string | undefined {
  if (open.includes(name)) return "";
  const words = wordsOf(name);
  if (typeof value !== "string" || Array.isArray(members) || words.length === 0) return undefined;
  if (!words.every((word) => freeWords.has(word))) return undefined;
  return words.every((word) => mayBeReference.has(word)) && isReference(value) ? undefined : value;
}

/** One word with a digit or sign, like an id or handle. */
function isReference(value: string): boolean {
  return !/\s/.test(value) && /[\d@#/<_]/.test(value);
}

/** The words of an argument's name, in lower case: `webhook_url` and `webhookUrl` have two. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/**
 * Words in the name of an argument that say where a call goes or what it runs. `to`, `cc_list`, `channelId` and `webhook_url` count, at any
 * depth.
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

/** Maximum JSON characters kept of a call's destinations; a call with more of them asks each time. */
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

/** Characters of the JSON; infinite for a value that is nested too deeply to be written. */
function lengthOf(value: unknown): number {
  try {
    return canonicalJson(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Whether the name, or the path, of an argument says where a call goes or what it runs. */
export function isDestination(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => destinationWords.has(word));
}

/** A call as people read it when somebody has to approve it, and in the audit. */
export interface CallInWords {
  /** What it does, as the words that follow “May I”: `send a message to #general`. One line of plain text, without free text. */
  deed: string;
  /** The argument whose text other people will see, or that runs: shown as a quote. */
  quotes?: string | undefined;
  /** The arguments that the deed or the question already contains. All others are listed below it. */
  names?: readonly string[] | undefined;
  /** The quoted text may be changed by the person who approves the call; the changed text is then what runs. */
  edits?: true | undefined;
}

/** The only person who may decide: what is asked is about them. */
export interface OnlyDecider {
  id: string;
  name: string;
  /** The deed as they read it: `send you direct messages for Ann`. */
  deed?: string | undefined;
  /** They may also approve all further calls of the answer that ask for the same. */
  for_answer?: true | undefined;
}

/** Maximum arguments in a deed, and maximum characters of each. */
const maxNamed = 3;
const maxNamedLength = 60;

/**
 * A call in words, from its names and arguments alone: `run “close deal” of the server “crm” with id 7`. Quotes the longest free text.
 * @param of the skill or server that the tool belongs to, in words; empty for the bot's own tools
 */
export function callInWords(tool: string, of: string, input: Json, open?: readonly string[]): CallInWords {
  const { bound, free } = readArguments(input, open);
  const given = objectOf(input);
  const named = Object.entries(bound).filter(
    ([name, value]) => !isContainer(value) && name in given && String(value).length <= maxNamedLength,
  );
  const shown = named.length > maxNamed ? [] : named;
  const [quotes] = Object.keys(free)
    .filter((name) => typeof given[name] === "string" && given[name] !== "")
    .sort((one, other) => String(given[other]).length - String(given[one]).length);
  const details = shown.map(([name, value]) => `${inSmallWords(shownName(name))} ${inQuotes(value)}`);
  const called = inSmallWords(tool).replace(/["“”„]/g, "'");
  const deed = `run “${called}”${of}${details.length === 0 ? "" : ` with ${details.join(", ")}`}`;
  return { deed, names: shown.map(([name]) => name), quotes };
}

/** A value beside other words, which it can neither end nor continue: texts are in quotes. */
export function inQuotes(value: Json): string {
  return JSON.stringify(value);
}

/** `close_deal` and `closeDeal` → `close deal`. */
function inSmallWords(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
}

/** The input with the edited text in place of the quoted one. */
export function editedInput(input: Json, words: CallInWords | undefined, edited: string | undefined): Json {
  if (edited === undefined || words?.quotes === undefined) return input;
  return { ...objectOf(input), [words.quotes]: edited };
}

/** The text that people may change before they approve a call; undefined if there is none. */
export function textToEdit({
  says,
  input,
}: {
  says?: CallInWords | undefined;
  input: Json;
}): string | undefined {
  const text = says?.edits === true && says.quotes !== undefined ? objectOf(input)[says.quotes] : undefined;
  return typeof text === "string" ? text : undefined;
}

import type { Effort, Message, UserMessage } from "./message.ts";

/** Web addresses as they are compared and found in texts. */

/** Scheme, default port, fragment and a slash at the end make no difference; the query does, letter by letter. */
export interface WebAddress {
  /** What two addresses that are the same have in common. */
  key: string;
  /** As in grants: with the port where it is not the scheme's own. */
  host: string;
}

const maxLength = 8_000;

/** Reads a full http or https address; undefined for anything else. */
export function readAddress(text: string): WebAddress | undefined {
  if (text.length > maxLength) return undefined;
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  const host = url.host.replace(/\.(?=:|$)/, "");
  const login = url.username === "" && url.password === "" ? "" : `${url.username}:${url.password}@`;
  return { key: `${login}${host}${url.pathname.replace(/\/$/, "")}${url.search}`, host };
}

/** The host of a `WebAddress` by its key. */
export function hostOfKey(key: string): string {
  return /^[^/?]*/.exec(key)?.[0].replace(/^.*@/, "") ?? "";
}

/**
 * What one owner likely has of a host: the last two labels of its name, or three where the country's domain has few letters before it
 * (`example.co.uk`). Of addresses IPv4 stays whole, IPv6 counts by its first 48 bits, the least a site is given (RFC 6177). Ports make no
 * difference: one owner has them all.
 */
export function siteOf(host: string): string {
  const name = host.replace(/:\d+$/, "");
  if (name.startsWith("[")) return siteOfIpv6(name);
  const labels = name.split(".");
  if (/^\d+$/.test(labels.at(-1) ?? "")) return name;
  const isShort = (labels.at(-1)?.length ?? 0) === 2 && (labels.at(-2)?.length ?? 0) <= 3;
  return labels.slice(isShort ? -3 : -2).join(".");
}

/** Of an address as `URL` writes it, in brackets. One that stands for an IPv4 address is of that address's site. */
function siteOfIpv6(name: string): string {
  const [front = "", back] = name.slice(1, -1).split("::");
  const groupsOf = (text: string) => (text === "" ? [] : text.split(":"));
  const [first, last] = [groupsOf(front), groupsOf(back ?? "")];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const groups = [...first, ...zeros, ...last];
  const isMapped = groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff";
  if (!isMapped) return `[${groups.slice(0, 3).join(":")}::]`;
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join(".");
}

/**
 * Whether two addresses of one site, by their keys, are alike but for one segment of the path or one parameter. Which of many such
 * links is followed spells out one character of something; host, port and login make no difference.
 */
export function differInOnePlace(one: string, other: string): boolean {
  const [[path, query], [otherPath, otherQuery]] = [placesOf(one), placesOf(other)];
  return differences(path, otherPath) + differences(query, otherQuery) <= 1;
}

function placesOf(key: string): [path: string[], query: string[]] {
  const [before = "", query = ""] = splitAt(key.slice(/^[^/?]*/.exec(key)?.[0].length ?? 0), "?");
  return [before.split("/"), query === "" ? [] : query.split("&")];
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function differences(one: readonly string[], other: readonly string[]): number {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other];
  return longer.filter((part, at) => part !== shorter[at]).length;
}

/** Whether two hosts are one site to people: the same, but for `www.`. */
export function isSameSite(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

function bare(host: string): string {
  return host.replace(/^www\./, "");
}

/** Addresses of one text that are found at most. */
const maxFound = 500;

const full = /https?:\/\/[^\s<>"'`“”‘’«»|\\^{}]{1,8000}/giu;

/** A name with a dot, or `localhost` with a port, as people write them without a scheme. */
const bareName =
  /(?<![\p{L}\p{N}_@./-])(?:(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d{1,5})?(?![\p{L}\p{N}@-])(?:[/?][^\s<>"'`“”‘’«»|\\^{}]{0,4000})?/giu;

/** The full addresses in a text. What ends a sentence or a bracket around an address may be part of it or not: both are answered. */
export function linksIn(text: string): WebAddress[] {
  return found(text, full, "");
}

/** The addresses a person names in a text, without a scheme too: `example.com/docs`. */
export function addressesIn(text: string): WebAddress[] {
  return [...linksIn(text), ...found(text, bareName, "http://")];
}

function found(text: string, pattern: RegExp, scheme: string): WebAddress[] {
  const all = new Map<string, WebAddress>();
  const seen = new Set<string>();
  for (const [written] of text.matchAll(pattern)) {
    if (all.size >= maxFound) break;
    if (seen.has(written)) continue;
    seen.add(written);
    for (const variant of variantsOf(written)) {
      const address = readAddress(scheme + variant);
      if (address !== undefined) all.set(address.key, address);
    }
  }
  return [...all.values()];
}

/** As written, and without the punctuation at its end. */
function variantsOf(written: string): string[] {
  const variants = [written];
  let rest = written;
  while (/[.,;:!?)\]*_~]$/.test(rest) && variants.length < 8) {
    rest = rest.slice(0, -1);
    variants.push(rest);
  }
  return variants;
}

/**
 * The addresses a thread has shown its model: those that people and searches named, and the links of what was read. A fold over the
 * log's events, so that a resume and later turns know the same.
 */

/** What one event showed, or what a transcript takes over. Addresses are keys of `WebAddress`. */
export interface Seen {
  /** By people and searches. */
  named?: readonly string[] | undefined;
  /** Links of pages, and addresses that strangers wrote. */
  linked?: readonly string[] | undefined;
  /** A stranger spoke, or a name leads somewhere. What else is untrusted is seen in the transcript (`untrusted.ts`). */
  untrusted?: true | undefined;
}

/** All that was seen, put together. */
export interface SeenAddresses {
  named: Set<string>;
  /** Hosts of these. */
  hosts: Set<string>;
  linked: Set<string>;
  untrusted: boolean;
}

export function createSeenAddresses(): SeenAddresses {
  return { named: new Set(), hosts: new Set(), linked: new Set(), untrusted: false };
}

/** Adds what an event showed. */
export function see(all: SeenAddresses, { named = [], linked = [], untrusted }: Seen): void {
  for (const key of named) {
    all.named.add(key);
    all.hosts.add(hostOfKey(key));
  }
  for (const key of linked) all.linked.add(key);
  if (untrusted === true) all.untrusted = true;
}

/** Addresses of a kind that a transcript takes over from the one before. */
const maxCarried = 300;

/** The same as one value, the latest addresses only. */
export function summaryOf(all: readonly SeenAddresses[], carried: Seen): Seen {
  const last = (keys: readonly string[]) => [...new Set(keys)].slice(-maxCarried);
  const untrusted = carried.untrusted === true || all.some((each) => each.untrusted);
  return {
    named: last([...(carried.named ?? []), ...all.flatMap(({ named }) => [...named])]),
    linked: last([...(carried.linked ?? []), ...all.flatMap(({ linked }) => [...linked])]),
    ...(untrusted ? { untrusted } : {}),
  };
}

/** What messages show by themselves, where no event tells more: what people said. */
export function seenInMessages(messages: readonly Message[]): Seen {
  return {
    named: messages.flatMap((message) =>
      message.role === "user" ? addressesIn(message.said ?? "").map(({ key }) => key) : [],
    ),
  };
}

/** Whether a name or a topic, which anybody may have set, leads to a page. `bob.smith` and `Node.js` do not. */
export function namesSite(text: string): boolean {
  return addressesIn(text).some(({ key, host }) => key !== host) || linksIn(text).length > 0;
}

/**
 * What a transcript has told the model about the channel. Compared with the channel as it is now before each model call;
 * the difference is told in a system message, and becomes part of this.
 */
export interface Told {
  /** The agent that has the turn. */
  agent: string;
  /** Where this is, in words. */
  place: string;
  /** Skills in the list: id → its line. */
  skills: Readonly<Record<string, string>>;
  /** Ids of skills that did not fit into the list, and are found with `list_skills`. */
  unlisted: readonly string[];
  /** Skills whose tools are there without activation. */
  open: readonly string[];
  /** Active skills: id → fingerprint of the guide the model was given. */
  active: Readonly<Record<string, string>>;
  /** Pinned facts of the channel, as `factLine` writes them. */
  facts: readonly string[];
  /** Agents a turn can be handed to: id → what for. */
  agents: Readonly<Record<string, string>>;
  effort?: Effort | undefined;
  /** Tools that a provider refuses: name → fingerprint of the definition. */
  left_out?: Readonly<Record<string, string>> | undefined;
}

/** A short name for a text: FNV-1a, 32 bits, eight hex digits. Tells texts apart; it protects nothing. */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/**
 * What a model has read that nobody here vouches for: results of tools, files, what bots and guests wrote, texts of skills that did not
 * ship with the bot. Members of a channel and its managers are believed. A transcript keeps the list as it grows, so asking costs
 * nothing, and what was read once stays read.
 */

/**
 * `result`: of a tool. `outsider`: a file, or the words of a bot or a guest. `skill`: the guide or the tools of a skill from elsewhere.
 * `summary`: of an earlier transcript that had any of these, of an earlier version, or of turns without details. `code`: a skill from elsewhere makes the call.
 */
export type Untrusted = "result" | "outsider" | "skill" | "summary" | "code";

/** What of a transcript is untrusted, and the skills whose guides it has told. A fold over its steps. */
export interface ReadSoFar {
  readonly untrusted: Set<Untrusted>;
  readonly guides: Set<string>;
}

interface Opened {
  messages: readonly Message[];
  summary?: object | undefined;
  untrusted?: readonly Untrusted[] | undefined;
  active: readonly string[];
}

/** What stands in a transcript when it opens. */
export function readAtOpening(
  { messages, summary, untrusted, active }: Opened,
  guides: Iterable<string>,
): ReadSoFar {
  const read: ReadSoFar = { untrusted: new Set(untrusted), guides: new Set([...guides, ...active]) };
  if (summary !== undefined && untrusted === undefined) read.untrusted.add("summary");
  for (const message of messages) noteMessage(read, message);
  return read;
}

/** Tools of the agent itself whose results are the person's words, or the bot's own. Guides are counted by their skills. */
const ownWords: ReadonlySet<string> = new Set(["ask_user", "handoff", "activate_skill", "offload_skill"]);

/** Whether what a tool answers is nobody's here. */
export function isForeignResult(tool: string): boolean {
  return !ownWords.has(tool);
}

/** Blocks that hold files, the words of bots and of people from outside, and what a trigger waited for; a text cannot make them itself (`user-message.ts`). */
const blocksOfOthers =
  /<attached_file |<thread_message from="[^"]* \((?:a bot|from outside)\)"|<what_happened>/;

/** Takes in a message that joins the transcript. */
export function noteMessage({ untrusted }: ReadSoFar, message: Message): void {
  if (message.role === "tool" && isForeignResult(message.tool)) untrusted.add("result");
  if (message.role === "user" && isOfOutsiders(message)) untrusted.add("outsider");
}

/** Whether a message has words of guests, bots or people from outside, or files. */
export function isOfOutsiders({ by_guest, text }: UserMessage): boolean {
  return by_guest === true || blocksOfOthers.test(text);
}

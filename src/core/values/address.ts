import { pattern } from "../../base/pattern.ts";
import { invisible } from "../../base/text/invisible-text.ts";
import type { Message } from "./message.ts";

/** Web addresses: how they are compared, and how they are found in texts. */

/** Comparison ignores the scheme, the default port, the fragment and a trailing slash; the query has to be identical. */
export interface WebAddress {
  /** Equal for addresses that are considered the same. */
  key: string;
  /** As in grants: with the port if it is not the scheme's default. */
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

/** The host of a `WebAddress` key. */
export function hostOfKey(key: string): string {
  return /^[^/?]*/.exec(key)?.[0].replace(/^.*@/, "") ?? "";
}

/**
 * Whether two addresses of one site, by their keys, differ in at most one path segment or one parameter. The choice among many such links
 * can spell out data one character at a time. Host, port and login make no difference.
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

/** Whether people would consider two hosts the same site: equal except for `www.`. */
export function isSameSite(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

function bare(host: string): string {
  return host.replace(/^www\./, "");
}

/** Maximum addresses found in one text. */
const maxFound = 500;

const full = /https?:\/\/[^\s<>"'`“”‘’«»|\\^{}]{1,8000}/giu;

/** A name with a dot, or `localhost` with a port, as people write them without a scheme. */
const bareName =
  /(?<![\p{L}\p{N}_@./-])(?:(?:(?!-)[\p{L}\p{N}-]{1,63}(?<!-)\.){1,8}\p{L}{2,24}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d{1,5})?(?![\p{L}\p{N}@-])(?:[/?][^\s<>"'`“”‘’«»|\\^{}]{0,4000})?/giu;

/** The same as programs read it: with any name that a resolver takes, in ASCII, with a final dot, or an address of a machine. */
const readName =
  /(?<![\p{L}\p{N}_./-])(?:(?:[\p{L}\p{N}_-]{1,63}\.){1,8}(?:xn--[a-z\d-]{1,59}|\p{L}{2,24})|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?:\.?:\d{1,5})?(?![\p{L}\p{N}-])(?:\.?[/?][^\s<>"']{0,4000})?/giu;

/** The full addresses in a text. Punctuation after an address may belong to it or not, so both variants are returned. */
export function linksIn(text: string): WebAddress[] {
  return found(text, full, "");
}

/** The addresses that a person names in a text, including those without a scheme: `example.com/docs`. */
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

/** What stands before an address with a scheme, the scheme, and the rest of it. */
const scheme = /^(\S*?)(?<![\p{L}\p{N}])((?:https?|ftp|wss?):|[a-z][a-z\d+.-]{0,40}:(?=[\\/]{2}))(.*)$/isu;

/**
 * Where an address begins inside a text: behind a scheme that needs no slashes, behind two slashes or backslashes after any scheme or none, or
 * as git and scp read it, `git@example.com:path`.
 */
const begun =
  /(?:(?:https?|ftp|wss?):|[\\/]{2})[\\/]*([^\s<>"]{1,8000})|(?<=[^\s@:/\\])@([^\s@:/\\]{1,253}:[^\s<>"]{1,8000})/giu;

/** How often a text is decoded: an address may be encoded within an encoded text. */
const maxDecoded = 3;

/**
 * The addresses to which a program may send a request that is given this text, as liberally as any program reads it: the text as one address,
 * with spaces, line breaks, backslashes or another scheme; addresses inside a sentence and of `user@host:path`, encoded for an address or for
 * HTML. Names with a path or query, as in `example.com/a`, come without a scheme: they may be something else. `isName`: names in the text are
 * addresses also without a path, a number is one, and so is the whole text if its scheme names no host.
 */
export function requestsIn(text: string, isName: boolean): string[] {
  const found = new Set<string>();
  const keep = (address: string) => {
    const url = URL.parse(address.slice(0, maxLength));
    if (url !== null && found.size < maxFound) found.add(url.href.slice(0, maxLength));
  };
  let rest = text;
  for (let times = 0; times <= maxDecoded && rest.trim() !== ""; times += 1) {
    keep(wholeOf(rest, isName));
    // What is an address already is read as it is; the rest may be one when it is decoded.
    const others = rest.replace(hidden, "").replace(begun, (written, named?: string, remote = "") => {
      const address = `http://${variantsOf(named ?? remote.replace(":", "/")).at(-1)}`;
      if (!hasHost(address)) return written;
      keep(address);
      return " ";
    });
    const names = others.replace(/[。．｡]/g, ".").replaceAll("@", " ");
    for (const [name] of names.matchAll(readName))
      if ((isName ? /[./?]/ : /[/?]/).test(name) && found.size < maxFound) found.add(name);
    rest = decoded(others);
    if (rest === others) break;
  }
  return [...found];
}

const allInvisible = pattern("gv")`${invisible}`;

/** Characters that nobody sees, apart from blanks and line breaks. */
const hidden = pattern("gv")`(?!\s)${invisible}`;

/** Whether the host of an address is more than one plain word. */
function hasHost(address: string): boolean {
  return /[^\w-]/.test(URL.parse(address.slice(0, maxLength))?.hostname ?? "");
}

/** The whole text as one address; empty if it is none. */
function wholeOf(text: string, isName: boolean): string {
  const plain = text.replace(allInvisible, "").trim();
  const [, before = "", name, rest = ""] = scheme.exec(plain) ?? [];
  if (name === undefined) return isName || /^[\\/]{2}/.test(plain) ? nameOf(plain) : "";
  const end = before === "" ? /$/ : /(?<!["'`>)\]])["'`>)\]]+$/;
  const address = `http${/s:$/i.test(name) ? "s" : ""}:${rest.replace(end, "")}`;
  return /^(?:https?|ftp|wss?):/i.test(name) || hasHost(address) ? address : "";
}

/** The address that a name with a dot is, or an address with a scheme that names no host, with the scheme in the place of the host. */
function nameOf(plain: string): string {
  const [, other, rest] = /^([a-z][a-z\d+.-]{1,40}):(?![\\/]{2}|\d+(?:[\\/?#]|$))(\S*)$/i.exec(plain) ?? [];
  const address = `http:${plain}`;
  return other !== undefined
    ? `http://${other}/${rest}`
    : hasHost(address) && (/\D/.test(plain) || Number(plain) >= 2 ** 24)
      ? address
      : "";
}

/** The names that HTML has for the signs of an address. All other named characters are left out of it. */
const signs = new Map(Object.entries({ colon: ":", sol: "/", bsol: "\\", period: ".", commat: "@" }));

/** The text with its characters decoded, if they are written as in an address or in HTML. */
function decoded(text: string): string {
  const character = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : "");
  return text
    .replace(/%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f]){1,3}/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    })
    .replace(/&#x0*([\da-f]{2,6});?/gi, (_, code) => character(Number.parseInt(code, 16)))
    .replace(/&#0*(\d{1,7});?/g, (_, code) => character(Number(code)))
    .replace(/&([a-z]{2,31});/gi, (_, name: string) => signs.get(name.toLowerCase()) ?? "");
}

/** The text as written, and without trailing punctuation. */
function variantsOf(written: string): string[] {
  const variants = [written];
  let rest = written;
  while (/[.,;:!?)\]*_~'`”’»]$/.test(rest) && variants.length < 8) {
    rest = rest.slice(0, -1);
    variants.push(rest);
  }
  return variants;
}

/**
 * The addresses that a thread has shown its model: addresses named by people and searches, and links in texts that were read. A fold over
 * the log's events, so that a resumed turn and later turns know the same addresses.
 */

/** The addresses that one event showed, or that a transcript carries over, as keys of `WebAddress`. */
export interface Seen {
  /** Named by people. */
  named?: readonly string[] | undefined;
  /** Results of searches, links in pages, and addresses that strangers wrote. */
  linked?: readonly string[] | undefined;
  /** A stranger wrote a text. Other untrusted text is detected in the transcript (`untrusted.ts`). */
  untrusted?: true | undefined;
}

/** All addresses seen so far. */
export interface SeenAddresses {
  named: Set<string>;
  /** Hosts of the named addresses. */
  hosts: Set<string>;
  linked: Set<string>;
  untrusted: boolean;
}

export function createSeenAddresses(): SeenAddresses {
  return { named: new Set(), hosts: new Set(), linked: new Set(), untrusted: false };
}

/** Adds the addresses of an event. */
export function see(all: SeenAddresses, { named = [], linked = [], untrusted }: Seen): void {
  for (const key of named) {
    all.named.add(key);
    all.hosts.add(hostOfKey(key));
  }
  for (const key of linked) all.linked.add(key);
  if (untrusted === true) all.untrusted = true;
}

/** Maximum addresses of each kind that a transcript carries over from the one before. */
const maxCarried = 300;

/** The latest of all seen addresses as one value. */
export function summaryOf(all: readonly SeenAddresses[], carried: Seen): Seen {
  const last = (keys: readonly string[]) => [...new Set(keys)].slice(-maxCarried);
  return {
    named: last([...(carried.named ?? []), ...all.flatMap(({ named }) => [...named])]),
    linked: last([...(carried.linked ?? []), ...all.flatMap(({ linked }) => [...linked])]),
    untrusted: carried.untrusted || all.some((each) => each.untrusted) || undefined,
  };
}

/** The addresses in messages for which no event exists: the texts of people. */
export function seenInMessages(messages: readonly Message[]): Seen {
  return {
    named: messages.flatMap((message) =>
      message.role === "user" ? addressesIn(message.said ?? "").map(({ key }) => key) : [],
    ),
  };
}

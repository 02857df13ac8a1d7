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

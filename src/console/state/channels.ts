/** Names of namespaces in the console: `console:local:general` is the channel `general`. */

const prefix = "console:local:";

/** A namespace as the sidebar shows it. */
export interface Channel {
  namespace: string;
  /** Without the `#`. */
  name: string;
  direct: boolean;
}

/** The first channel of a newcomer. */
export const directMessage = `${prefix}dm`;

/** Channels that every console has from the start. */
const standardNamespaces: readonly string[] = [`${prefix}general`, `${prefix}random`, directMessage];

/** The short name people read; a namespace of another platform, or one of more parts, stays whole. */
export function channelName(namespace: string): string {
  const name = namespace.startsWith(prefix) ? namespace.slice(prefix.length) : namespace;
  return name.includes(":") ? namespace : name;
}

/** `dm` and `dm-…` are direct messages, as everywhere in Knack (src/core/values/place.ts). */
export function isDirect(namespace: string): boolean {
  const channel = namespace.slice(namespace.lastIndexOf(":") + 1);
  return channel === "dm" || channel.startsWith("dm-");
}

/** Every channel once: the standard ones first, then the others by name, direct messages last. */
export function toChannels(namespaces: Iterable<string>): Channel[] {
  const standard = new Set(standardNamespaces);
  const others = [...new Set(namespaces)].filter((namespace) => !standard.has(namespace));
  others.sort((a, b) => channelName(a).localeCompare(channelName(b)));
  const channels = [...standardNamespaces, ...others].map((namespace) => ({
    namespace,
    name: channelName(namespace),
    direct: isDirect(namespace),
  }));
  return [...channels.filter(({ direct }) => !direct), ...channels.filter(({ direct }) => direct)];
}

/** The namespace of a typed name, or the problem with the name. */
export function parseChannelName(
  typed: string,
): { ok: true; namespace: string } | { ok: false; message: string } {
  const name = typed.trim().replace(/^#/, "").toLowerCase().replace(/\s+/g, "-");
  if (name === "") return { ok: false, message: "Give the channel a name, e.g. travel." };
  if (name.length > 60) return { ok: false, message: "Use at most 60 characters." };
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    return { ok: false, message: "Use letters a to z, digits, - and _, and begin with a letter or digit." };
  }
  if (isDirect(prefix + name)) {
    return { ok: false, message: "Names that begin with dm are for direct messages. Choose another." };
  }
  return { ok: true, namespace: prefix + name };
}

/** The address of the window: a channel, and a thread in it; undefined for a new thread. */
export interface Address {
  namespace: string;
  thread: string | undefined;
}

/** The URL hash of an address: `#/general`, `#/general/t-1`; a namespace of another platform stays whole. */
export function formatAddress({ namespace, thread }: Address): string {
  const channel = `#/${encodeURIComponent(channelName(namespace))}`;
  return thread === undefined ? channel : `${channel}/${encodeURIComponent(thread)}`;
}

/** The address in a URL hash; undefined if there is none. */
export function parseAddress(hash: string): Address | undefined {
  const match = /^#\/([^/]+)(?:\/([^/]+))?$/.exec(hash);
  const [channel, thread] = [decode(match?.[1]), decode(match?.[2])];
  if (channel === undefined || !/^[A-Za-z0-9._~:-]{1,200}$/.test(channel)) return undefined;
  const namespace = channel.includes(":") ? channel : `console:local:${channel}`;
  return { namespace, thread };
}

function decode(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    // Not an address written by Knack: a lone % in the hash.
    return undefined;
  }
}

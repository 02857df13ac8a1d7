import { channelName } from "./channels.ts";

/** What the window shows: a channel, and in it a thread or (undefined) the place where a new one begins. */
export interface Address {
  namespace: string;
  thread: string | undefined;
}

/** The URL hash of an address: `#/general`, `#/general/t-1`; a namespace of another platform stays whole. */
export function formatAddress({ namespace, thread }: Address): string {
  const channel = `#/${encodeURIComponent(channelName(namespace))}`;
  return thread === undefined ? channel : `${channel}/${encodeURIComponent(thread)}`;
}

/** The address a URL hash names, or undefined when it names none. */
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
    // Not an address Knack wrote: a lone % in the hash.
    return undefined;
  }
}

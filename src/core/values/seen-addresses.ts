/**
 * The addresses a thread has shown its model: those that people and searches named, and the links of what was read. A fold over the
 * log's events, so that a resume and later turns know the same.
 */
import type { Message } from "./message.ts";
import { addressesIn, hostOfKey, linksIn } from "./web-address.ts";

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

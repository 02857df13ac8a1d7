/**
 * The addresses a thread has shown its model: those that people and searches named, and the links of what was read. A fold over the
 * log's events, so that a resume and later turns know the same.
 */
import type { Json } from "./json.ts";
import type { Message } from "./message.ts";
import type { TurnEventBody } from "./turn-event.ts";
import { addressesIn, linksIn, hostOfKey, type WebAddress } from "./web-address.ts";

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
      message.role === "user" ? keys(addressesIn(message.said ?? "")) : [],
    ),
  };
}

/** Answers what each event of a turn, taken in order, shows; undefined for those that show nothing of the kind. */
export function createSeenReader(): (event: TurnEventBody) => Seen | undefined {
  const inputs = new Map<string, Json>();
  const questions = new Map<string, string>();
  const asked = new Map<string, readonly string[]>();
  return (event) => {
    switch (event.type) {
      case "inbound":
        return said(event.inbound.text, event.inbound.author);
      case "steered":
        return { named: keys(addressesIn(event.text)) };
      case "question_asked":
        questions.set(event.question_id, [event.text, ...event.choices].join("\n"));
        return undefined;
      case "question_answered":
        // A choice is the model's word, not the person's.
        return { named: without(addressesIn(event.text), questions.get(event.question_id) ?? "") };
      case "approval_requested":
        asked.set(event.approval_id, event.addresses ?? []);
        return undefined;
      case "approval_decided":
        return event.approved ? { named: asked.get(event.approval_id) ?? [] } : undefined;
      case "context_read":
        return readAround(event);
      case "tool_started":
        inputs.set(event.call_id, event.input);
        return undefined;
      case "tool_finished":
        return result(event, inputs.get(event.call_id) ?? null);
      default:
        return undefined;
    }
  };
}

function said(text: string, author: { name: string; trust: string }): Seen {
  const isForeign = author.trust === "guest" || namesSite(author.name);
  return { named: keys(addressesIn(text)), ...(isForeign ? { untrusted: true } : {}) };
}

/** Whether a name or a topic, which anybody may have set, leads somewhere. */
export function namesSite(text: string): boolean {
  return addressesIn(text).length > 0;
}

type Context = Extract<TurnEventBody, { type: "context_read" }>;

function readAround({ thread, files }: Context): Seen {
  const strangers = thread.filter(({ bot, outside, by }) => bot === true || outside === true || namesSite(by));
  const members = thread.filter((message) => !strangers.includes(message));
  const texts = (of: readonly { text?: string | undefined }[]) =>
    of.flatMap(({ text = "" }) => keys(addressesIn(text)));
  return {
    named: texts(members),
    linked: [...texts(strangers), ...texts(files)],
    ...(strangers.length + files.length > 0 ? { untrusted: true } : {}),
  };
}

type Finished = Extract<TurnEventBody, { type: "tool_finished" }>;

/** An address that a call was given does not become known by coming back in its result. */
function result({ status, output, finds }: Finished, input: Json): Seen | undefined {
  if (status === "error" || finds === undefined) return undefined;
  const fresh = without(linksIn(textOf(output)), textOf(input));
  return finds === "results" ? { named: fresh } : { linked: fresh };
}

/** Keys of the addresses that a text does not name. */
function without(addresses: readonly WebAddress[], text: string): string[] {
  const given = new Set(keys(addressesIn(text)));
  return keys(addresses).filter((key) => !given.has(key));
}

function keys(addresses: readonly WebAddress[]): string[] {
  return addresses.map(({ key }) => key);
}

/** All texts of a value, a line each. */
function textOf(value: Json): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? Object.values(value).map(textOf).join("\n") : "";
}

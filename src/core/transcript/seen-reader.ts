import { isContainer } from "../../base/record.ts";
import type { TurnEventBody } from "../log/turn-event.ts";
import type { Inbound } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import { namesSite, type Seen } from "../values/seen-addresses.ts";
import { addressesIn, linksIn, type WebAddress } from "../values/web-address.ts";

/** Answers what each event of a turn, taken in order, shows; undefined for those that show nothing of the kind. */
export function createSeenReader(): (event: TurnEventBody) => Seen | undefined {
  const read = createReader();
  return (event) => {
    const seen = read(event);
    if (seen === undefined) return undefined;
    const { named = [], linked = [], untrusted } = seen;
    return named.length + linked.length === 0 && untrusted === undefined ? undefined : seen;
  };
}

function createReader(): (event: TurnEventBody) => Seen | undefined {
  const inputs = new Map<string, Json>();
  const questions = new Map<string, string>();
  const asked = new Map<string, readonly string[]>();
  return (event) => {
    switch (event.type) {
      case "inbound":
        return saidIn(event.inbound);
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

/** What a trigger waited for names nothing: others wrote it. */
function saidIn({ text, author, cause }: Inbound): Seen {
  const seen = said(text, author);
  if (cause?.happened === undefined) return seen;
  return { ...seen, linked: keys(addressesIn(cause.happened)), untrusted: true };
}

type Context = Extract<TurnEventBody, { type: "context_read" }>;

function readAround({ thread, files }: Context): Seen {
  const strangers = thread.filter(
    ({ bot, outside, by }) => bot === true || outside === true || namesSite(by),
  );
  const members = thread.filter((message) => !strangers.includes(message));
  const spoken = files.filter((file) => file.spoken?.is_message === true);
  const sent = files.filter((file) => !spoken.includes(file));
  const texts = (of: readonly { text?: string | undefined }[]) =>
    of.flatMap(({ text = "" }) => keys(addressesIn(text)));
  return {
    named: [...texts(members), ...texts(spoken)],
    linked: [...texts(strangers), ...texts(sent)],
    ...(strangers.length + sent.length > 0 ? { untrusted: true } : {}),
  };
}

type Finished = Extract<TurnEventBody, { type: "tool_finished" }>;

/** An address that a call was given does not become known by coming back in its result. */
function result({ status, output, finds }: Finished, input: Json): Seen | undefined {
  if (status === "error" || finds === undefined) return undefined;
  const [links, given] = [linksIn(textOf(output)), textOf(input)];
  if (finds === "results") return { named: without(links, given) };
  if (finds === "links") return { linked: without(links, given) };
  const hosts = new Set(addressesIn(given).map(({ host }) => host));
  return { linked: keys(links.filter(({ host }) => !hosts.has(host))) };
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
  return isContainer(value) ? Object.values(value).map(textOf).join("\n") : "";
}

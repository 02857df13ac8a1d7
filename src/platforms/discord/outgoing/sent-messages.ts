import { createHash } from "node:crypto";
import type { MessageTag } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";

/** A message about to be posted, or posted. */
export interface SentMessage {
  /** Hash of the tag. */
  name: string;
  /**
   * Number of earlier posts with this tag. A message that was deleted and is posted again needs another nonce, or Discord would
   * return the deleted one.
   */
  attempt: number;
  channel: string;
  /** `contentDigest` of its content. */
  digest: string;
  /** ms since the epoch. */
  at: number;
  /** Set once Discord has answered. */
  reference?: string;
}

/**
 * Messages, noted before they are sent. Discord stores no data of the bot with a message, and forgets nonces after some
 * minutes; the note identifies a message of an interrupted process by its content. Limited to the latest 64 of each of 64
 * groups of channels.
 */
export interface SentMessages {
  /**
   * Returns the nonce with which Discord posts the message only once: the same one as before if the outcome of that attempt is
   * unknown.
   */
  sending(tag: MessageTag, channel: string, content: string): Promise<string>;
  /** Notes which message has the tag: no other tag has it then, whatever it says later. */
  sent(tag: MessageTag, channel: string, reference: string): Promise<void>;
  find(tag: MessageTag, channel: string): Promise<SentMessage | undefined>;
  /** Whether a message of the channel is noted under another tag. @param content as Discord stores it */
  isOther(
    tag: MessageTag,
    channel: string,
    message: { reference: string; content: string },
  ): Promise<boolean>;
}

type Entries = { [key in keyof Required<SentMessage>]: SentMessage[key] extends number ? number : string }[];

const groups = 64;
const perGroup = 64;

export function createSentMessages(store: KeyValue, clock: Clock): SentMessages {
  const key = (channel: string) => `discord-sent:${Number((BigInt(channel) >> 22n) % BigInt(groups))}`;
  const change = (channel: string, next: (entries: Entries) => Entries) =>
    store.update<Entries>(key(channel), (entries) => next(entries ?? []));
  return {
    async sending(tag, channel, content) {
      const name = hashOf(nameOf(tag));
      const digest = contentDigest(content);
      let attempt = 0;
      await change(channel, (entries) => {
        const before = entries.find((each) => each.name === name);
        attempt = before === undefined ? 0 : before.attempt + (before.reference === "" ? 0 : 1);
        const entry = { name, attempt, channel, digest, at: clock.now(), reference: "" };
        return [...entries.filter((each) => each !== before), entry].slice(-perGroup);
      });
      return hashOf(`${nameOf(tag)} ${attempt}`);
    },
    async sent(tag, channel, reference) {
      const name = hashOf(nameOf(tag));
      await change(channel, (entries) => {
        const before = entries.find((each) => each.name === name);
        const entry = before ?? { name, attempt: 0, channel, digest: "", at: clock.now() };
        return [...entries.filter((each) => each !== before), { ...entry, reference }].slice(-perGroup);
      });
    },
    async find(tag, channel) {
      const entries = ((await store.get(key(channel))) as Entries | undefined) ?? [];
      const name = hashOf(nameOf(tag));
      const found = entries.find((each) => each.name === name && each.channel === channel);
      if (found === undefined) return undefined;
      const { reference, ...more } = found;
      return reference === "" ? more : { ...more, reference };
    },
    async isOther(tag, channel, { reference, content }) {
      const entries = ((await store.get(key(channel))) as Entries | undefined) ?? [];
      const name = hashOf(nameOf(tag));
      const digest = contentDigest(content);
      return entries.some(
        (each) =>
          each.name !== name &&
          each.channel === channel &&
          (each.reference === reference || (each.reference === "" && each.digest === digest)),
      );
    },
  };
}

function nameOf({ turn_id, purpose, part }: MessageTag): string {
  return `${turn_id} ${purpose} ${part}`;
}

/** At most 25 characters, Discord's limit for a nonce. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 24);
}

/** The same for a content as sent and as Discord stores it, which trims whitespace. */
export function contentDigest(content: string): string {
  return hashOf(content.replace(/\s+/g, ""));
}

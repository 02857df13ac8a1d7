import { createHash } from "node:crypto";
import type { MessageTag } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";

/** A message about to be posted, or posted. */
interface SentMessage {
  /** Names the tag. */
  name: string;
  /**
   * How often the tag was posted before: a message that was taken away and comes again needs another nonce, or Discord
   * would answer with the one that is gone.
   */
  attempt: number;
  channel: string;
  /** Of its content, as `contentDigest` makes it. */
  digest: string;
  /** ms since the epoch. */
  at: number;
  /** Once Discord answered. */
  reference?: string;
}

/**
 * What was sent, noted before it is sent. Discord keeps nothing of the bot's on a message, and forgets nonces after some minutes;
 * with the note, a message that an interrupted process had posted is known by its content. Bounded: the latest 64 of each
 * of 64 groups of channels.
 */
export interface SentMessages {
  /** Answers the nonce under which Discord posts it once: the same as before if the outcome of that is not known. */
  sending(tag: MessageTag, channel: string, content: string): Promise<string>;
  sent(tag: MessageTag, channel: string, reference: string): Promise<void>;
  find(tag: MessageTag, channel: string): Promise<SentMessage | undefined>;
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
      await change(channel, (entries) =>
        entries.map((each) => (each.name === name ? { ...each, reference } : each)),
      );
    },
    async find(tag, channel) {
      const entries = ((await store.get(key(channel))) as Entries | undefined) ?? [];
      const name = hashOf(nameOf(tag));
      const found = entries.find((each) => each.name === name && each.channel === channel);
      if (found === undefined) return undefined;
      const { reference, ...more } = found;
      return reference === "" ? more : { ...more, reference };
    },
  };
}

function nameOf({ turn_id, purpose, part }: MessageTag): string {
  return `${turn_id} ${purpose} ${part}`;
}

/** In the 25 characters that Discord has for a nonce. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 24);
}

/** The same for a content as it was sent and as Discord keeps it, which trims. */
export function contentDigest(content: string): string {
  return hashOf(content.replace(/\s+/g, ""));
}

import { createHash } from "node:crypto";
import type { MessageTag } from "../../app/chat/chat-platform.ts";
import type { Clock } from "../../core/clock.ts";
import type { KeyValue } from "../../core/key-value.ts";

/** A message about to be posted, or posted. */
interface SentMessage {
  /** Names the tag. */
  nonce: string;
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
  sending(tag: MessageTag, channel: string, content: string): Promise<void>;
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
      const nonce = nonceOf(tag);
      const entry = { nonce, channel, digest: contentDigest(content), at: clock.now(), reference: "" };
      await change(channel, (entries) =>
        [...entries.filter((each) => each.nonce !== nonce), entry].slice(-perGroup),
      );
    },
    async sent(tag, channel, reference) {
      const nonce = nonceOf(tag);
      await change(channel, (entries) =>
        entries.map((each) => (each.nonce === nonce ? { ...each, reference } : each)),
      );
    },
    async find(tag, channel) {
      const entries = ((await store.get(key(channel))) as Entries | undefined) ?? [];
      const nonce = nonceOf(tag);
      const found = entries.find((each) => each.nonce === nonce && each.channel === channel);
      if (found === undefined) return undefined;
      const { reference, ...more } = found;
      return reference === "" ? more : { ...more, reference };
    },
  };
}

/** A tag in the 25 characters Discord has for a nonce. */
export function nonceOf({ turn_id, purpose, part }: MessageTag): string {
  return createHash("sha256").update(`${turn_id} ${purpose} ${part}`).digest("base64url").slice(0, 24);
}

/** The same for a content as it was sent and as Discord keeps it, which trims. */
export function contentDigest(content: string): string {
  return createHash("sha256").update(content.replace(/\s+/g, "")).digest("base64url").slice(0, 24);
}

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
  reference?: string | undefined;
}

type Entries = { [key in keyof Required<SentMessage>]: SentMessage[key] extends number ? number : string }[];

const groups = 64;
const perGroup = 64;

const keyOf = (channel: string) => `discord-sent:${Number((BigInt(channel) >> 22n) % BigInt(groups))}`;

/**
 * Messages, noted before they are sent. Discord stores no data of the bot with a message, and forgets nonces after some
 * minutes; the note identifies a message of an interrupted process by its content. Limited to the latest 64 of each of 64
 * groups of channels.
 */
export class SentMessages {
  readonly #store: KeyValue;
  readonly #clock: Clock;

  constructor(store: KeyValue, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Returns the nonce with which Discord posts the message only once: the same one as before if the outcome of that attempt is
   * unknown.
   */
  async sending(tag: MessageTag, channel: string, content: string): Promise<string> {
    let attempt = 0;
    await this.#replace(tag, channel, (before) => {
      attempt = before === undefined ? 0 : before.attempt + (before.reference === "" ? 0 : 1);
      return { attempt, channel, digest: contentDigest(content), at: this.#clock.now(), reference: "" };
    });
    return hashOf(`${nameOf(tag)} ${attempt}`);
  }

  /** Notes which message has the tag: no other tag has it then, whatever it says later. */
  async sent(tag: MessageTag, channel: string, reference: string): Promise<void> {
    await this.#replace(tag, channel, (before) => ({
      ...(before ?? { attempt: 0, channel, digest: "", at: this.#clock.now() }),
      reference,
    }));
  }

  async find(tag: MessageTag, channel: string): Promise<SentMessage | undefined> {
    const name = hashOf(nameOf(tag));
    const found = (await this.#read(channel)).find((each) => each.name === name);
    return found && { ...found, reference: found.reference || undefined };
  }

  /** Whether a message of the channel is noted under another tag. @param message.content as Discord stores it */
  async isOther(
    tag: MessageTag,
    channel: string,
    { reference, content }: { reference: string; content: string },
  ): Promise<boolean> {
    const name = hashOf(nameOf(tag));
    const digest = contentDigest(content);
    const others = (await this.#read(channel)).filter((each) => each.name !== name);
    return others.some((each) =>
      each.reference === "" ? each.digest === digest : each.reference === reference,
    );
  }

  async #read(channel: string): Promise<Entries> {
    const entries = ((await this.#store.get(keyOf(channel))) as Entries | undefined) ?? [];
    return entries.filter((each) => each.channel === channel);
  }

  /** Replaces the entry of a tag, which is then the latest. */
  async #replace(
    tag: MessageTag,
    channel: string,
    next: (before: Entries[number] | undefined) => Omit<Entries[number], "name">,
  ): Promise<void> {
    const name = hashOf(nameOf(tag));
    await this.#store.update<Entries>(keyOf(channel), (entries = []) => {
      const before = entries.find((each) => each.name === name);
      return [...entries.filter((each) => each !== before), { ...next(before), name }].slice(-perGroup);
    });
  }
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

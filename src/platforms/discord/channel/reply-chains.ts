import type { Clock, KeyValue } from "../../../core/ports/storage.ts";

type Record = { messages: { id: string; thread: string; at: number }[]; refused_at: number };

const maxMessages = 200;
const maxAgeMs = 7 * 24 * 3_600_000;
const refusalMs = 3_600_000;

const keyOf = (channel: string) => `discord-replies:${channel}`;
const nothing: Record = { messages: [], refused_at: 0 };

/**
 * Conversations in channels where the bot may not create threads: it replies to messages, and a reply to one of its answers
 * belongs to the same conversation. One record per channel, limited in number and age.
 */
export class ReplyChains {
  readonly #store: KeyValue;
  readonly #clock: Clock;

  constructor(store: KeyValue, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Notes that a message of the bot belongs to a conversation. */
  async note(channel: string, id: string, thread: string): Promise<void> {
    const at = this.#clock.now();
    await this.#change(channel, ({ messages, refused_at }) => {
      const young = messages.filter((message) => message.at > at - maxAgeMs);
      return { messages: [...young, { id, thread, at }].slice(-maxMessages), refused_at };
    });
  }

  /** The conversation of one of the bot's messages. */
  async threadOf(channel: string, id: string): Promise<string | undefined> {
    return (await this.#read(channel)).messages.find((message) => message.id === id)?.thread;
  }

  /** The bot's messages in a conversation, oldest first; empty if the conversation has a thread. */
  async messagesOf(channel: string, thread: string): Promise<string[]> {
    const { messages } = await this.#read(channel);
    return messages.filter((message) => message.thread === thread).map(({ id }) => id);
  }

  /** Notes that Discord refused a thread in the channel. `isRefused` holds for an hour. */
  async refused(channel: string): Promise<void> {
    await this.#change(channel, ({ messages }) => ({ messages, refused_at: this.#clock.now() }));
  }

  async isRefused(channel: string): Promise<boolean> {
    return this.#clock.now() - (await this.#read(channel)).refused_at < refusalMs;
  }

  async #read(channel: string): Promise<Record> {
    return ((await this.#store.get(keyOf(channel))) as Record | undefined) ?? nothing;
  }

  #change(channel: string, next: (record: Record) => Record): Promise<Record> {
    return this.#store.update<Record>(keyOf(channel), (record) => next(record ?? nothing));
  }
}

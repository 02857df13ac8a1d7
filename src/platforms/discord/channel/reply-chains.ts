import type { Clock, KeyValue } from "../../../core/ports/storage.ts";

/**
 * Conversations in channels where the bot may not create threads: it replies to messages, and a reply to one of its answers
 * belongs to the same conversation. One record per channel, limited in number and age.
 */
export interface ReplyChains {
  /** Notes that a message of the bot belongs to a conversation. */
  note(channel: string, message: string, thread: string): Promise<void>;
  /** The conversation of one of the bot's messages. */
  threadOf(channel: string, message: string): Promise<string | undefined>;
  /** The bot's messages in a conversation, oldest first; empty if the conversation has a thread. */
  messagesOf(channel: string, thread: string): Promise<string[]>;
  /** Notes that Discord refused a thread in the channel. `isRefused` holds for an hour. */
  refused(channel: string): Promise<void>;
  isRefused(channel: string): Promise<boolean>;
}

type Record = { messages: { id: string; thread: string; at: number }[]; refused_at: number };

const maxMessages = 200;
const maxAgeMs = 7 * 24 * 3_600_000;
const refusalMs = 3_600_000;

export function createReplyChains(store: KeyValue, clock: Clock): ReplyChains {
  const key = (channel: string) => `discord-replies:${channel}`;
  const read = async (channel: string) =>
    ((await store.get(key(channel))) as Record | undefined) ?? { messages: [], refused_at: 0 };
  const change = (channel: string, next: (record: Record) => Record) =>
    store.update<Record>(key(channel), (record) => next(record ?? { messages: [], refused_at: 0 }));
  return {
    async note(channel, id, thread) {
      const at = clock.now();
      await change(channel, ({ messages, refused_at }) => ({
        messages: [...messages.filter((message) => message.at > at - maxAgeMs), { id, thread, at }].slice(
          -maxMessages,
        ),
        refused_at,
      }));
    },
    async threadOf(channel, id) {
      return (await read(channel)).messages.find((message) => message.id === id)?.thread;
    },
    async messagesOf(channel, thread) {
      return (await read(channel)).messages
        .filter((message) => message.thread === thread)
        .map(({ id }) => id);
    },
    async refused(channel) {
      await change(channel, ({ messages }) => ({ messages, refused_at: clock.now() }));
    },
    async isRefused(channel) {
      return clock.now() - (await read(channel)).refused_at < refusalMs;
    },
  };
}

import type { Clock, KeyValue } from "../../../core/ports/storage.ts";

/**
 * Conversations in channels where the bot may not make threads: there it replies to messages, and a reply to such an answer
 * belongs to the same conversation. One record per channel, bounded in number and age.
 */
export interface ReplyChains {
  /** Notes that a message of the bot belongs to a conversation. */
  note(channel: string, message: string, thread: string): Promise<void>;
  /** The conversation a message of the bot belongs to. */
  threadOf(channel: string, message: string): Promise<string | undefined>;
  /** The bot's messages of a conversation, oldest first; empty where it has a thread of its own. */
  messagesOf(channel: string, thread: string): Promise<string[]>;
  /** Notes that Discord refused a thread in the channel. It is tried again after an hour. */
  refused(channel: string): Promise<void>;
  isRefused(channel: string): Promise<boolean>;
}

type Record = { messages: { id: string; thread: string; at: number }[]; refused_at: number };

const most = 200;
const longest_ms = 7 * 24 * 3_600_000;
const refusal_ms = 3_600_000;

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
        messages: [...messages.filter((message) => message.at > at - longest_ms), { id, thread, at }].slice(
          -most,
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
      return clock.now() - (await read(channel)).refused_at < refusal_ms;
    },
  };
}

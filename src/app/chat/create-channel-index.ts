import { beginningOf, escapeMarkdown } from "../../base/markdown-text.ts";
import type {
  ChannelMessage,
  ChatActions,
  IndexedMessage,
  MessageIndex,
  TimeRange,
} from "../../core/ports/chat-actions.ts";
import { type ChatPlatform, type ChatPlatforms, channelThread } from "../../core/ports/chat-platform.ts";
import { type Clock, type KeyValue, type Leases, type Log, runAlone } from "../../core/ports/storage.ts";
import { isDirectMessage } from "../../core/values/place.ts";
import type { ChannelIndex, ChannelIndexStatus } from "../services/channel-index.ts";
import type { ChatListener, ChatMessage } from "./chat-intake.ts";

/** How far back a channel is read when its index is switched on. */
const maxAgeMs = 90 * 86_400_000;
const maxMessages = 10_000;
const pageSize = 200;
/** Pause between two pages, ms: platforms limit how often a channel is read. */
const pagePauseMs = 1_200;
/** Maximum characters kept of a message. */
const maxText = 8_000;

/** A channel whose messages are indexed. */
interface IndexedChannel {
  /** Who switched it on, by id and name, and when, ms since the epoch. */
  by: string;
  name: string;
  at: number;
  /** Whether the messages from before it was switched on have been read. */
  filled?: boolean;
}

export interface ChannelIndexDeps {
  index: MessageIndex;
  store: KeyValue;
  leases: Leases;
  platforms: ChatPlatforms;
  clock: Clock;
  logger: Log;
  /** How long messages are kept, for people: `messages are deleted from it after 365 days`. */
  kept: string;
}

const prefix = "channel-index:";

/** Time after which another process may read a channel's messages, ms. */
const maxFillMs = 3_600_000;

/** The index, and the listener that feeds it. */
type ListeningIndex = ChannelIndex & Required<Pick<ChatListener, "heard" | "removed" | "left">>;

export function createChannelIndex(deps: ChannelIndexDeps): ListeningIndex {
  const { index, store, leases, platforms, clock, logger } = deps;
  const stopping = new AbortController();
  const filling = new Map<string, Promise<void>>();

  const read = (namespace: string) => store.get(prefix + namespace) as Promise<IndexedChannel | undefined>;
  const status = async (namespace: string): Promise<ChannelIndexStatus> => {
    const channel = await read(namespace);
    const { messages, since } = await index.extent(namespace);
    return { on: channel !== undefined, messages, since, by: channel?.name, filling: filling.has(namespace) };
  };
  const tell = async (platform: ChatPlatform, namespace: string, markdown: string): Promise<void> => {
    await platform.post({ namespace, thread: channelThread }, { markdown });
  };
  const fillInBackground = (namespace: string): void => {
    if (filling.has(namespace) || stopping.signal.aborted) return;
    const work = runAlone(leases, prefix + namespace, maxFillMs, () =>
      fill(deps, namespace, read, stopping.signal),
    )
      .catch((error: unknown) => {
        if (!stopping.signal.aborted)
          logger.warn(
            { err: error, namespace },
            "A channel could not be indexed; tried again at the next start",
          );
      })
      .finally(() => filling.delete(namespace));
    filling.set(namespace, work);
  };

  return {
    status,
    isOn: async (namespace) => (await read(namespace)) !== undefined,
    async switchOn(namespace, by) {
      const platform = platforms.of(namespace);
      if (platform?.actions === undefined || isDirectMessage(namespace))
        return {
          ok: false,
          status: 400,
          message: "Only channels of a chat platform are indexed; here everything can be searched.",
        };
      if ((await read(namespace)) === undefined) {
        await tell(platform, namespace, announcement(by.name, deps.kept));
        await store.set(prefix + namespace, { by: by.id, name: by.name, at: clock.now() });
      }
      fillInBackground(namespace);
      return { ok: true, value: await status(namespace) };
    },
    async switchOff(namespace, by) {
      const wasOn = (await read(namespace)) !== undefined;
      await store.delete(prefix + namespace);
      await filling.get(namespace);
      await index.clear(namespace);
      const platform = platforms.of(namespace);
      if (wasOn && platform !== undefined) await tell(platform, namespace, farewell(by.name));
      return { ok: true, value: await status(namespace) };
    },
    async heard(message) {
      const { namespace } = message.place;
      if (message.by_bot || (await read(namespace)) === undefined) return;
      const platform = platforms.of(namespace);
      if (platform !== undefined) await index.put([await indexed(platform, message)]);
    },
    async removed({ place, id }) {
      if (id !== undefined) await index.remove(place.namespace, id);
    },
    async left(namespace) {
      await store.delete(prefix + namespace);
      await index.clear(namespace);
    },
    start() {
      void (async () => {
        for await (const key of store.keys(prefix)) fillInBackground(key.slice(prefix.length));
      })().catch((error: unknown) => logger.warn({ err: error }, "Indexed channels could not be read"));
    },
    async stop() {
      stopping.abort();
      await Promise.all(filling.values());
    },
  };
}

function announcement(who: string, kept: string): string {
  return `**${escapeMarkdown(who)}** switched on search for this channel: from now on I keep a copy of new messages here, and of those of the last 90 days, so that people in the channel can ask me about them. Edits and deletions apply to the copy too, and ${kept}. A manager can switch it off with \`/agent index off\`, which deletes the copy.`;
}

function farewell(who: string): string {
  return `**${escapeMarkdown(who)}** switched off search for this channel. The copy of its messages is deleted.`;
}

async function indexed(platform: ChatPlatform, message: ChatMessage): Promise<IndexedMessage> {
  const { place, id, author: writer, text, said_at: at, in_thread } = message;
  const [person, reference] = await Promise.all([
    platform.person(place, writer),
    platform.actions?.reference?.(place, id) ?? id,
  ]);
  const author = { id: writer, name: person.name };
  return kept(place.namespace, reference, { thread: in_thread ? place.thread : undefined, author, text, at });
}

/**
 * Reads a channel backwards, from now to the newest known message or to the beginning of the index. Messages from the bot's downtime
 * are read in the same way. Ends early when the index is switched off.
 */
async function fill(
  deps: ChannelIndexDeps,
  namespace: string,
  read: (namespace: string) => Promise<IndexedChannel | undefined>,
  signal: AbortSignal,
): Promise<void> {
  const { index, store, platforms, clock } = deps;
  const actions = platforms.of(namespace)?.actions;
  const channel = await read(namespace);
  if (actions === undefined || channel === undefined) return;
  const since = channel.filled === true ? await newestOf(index, namespace) : clock.now() - maxAgeMs;
  let until: number | undefined;
  for (let count = 0; count < maxMessages; ) {
    const page = await keepPage(index, actions, namespace, { since, until });
    count += page.messages;
    until = page.before;
    if (until === undefined || (await read(namespace)) === undefined) break;
    await clock.sleep(pagePauseMs, signal);
  }
  const now = await read(namespace);
  if (now === undefined) await index.clear(namespace);
  else await store.set(prefix + namespace, { ...now, filled: true });
}

/** Indexes the latest messages of a range with their threads. Returns their number, and the end of the page before them. */
async function keepPage(
  index: MessageIndex,
  actions: ChatActions,
  namespace: string,
  range: TimeRange,
): Promise<{ messages: number; before: number | undefined }> {
  const place = { namespace, thread: channelThread };
  const { messages, more } = await actions.history(place, { ...range, most: pageSize });
  for (const { replies = 0, thread, id } of messages) {
    if (replies === 0) continue;
    const inThread = await actions.history({ namespace, thread: thread ?? id }, { ...range, most: pageSize });
    await keep(index, namespace, inThread.messages);
  }
  await keep(index, namespace, messages);
  const [first] = messages;
  return { messages: messages.length, before: more && first !== undefined ? first.at - 1 : undefined };
}

/** The time of the latest message in the index, minus a little, since several messages may share a time. */
async function newestOf(index: MessageIndex, namespace: string): Promise<number> {
  const { newest = 0 } = await index.extent(namespace);
  return Math.max(0, newest - 60_000);
}

async function keep(
  index: MessageIndex,
  namespace: string,
  messages: readonly ChannelMessage[],
): Promise<void> {
  const said = messages.filter(({ author, text }) => !author.bot && text.trim() !== "");
  await index.put(
    said.map((each) =>
      kept(namespace, each.id, { ...each, thread: each.thread === each.id ? undefined : each.thread }),
    ),
  );
}

function kept(
  namespace: string,
  reference: string,
  { thread, author: { id, name }, text, at }: Omit<IndexedMessage, "namespace" | "reference">,
): IndexedMessage {
  return { namespace, reference, thread, author: { id, name }, text: beginningOf(text, maxText), at };
}

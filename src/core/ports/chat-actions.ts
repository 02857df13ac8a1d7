/**
 * The agent's actions in a chat in addition to answering: reading channels, finding people, reacting, posting elsewhere. A platform (or the
 * web chat, from the turn log) implements them and carries them out as the bot. Whether the asking person may have an action done is
 * decided in `effects/create-chat-work.ts`, from the current result of `access`.
 *
 * A message is identified by its reference: the value that `ChatPlatform.post` returns and that `edit`, `remove` and every method here
 * take.
 */
import type { FileReference } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";

/** A message of a thread, as read by the bot. */
export interface ThreadMessage {
  id: string;
  /** `self` is set for the bot itself. */
  author: { id: string; name: string; bot: boolean; self: boolean };
  text: string;
  /** ms since the epoch. */
  at: number;
  files: readonly FileReference[];
}

/** A channel that both the bot and a person can read. */
export interface ChannelSummary {
  namespace: string;
  /** Without `#`. */
  name: string;
  topic?: string | undefined;
  /** Everybody in the workspace or server may read it (except guests), so its content is no secret among them. */
  open: boolean;
}

/** A person's current permissions in a channel. */
export interface ChannelAccess extends ChannelSummary {
  /** Both the person and the bot may write there; false for an archived channel. */
  write: boolean;
  /** The person may pin messages there. */
  pin: boolean;
}

/** A message that the bot reads outside its own conversation. `id` is its reference. */
export interface ChannelMessage extends ThreadMessage {
  /** An address that opens the message for people who may read it. */
  link: string;
  /** The thread that it is in or opens (`Place.thread`); absent if there is none. */
  thread?: string | undefined;
  /** Number of replies in the thread that it opens. */
  replies?: number | undefined;
  /** Whether the author is a guest, from another company, or unknown, so that nobody here vouches for the text. */
  outside?: true | undefined;
}

/** A period of time, ms since the epoch, both ends included. */
export interface TimeRange {
  since?: number | undefined;
  until?: number | undefined;
}

export interface ChannelHistory {
  /** The latest `most` messages of the range, oldest first. */
  messages: readonly ChannelMessage[];
  /** The range has earlier messages that were left out. */
  more: boolean;
}

/** A search of a channel's messages. */
export interface MessageQuery extends TimeRange {
  /** Words that must all occur, case-insensitive. */
  words: readonly string[];
  /** Only messages of this person, by id. */
  author?: string | undefined;
  /** Maximum messages, latest first. */
  most: number;
}

/** On whose behalf messages are searched. */
export interface Searcher {
  person: string;
  /** Where their request was sent. */
  namespace: string;
  /** The platform's id of that message (`Origin.message`): a platform may tie the right to search to it. */
  message?: string | undefined;
  /** Only this person sees what is found, so their private channels and direct messages may be searched too. */
  private: boolean;
}

/** A message that the platform's own search found: where it is, without its text. */
export interface FoundReference {
  namespace: string;
  reference: string;
  /** Without `#`; empty for a direct message. */
  channel: string;
  author: string;
  /** ms since the epoch. */
  at: number;
  link: string;
}

/** The result of a search of a channel. */
export interface FoundMessages {
  /** Latest first. */
  messages: readonly ChannelMessage[];
  /** How the channel was searched: by the platform, by the channel's index, or by reading its latest messages. */
  by: "platform" | "index" | "history";
  /** The whole requested range was searched. */
  complete: boolean;
  /** Start of the searched period, ms since the epoch, if it is not the whole range. */
  since?: number | undefined;
}

/** A person in the workspace or server. */
export interface KnownPerson {
  id: string;
  /** Display name. */
  name: string;
  full_name?: string | undefined;
  /** Their job title, or their roles in the server. */
  title?: string | undefined;
  /** IANA name. */
  time_zone?: string | undefined;
  /** Whether they are in the channel in question. */
  here: boolean;
  /** Set for people who are not regular members. */
  standing?: "guest" | "outsider" | "bot" | undefined;
}

/** A group that a message can notify: a user group on Slack, a role on Discord. */
export interface KnownGroup {
  id: string;
  name: string;
  /** Number of people that it notifies; absent if the platform does not tell. */
  members?: number | undefined;
  /** Whether the asking person may notify it themselves. */
  callable: boolean;
}

/**
 * All methods are bounded in time and size. They reject with `PlatformError`: `gone` for anything that does not exist or that the bot
 * cannot see, `forbidden` with the missing scope or permission in the message. An absent method is not supported by the platform.
 */
export interface ChatActions {
  /** Channels of this workspace that both can read, by name; at most 1,000. */
  channels(namespace: string, person: string): Promise<readonly ChannelSummary[]>;
  /**
   * A person's current permissions in a channel (or in their own direct messages), at most a minute old. Undefined where the bot is not a
   * member, where the person may not read, and for namespaces of other workspaces.
   */
  access(namespace: string, person: string): Promise<ChannelAccess | undefined>;
  /** Messages of a channel (thread `channel`: its top level) or of one thread, without service messages. */
  history(place: Place, range: TimeRange & { most: number }): Promise<ChannelHistory>;
  /**
   * Searches a channel with the platform's own search, latest first. Absent where the platform has none for bots; undefined where it cannot
   * search this channel now (no index yet, no right that comes with the message). The channel is then searched by other means.
   */
  search?(
    namespace: string,
    query: MessageQuery,
    by?: Searcher,
  ): Promise<readonly ChannelMessage[] | undefined>;
  /** The same for everything that the person may read; only public channels unless `by.private`. Absent and undefined as for `search`. */
  searchAll?(query: MessageQuery, by: Searcher): Promise<readonly FoundReference[] | undefined>;
  /** An address that opens a message for people who may read it. */
  link(namespace: string, reference: string, thread?: string): Promise<string>;
  /** The reference of a person's message, from the id it arrived with (`Origin.message`). Without this method, that id is the reference. */
  reference?(place: Place, message: string): Promise<string>;
  /** One message; undefined if it does not exist. */
  message(namespace: string, reference: string): Promise<ChannelMessage | undefined>;
  /** People and groups whose name, full name or title contains these words, best match first; everybody if there are no words. */
  people?(
    namespace: string,
    query: { words: string; asker: string; most: number },
  ): Promise<{ people: readonly KnownPerson[]; groups: readonly KnownGroup[]; more: boolean }>;
  /** Adds or removes the bot's reaction. `emoji` is a name (`thumbsup`) or the character itself. No-op if that is already the state. */
  react?(namespace: string, reference: string, emoji: string, on: boolean): Promise<void>;
  pin?(namespace: string, reference: string, on: boolean): Promise<void>;
  /** The place of the bot's direct messages with a person, for `ChatPlatform.post`; opened if necessary. */
  direct?(namespace: string, person: string): Promise<Place>;
  /** Whether `ChatPlatform.post` works for channels other than that of a conversation. */
  readonly posts: boolean;
  /** Whether a message can be a poll of the platform. */
  readonly polls?: true;
}

/** A poll of people, in a message of its own. */
export interface OutgoingPoll {
  /** At most 300 characters. */
  question: string;
  /** 2 to 10, at most 55 characters each. */
  answers: readonly string[];
  /** Until it ends. */
  hours: number;
  /** A person may choose more than one. */
  several: boolean;
}

/** Index of messages in channels, for platforms that offer bots no search. Used only after a manager of the channel has switched it on. */

/** A message as stored in the index. */
export interface IndexedMessage {
  namespace: string;
  /** Its reference (`ChatActions`). */
  reference: string;
  thread?: string | undefined;
  author: { id: string; name: string };
  text: string;
  /** ms since the epoch. */
  at: number;
}

/** Adding or removing one message is atomic; removing many happens in steps. The caller limits the length of texts. */
export interface MessageIndex {
  /** Adds messages, or replaces existing ones. */
  put(messages: readonly IndexedMessage[]): Promise<void>;
  remove(namespace: string, reference: string): Promise<void>;
  /** Removes all messages of a channel; returns their number. */
  clear(namespace: string): Promise<number>;
  /** Removes messages from before a time (ms since the epoch), in one channel or in all; returns their number. */
  clearBefore(before: number, namespace?: string): Promise<number>;
  /** Removes a person's messages in the channels for which `isThere` returns true; returns their number. With `dryRun` only counts. */
  clearAuthor(
    author: string,
    isThere: (namespace: string) => boolean,
    options?: { dryRun?: boolean },
  ): Promise<number>;
  /** The messages that contain all words, latest first. Words match from their beginning, regardless of case and accents. */
  search(namespace: string, query: MessageQuery): Promise<IndexedMessage[]>;
  /** As `KeyValue.scrub`. */
  scrub(): Promise<void>;
  /** Number of messages of a channel, and the times of the oldest and newest, ms since the epoch. */
  extent(namespace: string): Promise<{
    messages: number;
    since?: number | undefined;
    newest?: number | undefined;
  }>;
}

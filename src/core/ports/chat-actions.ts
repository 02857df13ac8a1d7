/**
 * What the agent does in a chat beside answering: reading channels, finding people, reacting, posting elsewhere. A platform (or the web
 * chat, from the turn log) implements it and does what it is asked as the bot; whether the person who asks may have it done is
 * decided in `effects/create-chat-work.ts`, from what `access` says at that moment.
 *
 * A message is named by its reference: what `ChatPlatform.post` returns and `edit`, `remove` and every method here take.
 */
import type { FileReference } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";

/** A message of a thread as the bot reads it when it is called in. */
export interface ThreadMessage {
  id: string;
  author: { id: string; name: string; bot: boolean /** The bot itself. */; self: boolean };
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
  /** Everybody in the workspace or server may read it (guests aside): nothing in it is a secret among them. */
  open: boolean;
}

/** What a person may do in a channel now. */
export interface ChannelAccess extends ChannelSummary {
  /** The person may write there, and so may the bot: an archived channel cannot be written to. */
  write: boolean;
  /** The person may pin messages there. */
  pin: boolean;
}

/** A message as the bot reads it outside of its own conversation. `id` is its reference. */
export interface ChannelMessage extends ThreadMessage {
  /** An address that opens the message for people who may read it. */
  link: string;
  /** The thread it stands in or opens (`Place.thread`); absent where it belongs to none. */
  thread?: string | undefined;
  /** How many replies stand in the thread it opens. */
  replies?: number | undefined;
  /** Whether the author is a guest, from another company, or unknown: nobody here vouches for such words. */
  outside?: true | undefined;
}

/** A span of time, ms since the epoch, both ends included. */
export interface TimeRange {
  since?: number | undefined;
  until?: number | undefined;
}

interface ChannelHistory {
  /** The latest `most` of the range, oldest first. */
  messages: readonly ChannelMessage[];
  /** The range has earlier messages that were left out. */
  more: boolean;
}

/** What is looked for in a channel's messages. */
export interface MessageQuery extends TimeRange {
  /** Words, all of which occur, in any case. */
  words: readonly string[];
  /** Only messages of this person, by id. */
  author?: string | undefined;
  /** At most this many, the latest first. */
  most: number;
}

/** What a search of a channel found. */
export interface FoundMessages {
  /** The latest first. */
  messages: readonly ChannelMessage[];
  /** How it was searched: by the platform, by the channel's index, or by looking through its latest messages. */
  by: "platform" | "index" | "history";
  /** Everything in the range that was asked for was looked at. */
  complete: boolean;
  /** From when on it was looked at, ms since the epoch, where that is not all. */
  since?: number | undefined;
}

/** Somebody in the workspace or server. */
export interface KnownPerson {
  id: string;
  /** What people call them. */
  name: string;
  full_name?: string | undefined;
  /** Their job title, or their roles in the server. */
  title?: string | undefined;
  /** IANA name. */
  time_zone?: string | undefined;
  /** Whether they are in the channel that was asked about. */
  here: boolean;
  /** Somebody who is no plain member. */
  standing?: "guest" | "outsider" | "bot" | undefined;
}

/** A group that a message can notify: a user group of Slack, a role of Discord. */
export interface KnownGroup {
  id: string;
  name: string;
  /** How many people it notifies; absent where the platform does not tell. */
  members?: number | undefined;
  /** Whether the person who asked may notify it themselves. */
  callable: boolean;
}

/**
 * All of it is bounded in time and size, and rejects with `PlatformError`: `gone` for what is not there or cannot be seen by the bot,
 * `forbidden` with the missing scope or permission in the message. A method that is absent is something the platform cannot do.
 */
export interface ChatActions {
  /** Channels of this workspace that both can read, by name; at most 1,000. */
  channels(namespace: string, person: string): Promise<readonly ChannelSummary[]>;
  /**
   * What a person may do in a channel (or in their own direct messages) now, fresh enough to trust (at most a minute old); undefined where the
   * bot is no member, where the person may not read, and for namespaces of other workspaces.
   */
  access(namespace: string, person: string): Promise<ChannelAccess | undefined>;
  /** Messages of a channel (thread `channel`: its top level) or of one thread. Service messages are left out. */
  history(place: Place, range: TimeRange & { most: number }): Promise<ChannelHistory>;
  /**
   * Searches a channel by the platform's own search, the latest first. Absent where it has none for bots, undefined where it cannot
   * search this channel now (no index yet): then it is searched by other means.
   */
  search?(namespace: string, query: MessageQuery): Promise<readonly ChannelMessage[] | undefined>;
  /** An address that opens a message for people who may read it. */
  link(namespace: string, reference: string, thread?: string): Promise<string>;
  /** The reference of a person's message by the id it came in with (`Origin.message`); that id itself unless given. */
  reference?(place: Place, message: string): Promise<string>;
  /** One message; undefined when it is not there. */
  message(namespace: string, reference: string): Promise<ChannelMessage | undefined>;
  /** People and groups whose name, full name or title has these words, best first; everybody for no words. */
  people?(
    namespace: string,
    query: { words: string; asker: string; most: number },
  ): Promise<{ people: readonly KnownPerson[]; groups: readonly KnownGroup[]; more: boolean }>;
  /** Adds the bot's reaction, or takes it away. `emoji` is a name (`thumbsup`) or the character itself. Nothing happens when it is so already. */
  react?(namespace: string, reference: string, emoji: string, on: boolean): Promise<void>;
  pin?(namespace: string, reference: string, on: boolean): Promise<void>;
  /** The place of the bot's direct messages with somebody, for `ChatPlatform.post`; opened when there is none yet. */
  direct?(namespace: string, person: string): Promise<Place>;
  /** Whether `ChatPlatform.post` can be used for channels other than the one of a conversation. */
  readonly posts: boolean;
}

/** A message that was sent. */
interface SentMessage {
  /** Where it stands, in words: `#random`, `a direct message to Cleo`. */
  where: string;
  /** Its id, for changing it later in this channel. */
  id: string;
  link?: string | undefined;
}

/** What is sent. */
interface NewMessage {
  text: string;
  /** A channel by name, a person by id, or `here`: this channel itself, outside of the thread. */
  to: string;
  /** A message of this channel whose thread it goes to; only with `here`. */
  thread?: string | undefined;
  /** Paths in the working folder. */
  files: readonly string[];
}

/** Each method fails with a `SkillFailure` where the person may not have it done. */
export interface Sending {
  /** Posts a message. What leaves the channel asks the person first, with the exact words and place. */
  send(message: NewMessage): Promise<SentMessage>;
  /** Replaces the text of a message that the bot posted for this person, or for anybody where they manage the channel. */
  edit(reference: string, text: string): Promise<void>;
  /** Deletes such a message. */
  remove(reference: string): Promise<void>;
}

/**
 * What tools do in the chat, with the rights of the person the turn is for. Every method fails with a `SkillFailure`, for the model, where
 * that person may not have it done, and where the platform cannot.
 */
export interface ChatWork extends Sending {
  /** Channels that the person and the bot can read, by name. */
  channels(): Promise<readonly ChannelSummary[]>;
  /**
   * A channel by its name or namespace; the one of the turn unless given. A channel that is not there and one the person may not read are told
   * apart by nobody.
   */
  channel(name?: string): Promise<ChannelAccess>;
  /**
   * Reads messages. What was said in another channel is answered to the person alone, and of a private channel nothing is told
   * outside of it except in their direct messages. `alone`: the answer is for the person alone anyway.
   */
  read(
    channel: ChannelAccess,
    what: TimeRange & { thread?: string | undefined; most: number; alone?: boolean | undefined },
  ): Promise<ChannelHistory>;
  /** Searches a channel; as `read` otherwise. */
  search(channel: ChannelAccess, query: MessageQuery): Promise<FoundMessages>;
  people(
    words: string,
    most: number,
  ): Promise<{ people: readonly KnownPerson[]; groups: readonly KnownGroup[]; more: boolean }>;
  /**
   * Lets the turn's messages call these people and groups. Those whom the person's own message names are free; for others the person
   * is asked.
   */
  name(ids: readonly string[]): Promise<{ id: string; name: string; mention: string }[]>;
  /** Adds or takes away the bot's reaction to a message of this channel. */
  react(reference: string, emoji: string, on: boolean): Promise<void>;
  pin(reference: string, on: boolean): Promise<void>;
  /** A message of this channel; `this` is the one the turn answers, `last` the bot's latest in the thread. */
  message(reference: string): Promise<ChannelMessage>;
}

/**
 * What people said in channels that are searched by an index: where a platform has no search for bots, and only after a manager of the
 * channel has switched it on.
 */

/** A message as the index keeps it. */
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

/** Adding and removing one message are atomic; what removes many does so in steps. Texts are bounded by who adds them. */
export interface MessageIndex {
  /** Adds messages, or replaces those that are there. */
  put(messages: readonly IndexedMessage[]): Promise<void>;
  remove(namespace: string, reference: string): Promise<void>;
  /** Removes all of a channel; answers how many. */
  clear(namespace: string): Promise<number>;
  /** Removes what was said before a time (ms since the epoch), in one channel or in all; answers how many. */
  clearBefore(before: number, namespace?: string): Promise<number>;
  /** Removes what a person said in the channels that `isThere` holds for; answers how many. With `dryRun` only counts. */
  clearAuthor(
    author: string,
    isThere: (namespace: string) => boolean,
    options?: { dryRun?: boolean },
  ): Promise<number>;
  /** The latest messages that have all words, the latest first. Words match from their beginning, in any case and without accents. */
  search(namespace: string, query: MessageQuery): Promise<IndexedMessage[]>;
  /** As `KeyValue.scrub`. */
  scrub(): Promise<void>;
  /** How many messages of a channel there are, and from when to when, ms since the epoch. */
  extent(namespace: string): Promise<{
    messages: number;
    since?: number | undefined;
    newest?: number | undefined;
  }>;
}

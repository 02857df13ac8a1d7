/**
 * What the agent does in a chat beside answering: reading channels, finding people, reacting, posting elsewhere. A platform (or the web
 * chat, from the turn log) implements it and does what it is asked as the bot; whether the person who asks may have it done is
 * decided in `chat-work.ts`, from what `access` says at that moment.
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

export interface ChannelHistory {
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

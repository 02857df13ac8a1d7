import type {
  ChannelAccess,
  ChannelHistory,
  ChannelMessage,
  ChannelSummary,
  FoundMessages,
  KnownGroup,
  KnownPerson,
  MessageQuery,
  TimeRange,
} from "./chat-actions.ts";

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

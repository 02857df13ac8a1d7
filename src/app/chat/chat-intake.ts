/** What chat platforms hand in. Every method resolves once what came is stored or decided; only then the platform acknowledges it. */
import type { FileReference, GivenCommand, Mention } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { SkillForm } from "./skill-form.ts";

/** A message somebody wrote where the bot can read. */
export interface ChatMessage {
  /** The same for every delivery of the same message: team, channel and message id, never the event's id. */
  key: string;
  /**
   * Where it belongs: the thread it stands in, or the thread an answer would open. Where direct messages
   * have no threads they all belong to the thread `dm`.
   */
  place: Place;
  /** The platform's id of the message. */
  id: string;
  /** Platform user id. */
  author: string;
  /** Whether a bot wrote it. The bot's own messages are never handed in. */
  by_bot: boolean;
  /** Without the mention of the bot; other people, channels and roles in readable form (`@Ada`, `#general`). */
  text: string;
  /** ms since the epoch. */
  said_at: number;
  /** How the bot is meant: mentioned, in its direct messages, by a reply to one of its messages, or not at all. */
  addressed: "mention" | "direct" | "reply" | "none";
  /** Whether it mentions people other than the bot. */
  mentions_others: boolean;
  /** The people and groups it mentions, without the bot; at most 50. */
  mentions?: readonly Mention[];
  /** Whether it stands in a thread that was there before it. */
  in_thread: boolean;
  files: readonly FileReference[];
  /** Found by looking back after a time without connection. */
  missed?: true;
}

/** A slash command, or a form that stands for one. */
export interface ChatCommand {
  key: string;
  place: Place;
  /** Names the command for the answer (`ReplyTarget.message`). */
  id: string;
  author: string;
  /** With its slash: `/skill enable memory`. */
  text: string;
  /** Of a form: the command that the text stands for. */
  command?: GivenCommand | undefined;
  said_at: number;
}

/** A press of one of the bot's buttons. */
export interface ButtonPress {
  place: Place;
  /** Names the press for a private answer. */
  id: string;
  person: string;
  /** What the platform stored with the button (`writeButtonId`). */
  button: string;
  /** The message the button is on. */
  reference: string;
}

/** A person's message with other text than before. */
export interface ChatEdit extends ChatMessage {
  /** ms since the epoch. */
  edited_at: number;
}

/** Somebody's reaction to a message. */
export interface ChatReaction {
  /**
   * Where the message stands. Slack does not tell here in which thread a reply stands: then it is the one it would open, and
   * `ChatActions.message` tells the right one.
   */
  place: Place;
  /** The message's reference (`ChatActions`). */
  reference: string;
  person: string;
  /** The emoji's name where the platform names it (`thumbsup`; Discord's own emoji), else the character without a skin tone. */
  emoji: string;
  added: boolean;
  /** ms since the epoch. */
  at: number;
  /** The same for every delivery of the same reaction. */
  key: string;
}

/** Who else wants to know what happens in channels, beside the turns it makes. Never rejects; called before it is acknowledged. */
export interface ChatListener {
  /** A message, whether it is for the bot or not; an edited one again. Messages of the bot itself do not come. */
  heard?(message: ChatMessage & { edited_at?: number }): Promise<void>;
  removed?(gone: { key: string; place: Place; id?: string }): Promise<void>;
  reacted?(reaction: ChatReaction): Promise<void>;
  left?(namespace: string): Promise<void>;
}

export interface ChatIntake {
  /** @throws when it could not be stored: do not acknowledge, it comes again */
  message(message: ChatMessage): Promise<void>;
  command(command: ChatCommand): Promise<void>;
  press(press: ButtonPress): Promise<void>;
  /** The text of a message may have changed. Edits that change no text (link previews) change nothing. */
  edited(edit: ChatEdit): Promise<void>;
  /** A message is gone: its turn is stopped, or its answer deleted. */
  removed(gone: { key: string; place: Place; id?: string }): Promise<void>;
  /** Somebody reacted to a message, or took the reaction away. */
  reacted(reaction: ChatReaction): Promise<void>;
  /** The bot was invited to a channel. Greets once. `by` is who invited, if known. */
  joined(channel: { namespace: string; by?: string }): Promise<void>;
  /** The bot is in no channel of the namespace any more. */
  left(namespace: string): Promise<void>;
  /**
   * Why somebody may not use the bot in a place, in words for them; undefined when they may. Asked before a platform shows by
   * itself what is there: what is handed in is checked here. @throws PlatformError
   */
  refusal(place: Place, person: string): Promise<string | undefined>;
  /**
   * What a form for a skill's parameters asks; undefined for an unknown skill, one without parameters, and for somebody who may
   * not use the bot there: their command says why. @throws PlatformError
   */
  form(skillId: string, place: Place, person: string): Promise<SkillForm | undefined>;
  /** The same for a command that names a skill and nothing else, `/skill run weather`; undefined for all others. */
  formOfCommand(text: string, place: Place, person: string): Promise<SkillForm | undefined>;
  /** Three prompts that fit the place, for greetings and suggestions. */
  suggestions(place: Place): Promise<{ title: string; message: string }[]>;
  /**
   * Where to look after a time without connection, and since when (ms since the epoch, at most as long ago as configured; a
   * little earlier than the last `seen`, since messages that are known already are not taken again). A place is a thread that
   * was active in that time, `dm` for direct messages outside of threads, or the channel itself (`channelThread`). Threads that
   * are none of the platform's (of runs through the API) are passed over.
   */
  missed(platform: string): Promise<{ since: number; places: readonly Place[] }>;
  /** Everything up to now was received. Call it as often as you like while connected: it is stored once a minute. */
  seen(platform: string): Promise<void>;
}
